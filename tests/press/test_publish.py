"""Guards `publish` (verdict.py, store.py): it alone changes figures/, and either all of an answer or nothing."""

import os
from contextlib import suppress
from dataclasses import make_dataclass
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from curvecast.ground.errors import UserError
from reproduce._press import drawing, run, store, verdict
from reproduce._press.claim import Above, Claim
from reproduce._press.contract import Question
from reproduce._press.intervals import Interval
from tests.press.test_store import Killed, dying

CONFIG = make_dataclass("Config", [], frozen=True)()
PARTS = ["a", "b"]


class Toy:
    """A question of two parts, whose answers are written without measuring."""

    def __init__(self, root: Path) -> None:
        self.root, self.claims, self.drawn = root, ["high", "low"], ["many", "few"]
        module = SimpleNamespace(
            SCALES=dict.fromkeys(("smoke", "laptop", "paper"), CONFIG),
            parts=lambda config: PARTS,
            draw=lambda rows: {},
            tabulate=lambda rows: {name: pd.DataFrame({"rows": [len(rows)]}) for name in self.drawn},
            claims=lambda rows: [Claim(name, "Is it?", Interval(1, 1, 1), Above(0)) for name in self.claims],
        )
        self.question = Question("toy", module, Path("reproduce/toys/toy.py"))

    def measure(
        self, part: str, value: float, home: str = "runs/here", scale: str = "laptop", settings: str = ""
    ) -> None:
        receipt = {
            "settings": settings or self.question.settings(scale),
            "question": "toy",
            "part": part,
            "parts": PARTS,
            "scale": scale,
            "seconds": value,
            "command": "make",
        }
        rows = pd.DataFrame({"y": [value] * 15_000})  # long enough to be packed
        store.write_rows(self.root / home / "toy" / scale, {"rows": rows}, receipt)

    def publish(self, scale: str = "laptop") -> Path | None:
        return verdict.publish("toy", scale, self.root)

    def values(self, scale: str = "laptop") -> dict[str, float]:
        """Of each part that is published."""
        rows, _ = store.read(self.folder(scale), PARTS)
        return dict(zip(rows["part"], rows["y"], strict=True))

    def folder(self, scale: str = "laptop") -> Path:
        return self.root / "figures" / "toy" / scale

    def files(self) -> dict[str, bytes]:
        """What git would see."""
        there = sorted(self.root.glob("figures/**/*"))
        return {str(p): p.read_bytes() for p in there if p.is_file() and not p.name.startswith(".")}


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Toy:
    toy = Toy(tmp_path)
    monkeypatch.setattr(verdict, "load", lambda name, root: toy.question)
    for part in PARTS:
        toy.measure(part, 1.0)
    return toy


def test_only_publish_changes_figures(toy):
    """What is measured and drawn lies below runs/here until then."""
    drawing.draw(toy.question, "laptop", run.home("laptop", root=toy.root))
    assert toy.files() == {}
    assert toy.publish() == toy.folder()
    names = {Path(name).name for name in toy.files()}
    tables = {"few.table.csv", "many.table.csv"}
    assert names == tables | {"rows.a.csv.gz", "rows.b.csv.gz", "receipts.json", "claims.json"}
    toy.measure("a", 2.0)
    before = toy.files()
    drawing.draw(toy.question, "laptop", run.home("laptop", root=toy.root))
    assert toy.files() == before and toy.values() == {"a": 1.0, "b": 1.0}


def test_publishing_twice_changes_nothing(toy):
    """Files keep their bytes and their dates."""
    toy.publish()
    before = toy.files()
    dated = [name for name in before if ".gz" in name or ".table" in name]
    dates = [os.stat(name).st_mtime_ns for name in dated]
    toy.publish()
    assert toy.files() == before and [os.stat(name).st_mtime_ns for name in dated] == dates


def test_a_claim_that_went_is_refused_by_name_and_nothing_is_replaced(toy):
    """A claim is shown whatever its answer, never dropped; the way out is the log, by the full name of the claim."""
    toy.publish()
    before = toy.files()
    toy.measure("a", 2.0)
    toy.claims = ["high"]
    for _ in range(2):  # asking again is no way out
        with pytest.raises(UserError, match=r"toy at laptop scale no longer asks low: .*why toy/low went"):
            toy.publish()
        assert toy.files() == before
    (toy.root / "docs").mkdir()
    (toy.root / "docs" / "log.md").write_text("toy/lowest and a_toy/low went.")
    with pytest.raises(UserError, match="no longer asks low"):  # they are others
        toy.publish()
    (toy.root / "docs" / "log.md").write_text("toy/low went: it asked for the wrong number.")
    toy.publish()
    assert toy.values() == {"a": 2.0, "b": 1.0}


