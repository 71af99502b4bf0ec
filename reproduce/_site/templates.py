"""A MkDocs hook: the templates of the theme are compiled once, and not again in each build."""

from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache


def on_env(env: Environment, **_: Any) -> None:
    env.bytecode_cache = FileSystemBytecodeCache()  # by content, in the folder for temporary files
