"""Guards presswork.site.reference: the pages of reference show all there is, and say it as the program does."""

import argparse
import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from curvecast.__main__ import main, parser  # after the skip
from presswork.ground.errors import UserError
from presswork.site import pages
from presswork.site.reference import Reference

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
COMMANDS: dict[str, argparse.ArgumentParser] = next(
    a.choices for a in parser()._actions if isinstance(a, argparse._SubParsersAction)
)
COMMANDS_ON_PAGE = re.findall(r"^## (\w+)$", PAGE, flags=re.MULTILINE)


class Alone(Reference):
    """The two macros without a site."""

    def __init__(self, root: Path) -> None:
        self.root = root


def calls(macro: str) -> list[tuple]:
    return [arguments for name, arguments in pages.calls(PAGE) if name == macro]


def blocks_of(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)


def test_every_command_has_its_section_with_its_help() -> None:
    assert calls("help") == [(), *((name,) for name in COMMANDS_ON_PAGE)]
    assert sorted(COMMANDS_ON_PAGE) == sorted(COMMANDS)


@pytest.mark.parametrize("line", [x for b in blocks_of("bash") for x in b.splitlines()])
def test_examples_of_the_command_line_are_understood(line: str) -> None:
    line = re.sub(r'^eval "\$\((.*)\)"$', r"\1", line)
    program, *arguments = shlex.split(line)
    assert program == "curvecast" and parser().parse_args(arguments)


def test_examples_in_python_run() -> None:
    pytest.importorskip("torch")
    import warnings

    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three points are an odd run
        for block in blocks_of("python"):
            exec(block, names)
    assert set(names["hopeless"]) <= {"a", "b"}


def test_every_attribute_of_a_forecast_is_explained() -> None:
    """What __init__ stores under a public name is in the table of the class."""
    text = (ROOT / "curvecast" / "forecasting" / "forecast.py").read_text(encoding="utf-8")
    node = next(n for n in ast.parse(text).body if getattr(n, "name", "") == "Forecast")
    start = next(n for n in node.body if getattr(n, "name", "") == "__init__")
    stored = {
        n.attr for n in ast.walk(start) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    }
    known = set(re.findall(r"^(\w+)  +\S", ast.get_docstring(node) or "", flags=re.MULTILINE))
    assert {name for name in stored if name[0] != "_"} == known


def test_fields_of_json_are_all_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    table = PAGE.split("| field |")[1].split("</div>")[0]
    (tmp_path / "runs.csv").write_text("step,a,b\n1,0.3,0.2\n2,0.4,0.5\n3,0.45,0.6\n")
    assert main(["forecast", str(tmp_path / "runs.csv"), "--json", "--best", "--target", "0.9"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["runs"] and len(told["runs"]) == 2
    assert re.findall(r"^\| `(\w+)`", table, flags=re.MULTILINE) == list(order(told["runs"][0]))


def order(fields: dict) -> list[str]:
    """As printed, with prob_beats_best and prob_best at the end."""
    return sorted(fields, key=lambda name: name.startswith("prob_"))


MADE_UP = '''class Thing:
    """A thing."""

    def good(self, x: int = 1, /, *rest, y="a", **more) -> dict[str, int]:
        """Is documented. Has a `name` & more.

        x   the first
        yy  the second,
            on two lines
        """

    @property
    def long(self) -> float:
        """A property."""

    def _hidden(self): ...
'''


def made_up(folder: Path, more: str = "") -> Alone:
    (folder / "thing.py").write_text(MADE_UP + more, encoding="utf-8")
    return Alone(folder)


def test_a_docstring_becomes_prose_and_terms(tmp_path: Path) -> None:
    """Signatures come from the syntax tree, aligned tables become lists of terms, private names stay away."""
    text = made_up(tmp_path).api("thing.py", "Thing")
    assert "good(x: int = 1, /, *rest, y=&#x27;a&#x27;, **more) -&gt; dict[str, int]" in text
    assert "<dt><code>yy</code></dt><dd>the second, on two lines</dd>" in text
    assert "Has a <code>name</code> &amp; more." in text
    assert "<code>long: float</code>" in text and "_hidden" not in text


@pytest.mark.parametrize(("path", "name", "says"), [
    ("nowhere.py", "f", "no such file"), ("thing.py", "misspelt", "called 'misspelt'; there are: Thing"),
    ("thing.py", "Thing", r"^Thing.bare in thing.py, line \d+, has no docstring"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_in_one_sentence(tmp_path: Path, path: str, name: str, says: str):
    with pytest.raises(UserError, match=says) as told:
        made_up(tmp_path, "\n    def bare(self): ...\n").api(path, name)
    assert "\n" not in str(told.value)
