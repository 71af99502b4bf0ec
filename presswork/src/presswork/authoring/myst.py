"""Roles for pages in MyST, as an executable plugin of mystmd: `python -m presswork.authoring.myst`.

    Of all tosses {found}`coin/fair` showed heads, so the coin is fair {shows}`coin/fair yes`.

Without arguments it prints which roles there are. With `--role found` it reads one use of that role from standard input and
prints the nodes that stand in its place. Where it ends with another status than 0 the page is in error, for what is written
to standard error, and `myst build --html --strict` ends with 1. A process a role, so standard library alone.
"""

import json
import shlex
import sys
from typing import Any

from presswork.ground.errors import UserError, demand

ROLES = {  # name: what it shows, and its text
    "found": ("the number of a claim", "question/claim"),
    "val": ("an estimate by its key, or a cell of a table by row and column", "question/what its 'long key'"),
    "shows": ("the mark of a sentence that was written for this answer", "question/claim yes"),
}
DECIDED, OPEN = "✓", "?"  # as on other pages of presswork
Node = dict[str, Any]


def specification() -> dict[str, Any]:
    body = {"type": "string", "required": True}
    roles = [{"name": name, "doc": f"{doc}: {text}", "body": body} for name, (doc, text) in ROLES.items()]
    return {"name": "presswork", "roles": roles}


def words(role: str, text: str) -> tuple[str, list[str]]:
    """The name of an answer, and the rest; what holds a space stands in quotes."""
    form = f"write {{{role}}}`{ROLES[role][1]}`, not {{{role}}}`{text}`"
    try:
        name, *rest = shlex.split(text)
    except ValueError:
        raise UserError(form) from None
    demand("/" in name and bool(rest) == (role != "found"), form)
    return name, rest


def nodes(role: str, text: str) -> list[Node]:
    """What stands in the place of a role; a UserError where there is no such answer, or another one."""
    # late: mystmd builds on, and ends with 0, where a plugin cannot say its roles, as with bad settings of the blog
    from presswork import claim_text
    from presswork.answers.answer import Answers
    from presswork.authoring import markers
    from presswork.ground.blog import BLOG

    BLOG.demand()
    answers = Answers(BLOG.root)
    name, rest = words(role, text)
    if role != "shows":
        return [_text(markers.said(role, [name, *rest], answers).strip("*"))]
    answer = " ".join(rest)  # not tested
    markers.said("answer", [name, answer], answers)
    question, _, claim = name.partition("/")
    asked = claim_text.question(answers.of(question)[0].claims[claim])
    sign = _text(DECIDED if answer in ("yes", "no") else OPEN)
    return [{"type": "abbreviation", "title": f"{asked} {answer}", "children": [sign]}]


def _text(value: str) -> Node:
    return {"type": "text", "value": value}


def main(arguments: list[str]) -> int:
    if not arguments:
        print(json.dumps(specification()))
        return 0
    try:
        role = arguments[-1]
        demand(arguments == ["--role", role] and role in ROLES, f"there is no {' '.join(arguments)}")
        print(json.dumps(nodes(role, json.load(sys.stdin)["body"])))
        return 0
    except UserError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
