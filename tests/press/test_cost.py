"""Guards reproduce/_press/telling/cost.py: what a command would take, said without doing it."""

import importlib
import json
import re

import pytest

from curvecast.ground.errors import UserError
from reproduce._press import plan
from reproduce._press.answers import ledger_file, receipts
from reproduce._press.plan import Job
from reproduce._press.telling import at_work, cost

JOBS = {"measure-q-a": Job("", parts=("a", "b"))}


@pytest.fixture
def root(tmp_path):
    """A question with two parts, published on one machine: 10 and 20 seconds, and the memory that each held."""
    notes = [
        {"part": part, "seconds": seconds, "memory_mb": 10 * seconds, "hardware": {"cpu": "A", "gpu": None}}
        for part, seconds in (("a", 10), ("b", 20))
    ]
    path = tmp_path / "figures" / "q" / "laptop" / receipts.FILE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(receipts.together(notes)))
    return tmp_path


def test_the_receipts_of_its_parts_make_the_sum_and_half_the_speed_doubles_it(root):
    """Memory is the largest peak, disk the size of what is published; neither hangs on the speed."""
    size = (root / "figures/q/laptop" / receipts.FILE).stat().st_size / 1e6
    for pace in 1, 2:
        (told,) = (cost.of_job(name, job, "laptop", {"A": pace}, {"q": 7}, root) for name, job in JOBS.items())  # fmt: skip
        assert told == pytest.approx((pace * (at_work.START + 30), 200, size))


def test_memory_that_no_receipt_tells_is_the_most_of_the_ledgers(root):
    (root / ledger_file.FOLDER).mkdir()
    for name, scale, peak in ("a", "laptop", 300), ("b", "laptop", 400), ("c", "paper", 500):
        ledger = {"scale": scale, "memory_mb": {"q": peak}}
        (root / ledger_file.FOLDER / f"{name}.json").write_text(json.dumps(ledger))
    elsewhere, job = ledger_file.peaks("laptop", root), Job("", parts=("a", "of later"))
    assert cost.of_job("measure-q-a", job, "laptop", {"A": 1}, elsewhere, root)[1] == 400
    (root / ledger_file.FOLDER / "d.json").write_text("[")
    with pytest.raises(UserError, match=r"d\.json is not a ledger"):
        ledger_file.peaks("laptop", root)


def test_a_probe_compares_the_same_steps_and_only_those():
    """A machine that takes twice as long for two of three networks takes twice as long."""
    assert cost.ratio({"x": 2, "y": 4, "z": 9}, {"x": 1, "y": 2, "w": 5}) == 2


@pytest.mark.parametrize("job", ["measure-q-c", "measure-new-a", "train-new-2x96-60k-0123", "site"])
def test_what_no_receipt_tells_is_not_known(root, job, capsys):
    """A part, a question, a network, a machine: the sum leaves it out and says so."""
    jobs = {job: Job("", parts=("c",) if job.startswith("measure") else ())}
    assert cost.tell(JOBS | jobs, "laptop", 1, root) == 0
    said = capsys.readouterr().out
    assert re.search(
        r"The time of (\d) of \1 steps is not known", said
    )  # without a probe no machine is known
    assert re.search(r"^ *not known .* in all", said, re.MULTILINE)


def files(root):
    """But for the list of fonts that matplotlib makes once a machine."""
    paths = [path for path in root.rglob("*") if path.is_file() and ".cache" not in path.parts]
    return {path: path.read_bytes() for path in paths}


@pytest.mark.parametrize("command", ["run", "run line --part all", "train", "blog", "blog --again"])
def test_nothing_is_started_and_nothing_written(project, command):
    """Also where no receipt tells anything."""
    before = files(project.root)
    said = project.run(*command.split(), "--cost").stdout
    assert "Nothing was started." in said and "not known" in said and project.trace() == []
    assert files(project.root) == before


def test_what_is_up_to_date_costs_nothing(answered):
    """Nothing is left of a blog whose jobs are done, and where a part was lost, of all parts just this one."""
    assert "nothing would be done" in answered.run("train", "--cost").stdout
    (answered.root / "site").mkdir()
    (answered.root / "site" / "index.html").touch()
    for name, job in answered.jobs("grid", "line").items():
        path = answered.root / plan.marker("laptop", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(job.key)
    assert "nothing would be done" in answered.run("blog", "--cost").stdout
    (answered.answer("grid") / "rows.b.csv").unlink()
    with answered.imported():
        there = importlib.import_module("reproduce._press.telling.cost")
        left = there.of_blog(["grid", "line"], "laptop", False, answered.root)
    assert [job.parts for job in left.values() if job.parts] == [("b",)]
