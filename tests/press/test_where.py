"""Guards reproduce/_press/where.py and TABLES: rows are picked by the columns that a question declares."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from curvecast.ground.errors import UserError
from reproduce._press.contract import Question
from reproduce._press.where import minus, over, where

ROWS = pd.DataFrame({"method": ["a", "a", "b"], "cutoff": [5, 10, 5], "ll": [1.0, 2.0, 3.0]})
QUESTION = Question(
    "steep", SimpleNamespace(TABLES={"rows": ("method", "cutoff", "ll")}), Path("reproduce/steep.py")
)


def test_all_values_must_fit():
    """Each named column narrows the rows down; none keeps all."""
    assert where(ROWS, method="a", cutoff=5)["ll"].tolist() == [1.0]
    assert where(ROWS, method="c").empty and len(where(ROWS)) == 3


def test_two_things_are_compared_where_both_were_measured():
    """What only one of them has plays no part; without one of them nothing is left."""
    rows = ROWS.assign(round=ROWS["cutoff"])
    assert minus(rows, "method", "b", "a", "ll", by="cutoff").to_dict() == {5: 2.0}
    assert over(rows, "method", "b", "a", "ll") == [3.0]
    assert (
        minus(rows, "method", "a", "c", "ll", by="cutoff").empty
        and over(rows[:0], "method", "a", "b", "ll") == []
    )


def test_declared_columns_may_come_in_any_order_and_with_the_part():
    """The runner adds the column `part` when it reads several parts back; who declares nothing is not checked."""
    QUESTION.check({"rows": ROWS[["ll", "cutoff", "method"]].assign(part="x")})
    Question("free", SimpleNamespace(), Path("reproduce/free.py")).check({"rows": ROWS})


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        ({"rows": ROWS.drop(columns="ll")}, "missing: ll; not declared: none"),
        ({"rows": ROWS.assign(se=0.1)}, "missing: none; not declared: se"),
        ({"rows": ROWS, "each": ROWS[["ll"]]}, "table 'each' .* not declared: ll"),
    ],
)
def test_other_columns_than_the_declared_are_refused(tables, says):
    """The sentence names the file, the table and the columns."""
    with pytest.raises(UserError, match=f"reproduce/steep.py: .*{says}"):
        QUESTION.check(tables)
