"""What a run and the tests took, beside the table of the last quiet ones."""

import pytest

from presswork.telling import spent
from presswork.telling.spent import TOTAL, Line

LOG = """measure-tides-ebb,0,40.00
measure-tides-flood,0,20.50
train-ours-2x96-60k-0a1b,0,30.00
draw-the-sea,1,2.00
draw-the-moon,0,3.00
Traceback: a job said this, 7
all in all,0,60.00
"""
REPORT = """<testsuites><testsuite name="pytest" time="12.5"><testcase classname="tests.press.test_sea" name="a" time="4"/>
<testcase classname="tests.press.test_sea" name="b" time="2.5"/><testcase classname="tests.test_moon" name="c" time="0.1"/>
</testsuite></testsuites>"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setattr(spent, "probe", lambda: 0.5)
    for path, text in (("runs/laptop/logs/engine.log", LOG), ("runs/tests.xml", REPORT)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "ledger").mkdir()
    return tmp_path


def test_seconds_are_told_by_question_and_file_in_multiples_of_the_probe(here):
    assert spent.today("laptop", here) == [
        Line("the probe", "seconds", 0.5),
        Line("make reproduce", TOTAL, 120.0),
        Line("make reproduce", "tides", 121.0),
        Line("make reproduce", "ours-2x96-60k-0a1b", 60.0),
        Line("make reproduce", "draw", 10.0),
        Line("make test", TOTAL, 25.0),
        Line("make test", "tests/press/test_sea.py", 13.0),
        Line("make test", spent.OTHERS, 0.2),
    ]


def test_what_is_written_is_read_again_and_a_command_that_was_not_run_keeps_its_lines(here):
    spent.write(first := spent.today("laptop", here), here)
    assert spent.read(here) == first
    (here / "runs/tests.xml").unlink()
    (here / "runs/laptop/logs/engine.log").write_text("site,0,9.00\nall in all,0,10.00\n")
    spent.write(spent.today("laptop", here), here)
    after = spent.read(here)
    assert [line for line in after if line.command == "make test"] == first[-3:]
    assert [line[1:] for line in after if line.command == spent.RUN] == [(TOTAL, 20.0), ("site", 18.0)]
    assert "tides" not in spent.show(after, here)


def test_the_next_run_expects_what_the_table_says_on_a_machine_of_its_pace(here):
    usual = {"measure-tides-ebb": 1.0, "measure-tides-flood": 3.0, "measure-moon-all": 7.0, "site": 5.0}
    assert spent.expected(usual, here) == usual  # there is no table yet
    spent.write(spent.today("laptop", here), here)
    found = spent.expected(usual, here)
    assert found["measure-tides-flood"] == 3 * found["measure-tides-ebb"]
    assert sum(found[name] for name in usual if "tides" in name) == pytest.approx(60.5)
    assert found["measure-moon-all"] / 7 == pytest.approx(60.5 / 4)  # of which nothing is known
