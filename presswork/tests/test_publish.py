"""Guards the store and `publish`: what stands on disk is whole, and figures/ has all of an answer or nothing."""

import errno
import lzma
import multiprocessing
import os
from contextlib import suppress
from dataclasses import make_dataclass
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from presswork import drawing, run, store
from presswork.answers import claims_file, packed, receipts
from presswork.authoring import publishing
from presswork.claim import Above, Claim
from presswork.contract import Question
from presswork.ground import files
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


RECEIPT = {"question": "q", "part": "all", "parts": ["all"], "scale": "laptop"}
OLD, NEW = (pd.DataFrame({"x": [1, 2], "y": [value, float("nan")], "s": ["a", "b"]}) for value in (0.1, 0.2))
LONG = pd.DataFrame({"x": range(9000)})  # above 16 kB
TWO = RECEIPT | {"part": "a", "parts": ["a", "b"], "command": "python -m reproduce run q --part a"}


def stored(folder):
    return store.read(folder, ["all"])[0]


def names(folder):
    """The files of an answer; what begins with a dot is the store's own."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("."))


def test_rows_come_back_as_they_were(tmp_path):
    table = pd.DataFrame({"x": [1 / 3, 1e-9 / 7], "n": [10**9, -1], "s": ["a, b", "ü"], "m": [1.5, None]})
    store.write_rows(tmp_path, {"rows": table}, RECEIPT)
    pd.testing.assert_frame_equal(stored(tmp_path), table.assign(x=[0.333333, 1.42857e-10]))


def test_parts_stand_below_one_another_and_missing_ones_are_absent(tmp_path):
    """The column `part` says where a row comes from; a part that found nothing leaves the others' numbers numbers."""
    parts = ["a", "b", "c", "d"]
    for part, table in (("a", OLD.iloc[:0]), ("b", OLD), ("d", OLD)):
        store.write_rows(tmp_path, {"rows": table}, RECEIPT | {"part": part, "parts": parts})
    rows, count = store.read(tmp_path, parts)
    assert count == 3 and list(rows["part"]) == ["b", "b", "d", "d"]
    assert rows.drop(columns="part").dtypes.to_dict() == OLD.dtypes.to_dict()


def test_rows_without_a_matching_receipt_do_not_count(tmp_path):
    store.write_rows(tmp_path, {"rows": OLD}, RECEIPT)
    (tmp_path / "rows.csv").write_text("x,y,s\n9,9,z\n")
    assert stored(tmp_path) is None
    (tmp_path / "receipts.json").unlink()
    assert stored(tmp_path) is None


def test_receipts_that_cannot_be_read_are_told_and_not_written_over(tmp_path):
    """To measure one part must not cost the receipts of the others; what was measured waits until they are mended."""
    store.write_rows(tmp_path, {"rows": OLD}, TWO)
    before = (tmp_path / "receipts.json").read_bytes()
    (tmp_path / "receipts.json").write_bytes(before[:50])
    with pytest.raises(UserError, match=r"receipts\.json cannot be read .*`git checkout"):
        store.write_rows(tmp_path, {"rows": NEW}, TWO | {"part": "b"})
    assert (tmp_path / "receipts.json").read_bytes() == before[:50]
    (tmp_path / "receipts.json").write_bytes(before)
    assert store.read(tmp_path, ["a", "b"])[1] == 2


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-20], lambda data: b"", lambda data: lzma.compress(b"x\n9\n")]
)
def test_a_packed_table_that_was_cut_off_or_changed_is_told_and_does_not_count(tmp_path, spoil):
    store.write_rows(tmp_path, {"rows": LONG}, TWO)
    path = tmp_path / "rows.a.csv.xz"
    path.write_bytes(spoil(path.read_bytes()))
    told = r"rows\.a\.csv\.xz does not fit its receipt.*git checkout.*run q --part a"
    with pytest.raises(UserError, match=told):
        store.check(tmp_path)
    assert store.whole(tmp_path, "a", ["a", "b"]) is None


