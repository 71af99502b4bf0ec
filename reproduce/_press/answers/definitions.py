"""All that a question rests on, wherever it stands, as one key. Standard library only.

A data file that a definition names counts by its bytes; weights do not, since they are inputs (see keys.py).
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from reproduce._press.answers import source_files
from reproduce._press.answers.definition_text import Text, text_in
from reproduce._press.answers.source_files import Definition


def reached(starts: Iterable[Text], root: Path) -> dict[Definition, Text]:
    """All definitions that these texts lead to, and what runs when their files are imported."""
    found: dict[Definition, Text] = {}
    parsed = cache(source_files.tree)  # each file is read once
    waiting = [definition for start in starts for definition in start.reached]
    while waiting:
        definition = waiting.pop()
        if definition in found:
            continue
        found[definition] = text_in(definition, parsed(definition.file), root)
        waiting += found[definition].reached
        if definition.name:
            waiting.append(Definition(definition.file, ""))
    return found


def key(starts: list[Text], found: dict[Definition, Text]) -> str:
    """A hash over texts and what they lead to, blind to files: an arrow counts by the text at its end."""
    first = {definition: digest(definition.name, text.text) for definition, text in found.items()}
    texts = [*starts, *found.values()]
    whole = {digest(text.text, *(first[d] for d in text.reached)) for text in texts if text.text}
    data = {digest(data_hash(path)) for text in texts for path in text.data if path.suffix != ".safetensors"}
    return digest(*sorted(whole), *sorted(data))


def data_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
