"""A MkDocs hook: the theme's templates are compiled once and not in each build, which is a third of what a saved page waits for."""

from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache


def on_env(env: Environment, **_: Any) -> None:
    env.bytecode_cache = FileSystemBytecodeCache()  # by content, in the folder for temporary files
