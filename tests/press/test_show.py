"""Guards reproduce/_press/telling/show.py: the rows of an answer in the terminal, and what another commit had there."""

import subprocess

import pandas as pd
import pytest

from curvecast.ground.errors import UserError
from reproduce._press import store as store_
from reproduce._press.telling import show

RECEIPT = {"question": "q", "scale": "laptop", "command": "make it"}
ROWS = pd.DataFrame({"x": range(9000)})  # above 20 kB: packed


@pytest.fixture
def root(tmp_path):
    """An answer of two parts with two tables, committed."""
    (tmp_path / "reproduce" / "chapter").mkdir(parents=True)
    (tmp_path / "reproduce" / "chapter" / "q.py").touch()
    for part in "ab":
        tables = {"rows": pd.DataFrame({"x": [1, 2]}), "each": ROWS}
        store(tmp_path, tables, part)
    commit(tmp_path)
    return tmp_path


def store(root, tables, part):
    store_.write_rows(root / "figures/q/laptop", tables, RECEIPT | {"part": part, "parts": ["a", "b"]})


def commit(root):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(root), *command], check=True)


@pytest.mark.parametrize("name", ["q", "q/laptop", "q/laptop/rows"])
def test_rows_of_all_parts_are_printed_as_csv(root, name):
    """The best scale and the table called rows are meant where none is named."""
    assert show.show(name, None, root) == "part,x\na,1\na,2\nb,1\nb,2\n"


def test_a_packed_table_is_printed_like_any_other(root):
    """Who reads need not know how it lies there."""
    assert len(show.show("q/laptop/each", None, root).splitlines()) == 1 + 2 * len(ROWS)


def test_the_best_scale_is_meant(root):
    """Paper before laptop."""
    table = {"only": pd.DataFrame({"x": [3]})}
    store_.write_rows(root / "figures/q/paper", table, RECEIPT | {"part": "all", "parts": ["all"]})
    assert show.show("q", None, root) == "x\n3\n"


def test_against_a_commit_the_lines_that_differ_are_printed(root):
    """As git would, also of a packed table; the same table is said to be the same."""
    assert show.show("q", "HEAD", root) == "q/laptop/rows is the same at HEAD.\n"
    store(root, {"rows": pd.DataFrame({"x": [1, 7]}), "each": ROWS.iloc[1:]}, "b")
    rows = show.show("q", "HEAD", root).splitlines()
    assert rows[:2] == ["--- q/laptop/rows at HEAD", "+++ q/laptop/rows here"]
    assert [line for line in rows[3:] if line[0] in "+-"] == ["-b,2", "+b,7"]
    each = show.show("q/laptop/each", "HEAD", root).splitlines()
    assert [line for line in each[3:] if line[0] in "+-"] == ["-b,0"]


@pytest.mark.parametrize(
    ("name", "against", "says"),
    [
        ("p", None, "no question 'p'"),
        ("q/paper", None, "no answer of q at paper scale; make it"),
        ("q/laptop/eahc", None, "no table 'eahc'; did you mean 'each'"),
        ("q", "nothing", "no commit 'nothing' here"),
        ("q", "--all", "no commit '--all' here"),
        ("q", "HEAD^{tree}", "no commit"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(root, name, against, says):
    """What is missing, and what to do."""
    with pytest.raises(UserError, match=says):
        show.show(name, against, root)


def test_a_commit_without_the_answer_or_the_table_is_said(root):
    """An answer that came later cannot be compared."""
    store(root, {"new": pd.DataFrame({"x": [1]})}, "a")
    with pytest.raises(UserError, match="no table new in q/laptop at HEAD"):
        show.show("q/laptop/new", "HEAD", root)
    store_.write_rows(root / "figures/q/paper", {"rows": ROWS}, RECEIPT | {"part": "all", "parts": ["all"]})
    with pytest.raises(UserError, match="Commit HEAD has no figures/q/paper/"):
        show.show("q/paper", "HEAD", root)


def test_several_tables_without_rows_are_named(root):
    """One has to be chosen."""
    for part in "ab":
        store(root, {"each": ROWS, "sums": ROWS}, part)
    with pytest.raises(UserError, match=r"several tables \(each, sums\); name one"):
        show.show("q", None, root)
