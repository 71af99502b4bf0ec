"""Guards reproduce/_press/answers/sameness.py: which smoke rows are the same numbers, and that a take comes back whole."""

import gzip
import math

import pytest

from reproduce._press.answers import sameness
from reproduce._press.answers.sameness import Take


def a_take(values, name="a CPU", column="x", stopwatches=(), keys=("k1",)) -> Take:
    return Take(set(keys), name, "c0ffee", set(stopwatches), {"rows": {column: list(values)}})


def test_takes_come_back_from_their_file_and_make_the_same_bytes(tmp_path):
    """Commas, quotes, line ends, empty cells, several takes; nothing depends on the day."""
    takes = [
        a_take(["1.5", "", "a, b", 'say "ü"\n'], keys=("k2", "k1"), stopwatches=("rows.t",)),
        a_take(["2"], name="another, CPU", keys=("k3",)),
    ]
    path = tmp_path / sameness.FILE
    path.write_bytes(sameness.write(takes))
    assert sameness.read(path) == takes
    assert sameness.write(sameness.read(path)) == path.read_bytes()


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        (["1.5", "2.5"], ["1.5", "2.5"], True),
        (["1.5"], ["1.5014"], True),
        (["1.5"], ["1.502"], False),
        (["1e-8"], ["5e-7"], True),
        (["-0.5"], ["0.5"], False),
        (["100000"], ["100001"], False),
        (["100000", ""], ["100001", ""], False),
        (["-7"], ["-8"], False),
        (["yes"], ["no"], False),
        (["1.5", ""], ["1.5", ""], True),
        (["1.5", ""], ["1.5", "2.5"], False),
        (["1.5", "nan"], ["1.5", ""], True),
        (["inf"], ["inf"], True),
        (["inf"], ["1.5"], False),
        (["inf"], ["-inf"], False),
    ],
)
def test_numbers_may_differ_by_a_thousandth_and_counts_and_words_not_at_all(before, now, same):
    """What is no number in one take must be none in the other; near zero a millionth is nothing."""
    far, words = sameness.differ(a_take(before), a_take(now))
    assert (far == 0) is same and bool(words) is not same


def test_the_worst_column_is_told_with_its_amount():
    """Words before numbers, then the largest share."""
    assert sameness.differ(a_take(["1.0", "2.5"]), a_take(["1.1", "2.6"]))[1] == "rows.x differs by 9.1 %"
    assert sameness.differ(a_take(["a"]), a_take(["b"]))[1] == "rows.x differs by words or counts"


def test_stopwatches_are_left_out_whichever_take_names_them():
    """They may even come and go; the rows of their table are counted all the same."""
    watched = a_take(["1.5"], stopwatches=("rows.t",))
    watched.rows["rows"]["t"] = ["3.5"]
    assert sameness.differ(watched, a_take(["1.5"])) == (0.0, "")
    assert sameness.differ(a_take(["1.5"], stopwatches=("rows.x",)), a_take(["1.5", "2"]))[0] == math.inf


@pytest.mark.parametrize(
    "other", [a_take(["1"], column="y"), a_take(["1", "1"]), Take(set(), "a CPU", "", set())]
)
def test_another_column_row_or_table_is_another_answer(other):
    """There is no amount to tell then."""
    far, words = sameness.differ(a_take(["1"]), other)
    assert far == math.inf and words.startswith(
        "rows: other columns or another number of rows; 0 of the other 0"
    )


def test_a_table_without_rows_is_no_difference():
    """A file of takes cannot hold it, so a take that never was in a file must do without as well."""
    empty = a_take(["1"])
    empty.rows["none"] = {"x": []}
    assert sameness.differ(empty, a_take(["1"])) == (0.0, "") == sameness.differ(a_take(["1"]), empty)


@pytest.mark.parametrize(
    ("now", "amiss"),
    [
        (["9.5", ""], ""),
        (["1.5", "2.5"], "rows.x is not finite in the same rows"),
        (["1.5"], "rows: other columns or another number of rows; 0 of the other 0 tables are the same"),
    ],
)
def test_on_another_cpu_columns_rows_and_finiteness_are_compared(now, amiss):
    """Sums come in another order there: numbers that are other numbers say nothing."""
    assert sameness.other_machine(a_take(["1.5", ""]), a_take(now)) == amiss


def test_only_takes_of_one_kind_of_cpu_are_compared(tmp_path):
    """Else nobody has compared them."""
    path = tmp_path / sameness.FILE
    path.write_bytes(sameness.write([a_take(["1"]), a_take(["1"], keys=("k2",), name="another")]))
    told = sameness.compared(tmp_path, "k1", "k2")
    assert told.state == "code changed" and "nobody has compared" in told.detail
    path.write_bytes(sameness.write([a_take(["1"]), a_take(["1"], keys=("k2",))]))
    assert sameness.compared(tmp_path, "k1", "k2").state == "same numbers since"


def test_the_same_code_on_two_kinds_of_cpu_leads_from_one_to_the_other(tmp_path):
    """k1 = k2 there and k2 = k3 here: k3 gives what k1 gave. Not so where one step gives other numbers."""
    there, here = a_take(["1"], keys=("k1", "k2")), a_take(["1.1"], keys=("k2", "k3"), name="another")
    path = tmp_path / sameness.FILE
    path.write_bytes(sameness.write([there, here]))
    assert sameness.compared(tmp_path, "k1", "k3").detail.endswith("step by step")
    assert sameness.bridges([there, here]) == {"k2"}
    other = [a_take(["1.1"], keys=("k2",), name="another"), a_take(["1.2"], keys=("k3",), name="another")]
    path.write_bytes(sameness.write([there, *other]))
    assert sameness.compared(tmp_path, "k1", "k3").state == "code changed"


WHOLE = sameness.write([a_take([str(number) for number in range(999)])])


@pytest.mark.parametrize(
    "spoilt",
    [
        WHOLE[:-20],
        b"",
        b"not packed",
        WHOLE[:60] + b"???" + WHOLE[63:],
        gzip.compress(b"a,b\n1,2\n", mtime=0),
    ],
)
def test_a_file_that_is_cut_off_or_changed_is_an_error_and_proves_nothing(tmp_path, spoilt):
    """The badge says that it is damaged; who would write it anew is stopped (see test_smoke_published)."""
    path = tmp_path / sameness.FILE
    path.write_bytes(spoilt)
    with pytest.raises(ValueError, match=r"unpack|empty|decode"):
        sameness.read(path)
    told = sameness.compared(tmp_path, "k1", "k1")
    assert told.state == "code changed" and "is damaged" in told.detail
