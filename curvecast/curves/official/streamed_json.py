"""An object of objects of objects out of a JSON file, one inner object at a time: LCBench has a gigabyte of them."""

import json
from collections.abc import Iterator
from typing import Any, TextIO

CHUNK = 1 << 20  # characters that are read at once
LARGEST = 1 << 26  # characters of one inner object
DECODER = json.JSONDecoder()


class Stream:
    """What was read and not yet used."""

    def __init__(self, file: TextIO):
        self.file, self.text, self.at = file, "", 0

    def more(self) -> bool:
        chunk = self.file.read(CHUNK)
        self.text, self.at = self.text[self.at :] + chunk, 0
        return bool(chunk)

    def sign(self) -> str:
        """The next character that is no space; it stays."""
        while True:
            while self.at < len(self.text) and self.text[self.at].isspace():
                self.at += 1
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                raise EOFError("it is cut off")

    def take(self, signs: str) -> str:
        found = self.sign()
        if found not in signs:
            raise ValueError(f"{found!r} where one of {signs} belongs")
        self.at += 1
        return found

    def value(self, first: str) -> Any:
        """A whole string or object, however many chunks it spans."""
        if self.sign() not in first:
            raise ValueError(f"{self.sign()!r} where one of {first} belongs")
        while True:
            try:
                found, self.at = DECODER.raw_decode(self.text, self.at)
                return found
            except json.JSONDecodeError as error:
                if len(self.text) - self.at > LARGEST or not self.more():
                    raise EOFError(f"it is cut off or damaged: {error.msg}") from error


def inner(file: TextIO) -> Iterator[tuple[str, str, dict]]:
    """(outer name, inner name, object) in the order of the file."""
    stream = Stream(file)
    for outer in _names(stream):
        for name in _names(stream):
            yield outer, name, stream.value("{")


def _names(stream: Stream) -> Iterator[str]:
    """The names of an object. Whoever asks for the next has used up the value of the last."""
    stream.take("{")
    if stream.sign() == "}":
        stream.take("}")
        return
    while True:
        name = stream.value('"')
        stream.take(":")
        yield name
        if stream.take(",}") == "}":
            return
