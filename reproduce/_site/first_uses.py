"""A Markdown extension: a term of the glossary is marked where a section first uses it, and not again below."""

from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor


class FirstUses(Extension, Treeprocessor):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(self, "first_uses", 6)  # after abbr, which has 7

    def run(self, root: Element) -> None:
        marked: set[str] = set()
        for element in root.iter():
            words = element.get("title", "")
            if element.tag == "abbr" and words in marked:
                element.tag, element.attrib = "span", {}
            marked = set() if element.tag == "h2" else marked | {words}


def makeExtension(**_: Any) -> FirstUses:
    return FirstUses()
