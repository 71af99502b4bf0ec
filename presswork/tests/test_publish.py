"""Guards `publish`: figures/ has all of an answer or nothing."""

import os
from contextlib import suppress
from dataclasses import make_dataclass
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from processes import Killed, dying

from presswork import drawing, run, store
from presswork.answers import claims_file
from presswork.authoring import publishing
from presswork.claim import Above, Claim
from presswork.contract import Question
from presswork.ground.errors import UserError
from presswork.intervals import COUNTED, Interval

CONFIG = make_dataclass("Config", [], frozen=True)()
PARTS = ["a", "b"]


class Toy:
    """A question of two parts, whose answers are written without measuring."""

    def __init__(self, root: Path) -> None:
        self.root, self.claims, self.drawn = root, ["high", "low"], ["many", "few"]
        self.not_measured: list[str] = []
        self.over, self.asks = COUNTED, "Is it?"
        (root / "toy.py").write_text("\n\n\ndef claims(rows): ...")
        module = SimpleNamespace(
            __file__=root / "toy.py", TABLES={"rows": ("y",)},
            SCALES=dict.fromkeys(("smoke", "laptop", "paper"), CONFIG),
            parts=lambda config: PARTS, draw=lambda rows: {},
            tabulate=lambda rows: {name: pd.DataFrame({"rows": [len(rows)]}) for name in self.drawn},
            claims=lambda rows: [Claim(name, self.asks, self.found(name), Above(0)) for name in self.claims],
        )  # fmt: skip
        self.question = Question("toy", module, Path("reproduce/toys/toy.py"))
        self.folder = root / "figures" / "toy"

    def found(self, name: str) -> Interval | None:
        return None if name in self.not_measured else Interval(1, 1, 1, self.over)

    def measure(self, part: str, value: float, home="runs/here", scale="laptop", settings="") -> None:
        receipt = {"settings": settings or self.question.settings(scale), "question": "toy", "part": part,
                   "parts": PARTS, "scale": scale, "seconds": value, "command": "make"}  # fmt: skip
        rows = pd.DataFrame({"y": [value] * 11_000})  # long enough to be packed
        store.write_rows(self.root / home / "toy" / scale, {"rows": rows}, receipt)

    def publish(self, scale: str = "laptop") -> Path | None:
        return publishing.publish("toy", scale, self.root)

    def adopt(self) -> dict[str, float]:
        """What lies here when a run at paper scale has taken over what is published: the value of each part."""
        here = run.home("paper", root=self.root)
        run.copy_published(self.question, "paper", here, self.root)
        return self.values(here / "toy" / "paper")

    def values(self, folder: Path | None = None) -> dict[str, float]:
        """Of each part that is published."""
        rows, _ = store.read(folder or self.folder / "laptop", PARTS)
        return dict(zip(rows["part"], rows["y"], strict=True))

    def files(self) -> dict[str, bytes]:
        """What git would see."""
        there = sorted(self.root.glob("figures/**/*"))
        return {str(p): p.read_bytes() for p in there if p.is_file() and not p.name.startswith(".")}


@pytest.fixture
def toy(tmp_path, monkeypatch) -> Toy:
    """Measured here, and drawn, and published."""
    toy = Toy(tmp_path)
    monkeypatch.setattr(publishing, "load", lambda name, root: toy.question)
    for part in PARTS:
        toy.measure(part, 1.0)
    assert toy.files() == {} and toy.publish() == toy.folder / "laptop"
    return toy


@pytest.fixture
def at_paper_scale(toy) -> Toy:
    for part in PARTS:
        toy.measure(part, 1.0, "figures", "paper")
    return toy


def test_only_publish_changes_figures(toy):
    names = {Path(name).name for name in toy.files()}
    tables = {"few.table.csv", "many.table.csv"}
    assert names == tables | {"rows.a.csv.xz", "rows.b.csv.xz", "receipts.json", "claims.json"}
    toy.measure("a", 2.0)
    before = toy.files()
    drawing.draw(toy.question, "laptop", run.home("laptop", root=toy.root))
    assert toy.files() == before and toy.values() == {"a": 1.0, "b": 1.0}