def test_long_tables_lie_packed_in_one_form_and_receipts_do_not_know(tmp_path):
    """The receipt names and hashes the CSV, so that it fits a table that another library packed, or nobody."""
    store.write_rows(tmp_path, {"rows": OLD, "few": LONG}, RECEIPT)
    store.write_rows(tmp_path, {"rows": LONG, "few": OLD}, RECEIPT)
    assert names(tmp_path) == ["few.csv", "receipts.json", "rows.csv.xz"]
    pd.testing.assert_frame_equal(stored(tmp_path)["rows"], LONG)
    (tmp_path / "rows.csv.xz").write_bytes(lzma.compress(store.csv(LONG), preset=0))
    assert store.whole(tmp_path, "all", ["all"])
    (tmp_path / "rows.csv.xz").unlink()
    (tmp_path / "rows.csv").write_bytes(store.csv(LONG))
    assert store.whole(tmp_path, "all", ["all"])


def test_what_would_fill_the_memory_is_refused(monkeypatch):
    """A small file can unpack to a very large one."""
    monkeypatch.setattr(packed, "MOST", 1000)
    with pytest.raises(ValueError, match="far more"):
        packed.unpacked(packed.packed(bytes(100_000)))


def measure(folder, part):
    for seconds in range(20):
        store.write_rows(folder, {"rows": OLD}, TWO | {"part": part, "seconds": seconds})


def test_parts_that_are_measured_at_once_all_keep_their_receipts(tmp_path):
    fork = multiprocessing.get_context("fork")
    both = [fork.Process(target=measure, args=(tmp_path, part)) for part in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    assert {receipt["part"]: receipt["seconds"] for receipt in receipts.of(tmp_path)} == {"a": 19, "b": 19}
    assert store.read(tmp_path, ["a", "b"])[1] == 2


class Killed(BaseException):
    """Stands for kill -9: nothing after it runs."""


def dying(call, steps, counts=lambda *_: True):
    """The call, as long as there are steps left for those that count."""

    def wrapped(*arguments, **more):
        if counts(*arguments) and next(steps, None) is None:
            raise Killed
        return call(*arguments, **more)

    return wrapped


@pytest.mark.parametrize("step", range(30))
def test_a_kill_at_any_step_leaves_the_old_answer_or_the_new(tmp_path, monkeypatch, step):
    """Whichever call of the system is the last one, rows and receipt fit together afterwards."""
    store.write_rows(tmp_path, {"rows": OLD}, TWO | {"part": "b", "seconds": 1})
    store.write_rows(tmp_path, {"rows": OLD, "curve": LONG, "gone": OLD}, TWO | {"seconds": 1})
    steps, finished = iter(range(step)), False
    with monkeypatch.context() as patch:
        for owner, call in ((os, "replace"), (os, "fsync"), (type(tmp_path), "unlink")):
            patch.setattr(owner, call, dying(getattr(owner, call), steps))
        try:
            store.write_rows(tmp_path, {"rows": NEW, "curve": NEW}, TWO | {"seconds": 2})
            finished = True
        except Killed:
            pass
    rows, count = store.read(tmp_path, ["a", "b"])
    lengths = {name: len(table) for name, table in rows.items()}
    seconds, y = store.whole(tmp_path, "a", ["a", "b"])["seconds"], rows["rows"]["y"][0]
    assert count == 2
    old, new = ({"rows": 4, "curve": 9000, "gone": 2}, 1, 0.1), ({"rows": 4, "curve": 2}, 2, 0.2)
    assert (lengths, seconds, y) in ([new] if finished else [old, new])
    store.write_rows(tmp_path, {"rows": NEW, "curve": NEW}, TWO)
    assert names(tmp_path) == ["curve.a.csv", "receipts.json", "rows.a.csv", "rows.b.csv"]
    assert not list(tmp_path.glob(".*.new"))


def test_a_full_disk_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "claims.json"
    store.write(path, b"old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"cannot write .*claims\.json: No space left on device"):
        store.write(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["claims.json"]


def test_one_holds_a_lock_and_several_may_share_it(tmp_path):
    path = tmp_path / "runs" / "one"
    with files.held(path) as mine, files.held(path, wait=False) as other:
        assert mine and not other
    with (
        files.held(path, shared=True, wait=False) as mine,
        files.held(path, shared=True, wait=False) as other,
    ):
        assert mine and other
    with files.held(path, wait=False) as again:
        assert again
