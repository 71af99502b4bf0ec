"""`curvecast completion`: a script that completes commands, options and files in a shell."""

import argparse

from curvecast.ground.errors import installed

SHELLS = ("bash", "zsh", "fish")
FILE = "FILE"  # as the help text calls what takes one
FOLDERS = ("CLONE", "OUT")  # and what takes a folder


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    with installed("completion needs shtab: pip install 'curvecast[completion]'"):
        import shtab
    (commands,) = (a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for command in commands.values():
        for action in command._actions:
            if action.metavar == FILE:
                action.complete = shtab.FILE  # where shtab looks for it
            if action.metavar in FOLDERS:
                action.complete = shtab.DIRECTORY  # likewise
    return str(shtab.complete(parser, shell))