def test_what_cannot_be_drawn_is_refused_before_anything_is_replaced(toy):
    """New rows never stand beside old tables."""
    toy.publish()
    before = toy.files()
    toy.measure("a", 2.0)
    toy.question.module.tabulate = lambda rows: 1 / 0
    with pytest.raises(ZeroDivisionError):
        toy.publish()
    assert toy.files() == before


def test_rows_that_were_cut_off_are_refused_before_anything_is_replaced(toy):
    """The file is named."""
    toy.publish()
    before = toy.files()
    toy.measure("a", 2.0)
    rows = toy.root / "runs/here/toy/laptop/rows.b.csv.gz"
    rows.write_bytes(rows.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"rows\.b\.csv\.gz does not fit its receipt"):
        toy.publish()
    assert toy.files() == before


def test_parts_that_were_made_here_join_those_that_are_published(toy):
    """Paper scale: one part is made on a GPU, the other was published long ago and is not here."""
    for part in PARTS:
        toy.measure(part, 1.0, "figures", "paper")
    toy.measure("b", 2.0, scale="paper")
    toy.publish("paper")
    assert toy.values("paper") == {"a": 1.0, "b": 2.0}


def test_what_is_drawn_no_more_goes(toy):
    """And so do the rows of a part that the question has no more."""
    toy.publish()
    toy.drawn = ["many"]
    toy.publish()
    assert not (toy.folder() / "few.table.csv").exists() and (toy.folder() / "many.table.csv").is_file()


@pytest.mark.parametrize("step", range(0, 40, 3))
def test_a_kill_while_publishing_loses_no_part(toy, monkeypatch, step):
    """Each part is the old one or the new one; the same command completes the work."""
    toy.publish()
    for part in PARTS:
        toy.measure(part, 2.0)
    with monkeypatch.context() as patch, suppress(Killed):
        there = dying(os.replace, iter(range(step)), lambda _, to: str(toy.folder()) in str(to))
        patch.setattr(os, "replace", there)
        toy.publish()
    assert set(toy.values()) == {"a", "b"} and set(toy.values().values()) <= {1.0, 2.0}
    toy.publish()
    assert toy.values() == {"a": 2.0, "b": 2.0}


@pytest.mark.parametrize("step", range(4))
def test_a_kill_while_a_long_answer_is_adopted_is_made_good(toy, monkeypatch, step):
    """Whatever was copied when it came, the next run copies the rest and leaves alone what was measured here."""
    for part in PARTS:
        toy.measure(part, 1.0, "figures", "paper")
    here = run.home("paper", root=toy.root)
    with monkeypatch.context() as patch, suppress(Killed):
        patch.setattr(store, "write_part", dying(store.write_part, iter(range(step))))
        run.copy_published(toy.question, "paper", here, toy.root)
    if step < 2:
        toy.measure("b", 3.0, scale="paper")
    run.copy_published(toy.question, "paper", here, toy.root)
    rows, count = store.read(here / "toy" / "paper", PARTS)
    assert count == 2 and set(rows["y"]) == ({1.0, 3.0} if step < 2 else {1.0})


@pytest.mark.parametrize(
    ("published", "a"), [("", 1.0), ("of last week", 2.0)], ids=["of today", "older as well"]
)
def test_what_was_measured_here_with_other_settings_gives_way_to_what_has_those_of_today(toy, published, a):
    for part in PARTS:
        toy.measure(part, 1.0, "figures", "paper", published)
    toy.measure("a", 2.0, scale="paper", settings="of yesterday")
    toy.measure("b", 3.0, scale="paper")
    here = run.home("paper", root=toy.root)
    run.copy_published(toy.question, "paper", here, toy.root)
    kept = store.read(here / "toy" / "paper", PARTS)[0].groupby("part")["y"].mean()
    assert kept.to_dict() == {"a": a, "b": 3.0}
