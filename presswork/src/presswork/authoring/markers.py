"""Numbers in any Markdown file, such as a README, between comments that readers do not see.

    Of all tosses <!-- presswork: found('coin/fair') -->50.1 %<!-- / --> showed heads.

What stands between the two comments is what the answer says; `presswork check README.md` tells where it is another text,
and with --write puts it right. `found('question/claim')` is the number of a claim, `val('question/what', 'its', 'key')` an
estimate or a cell, and `answer('question/claim', 'yes')` stays empty while the answer is that one: a sentence whose
evidence turned is never mended.
"""

import ast
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from presswork import claim_text
from presswork.answers.answer import Answers
from presswork.ground.errors import UserError, demand, reading
from presswork.ground.files import write

BEGIN = re.compile(r"<!--\s*presswork:\s*(.*?)\s*-->")
CODE = re.compile(  # fenced, or within a line of text: what stands there is shown, and means nothing
    r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t\r]*$|\Z)|(?<!`)(`+)(?!`)[^\n]+?(?<!`)\2(?!`)",
    re.M | re.S,
)
END = re.compile(r"<!--\s*/\s*-->")
KNOWN = {"found": 1, "val": 2, "answer": 2}  # and how many texts each is given, at least


@dataclass(frozen=True)
class Number:
    line: int
    start: int  # of the text between the comments, in the file
    end: int
    call: str
    text: str
    now: str  # what the answers say


def numbers(path: Path, root: Path) -> list[Number]:
    """All of a file, each with what it says and what it should; a UserError where one cannot be read."""
    with reading(path, "cannot be read", "save it as UTF-8"):
        text = path.read_bytes().decode()  # with its ends of lines, which stay
    prose = CODE.sub(lambda code: " " * len(code[0]), text)
    answers, found, place = Answers(root), list[Number](), 0
    while begin := BEGIN.search(prose, place):
        line = text.count("\n", 0, begin.start()) + 1
        end, other = END.search(prose, begin.end()), BEGIN.search(prose, begin.end())
        if end is None or (other and other.start() < end.start()):
            way_out = "write <!-- / --> behind its number"
            raise UserError(f"{path}:{line}: the marker {begin[1]} is not closed: {way_out}")
        try:
            now = said(*_parsed(begin[1]), answers)
        except UserError as error:
            raise UserError(f"{path}:{line}: {error}") from None
        found.append(Number(line, begin.end(), end.start(), begin[1], text[begin.end() : end.start()], now))
        place = end.end()
    return found


def said(name: str, texts: list[str], answers: Answers) -> str:
    """What a marker asks for."""
    question, _, rest = texts[0].partition("/")
    published = answers.of(question)[0]
    if name == "val":
        found = published.number(rest, *texts[1:])
        return found if isinstance(found, str) else claim_text.estimate(found, "", "", error=True)
    claim = published.claim(rest)
    if name == "found":
        return claim_text.found(claim)
    now = claim_text.answer(claim)
    turned = f"this sentence was written for the answer {texts[1]!r} to {texts[0]}, and the published answer is {now!r}"
    demand(now == texts[1], f"{turned}: rewrite the sentence, then change its marker")
    return ""


def _parsed(call: str) -> tuple[str, list[str]]:
    """The name of a call and what it is given, as texts."""
    with suppress(SyntaxError, ValueError):
        match ast.parse(call, mode="eval").body:
            case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in KNOWN:
                texts = [str(ast.literal_eval(one)) for one in given]
                enough = len(texts) >= KNOWN[name] if name == "val" else len(texts) == KNOWN[name]
                if enough and "/" in texts[0]:
                    return name, texts
    of_claims = "answer('question/claim', 'yes')"
    forms = f"found('question/claim'), val('question/estimate', 'its', 'key') or {of_claims}"
    raise UserError(f"a marker says {forms}, not {call!r}")


def stale(path: Path, found: list[Number]) -> list[str]:
    """A line for each number of a file that is not what the answers say."""
    old = (one for one in found if one.text != one.now)
    return [f"{path}:{one.line}: {one.call} is {one.now!r}, and the file says {one.text!r}" for one in old]


def put_right(path: Path, found: list[Number]) -> None:
    text = path.read_bytes().decode()
    for one in reversed(found):
        text = text[: one.start] + one.now + text[one.end :]
    write(path, text.encode())