def test_publishing_twice_changes_nothing(toy):
    before = toy.files()
    dated = [name for name in before if ".xz" in name or ".table" in name]
    dates = [os.stat(name).st_mtime_ns for name in dated]
    toy.publish()
    assert toy.files() == before and [os.stat(name).st_mtime_ns for name in dated] == dates


def test_a_claim_that_went_is_refused_by_name_and_nothing_is_replaced(toy):
    """A claim is shown whatever its answer, never dropped in silence; the way out keeps its last answer, by its full name."""
    before = toy.files()
    toy.measure("a", 2.0)
    toy.claims = ["high"]
    for question, name in ("toy", "lowest"), ("a_toy", "low"):
        publishing.retire_claims(question, {name: {"name": name, "answer": "no"}}, "it is another", toy.root)
    for _ in range(2):  # asking again is no way out
        told = r"toy at laptop scale no longer asks low: .*publish toy --retire"
        with pytest.raises(UserError, match=told):
            toy.publish()
        assert toy.files() == before
    asked = claims_file.read((toy.folder / "laptop" / "claims.json").read_bytes())
    answers = {claim["name"]: claim["answer"] for claim in asked}
    assert publishing.publish("toy", "laptop", toy.root, retire="no sentence names it")
    (row,) = (row for row in claims_file.retired(toy.root) if row["claim"] == "toy/low")
    assert (row["answer"], row["why"]) == (answers["low"], "no sentence names it")
    assert toy.values() == {"a": 2.0, "b": 1.0}
    toy.claims = ["high", "low"]
    with pytest.raises(UserError, match=r"^toy/low was retired and is asked again"):
        toy.publish()


def test_published_claims_that_cannot_be_read_let_nothing_be_dropped(toy):
    (toy.folder / "laptop" / "claims.json").write_text("cut off")
    before, toy.claims = toy.files(), ["high"]
    with pytest.raises(UserError, match=r"claims\.json cannot be read .*git checkout -- "):
        toy.publish()
    assert toy.files() == before


def test_of_a_question_that_is_gone_the_last_answers_stay(toy):
    toy.folder.rename(toy.root / "figures" / "old_toy")
    publishing.retire_question("old_toy", "merged", toy.root)
    assert {row["claim"] for row in claims_file.retired(toy.root)} == {"old_toy/high", "old_toy/low"}
    assert not (toy.root / "figures" / "old_toy").exists()
    with pytest.raises(UserError, match="was published"):
        publishing.retire_question("old_toy", "merged", toy.root)


def test_a_claim_that_no_published_scale_tests_is_told_by_file_and_line(at_paper_scale):
    """As if its estimate had a misspelt key. A reason lets it pass, and so does another scale that tests it."""
    toy = at_paper_scale
    toy.not_measured = ["low"]
    before = toy.files()
    with pytest.raises(UserError, match=r"^reproduce/toys/toy\.py:4: low is tested at no published scale"):
        toy.publish()
    assert toy.files() == before
    toy.question.module.NOT_TESTED = {"low": "nobody has measured it yet"}
    assert toy.publish()
    toy.question.module.NOT_TESTED, toy.not_measured = {}, []
    toy.publish("paper")
    toy.not_measured = ["low"]
    assert toy.publish()


@pytest.mark.parametrize(("asks", "over", "words"), [
    ("Is it?", (), "high does not say over what its interval is taken"),
    ("Is it?", (("seeds", 1),), "high is taken over one of seeds"),
    ("Is it above each of them?", (("seeds", 3),), "claim high asks .* compares with one"),
])  # fmt: skip
def test_a_claim_whose_interval_lets_it_say_too_much_is_told_by_file_and_line(toy, asks, over, words):
    before, toy.over, toy.asks = toy.files(), over, asks
    with pytest.raises(UserError, match=rf"^reproduce/toys/toy\.py:4: {words}"):
        toy.publish()
    assert toy.files() == before


def test_a_claim_that_went_is_not_asked_for_at_another_scale(at_paper_scale):
    """Paper scale goes first, while laptop scale still has the claim, as untested as ever."""
    toy = at_paper_scale
    toy.not_measured = ["low"]
    toy.question.module.NOT_TESTED = {"low": "nobody has measured it yet"}
    toy.publish("paper")
    toy.publish()
    toy.question.module.NOT_TESTED, toy.claims = {}, ["high"]
    assert publishing.publish("toy", "paper", toy.root, retire="it asked for the wrong number")
    assert toy.publish() is not None


def test_what_cannot_be_drawn_or_was_cut_off_is_refused_before_anything_is_replaced(toy):
    """New rows never stand beside old tables; the file is named."""
    before = toy.files()
    toy.measure("a", 2.0)
    tabulate = toy.question.module.tabulate
    toy.question.module.tabulate = lambda rows: 1 / 0
    with pytest.raises(ZeroDivisionError):
        toy.publish()
    toy.question.module.tabulate = tabulate
    rows = toy.root / "runs/here/toy/laptop/rows.b.csv.xz"
    rows.write_bytes(rows.read_bytes()[:-9])
    with pytest.raises(UserError, match=r"rows\.b\.csv\.xz does not fit its receipt"):
        toy.publish()
    assert toy.files() == before


def test_what_is_drawn_no_more_goes(toy):
    toy.drawn = ["many"]
    toy.publish()
    assert [path.name for path in (toy.folder / "laptop").glob("*.table.csv")] == ["many.table.csv"]


def test_parts_that_were_made_here_join_those_that_are_published(at_paper_scale):
    """One part is made on a GPU, the other was published long ago and is not here."""
    at_paper_scale.measure("b", 2.0, scale="paper")
    at_paper_scale.publish("paper")
    assert at_paper_scale.values(at_paper_scale.folder / "paper") == {"a": 1.0, "b": 2.0}


def test_parts_of_two_settings_are_refused_with_what_makes_the_rest_again(toy):
    """Part a was made after an edit, part b was published before it: no number may be over both."""
    before = toy.files()
    toy.measure("a", 2.0, settings="of today")
    with pytest.raises(
        UserError, match=r"were made with different settings: .* run toy --scale laptop --go-on"
    ):
        toy.publish()
    assert toy.files() == before


@pytest.mark.parametrize("step", range(0, 40, 5))
def test_a_kill_while_publishing_loses_no_part(toy, monkeypatch, step):
    """Each part is the old one or the new one; the same command completes the work."""
    for part in PARTS:
        toy.measure(part, 2.0)
    with monkeypatch.context() as patch, suppress(Killed):
        there = dying(os.replace, iter(range(step)), lambda _, to: str(toy.folder) in str(to))
        patch.setattr(os, "replace", there)
        toy.publish()
    assert set(toy.values()) == {"a", "b"} and set(toy.values().values()) <= {1.0, 2.0}
    toy.publish()
    assert toy.values() == {"a": 2.0, "b": 2.0}


@pytest.mark.parametrize("step", range(4))
def test_a_kill_while_a_long_answer_is_adopted_is_made_good(at_paper_scale, monkeypatch, step):
    """Whatever was copied when it came, the next run copies the rest and leaves alone what was measured here."""
    toy = at_paper_scale
    with monkeypatch.context() as patch, suppress(Killed):
        patch.setattr(store, "write_part", dying(store.write_part, iter(range(step))))
        toy.adopt()
    if step < 2:
        toy.measure("b", 3.0, scale="paper")
    assert toy.adopt() == {"a": 1.0, "b": 3.0 if step < 2 else 1.0}


@pytest.mark.parametrize(("published", "a"), [("", 1.0), ("of last week", 2.0)])
def test_what_was_measured_here_with_other_settings_gives_way_to_what_has_those_of_today(toy, published, a):
    for part in PARTS:
        toy.measure(part, 1.0, "figures", "paper", published)
    toy.measure("a", 2.0, scale="paper", settings="of yesterday")
    toy.measure("b", 3.0, scale="paper")
    assert toy.adopt() == {"a": a, "b": 3.0}
