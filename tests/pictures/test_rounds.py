"""Guards reproduce/pictures/rounds.py and speed_ups.py: every row is drawn at its place."""

from reproduce._press.intervals import Interval
from reproduce.pictures.panels import panels
from reproduce.pictures.rounds import Row, every_round
from reproduce.pictures.speed_ups import speed_ups


def test_every_round_is_a_dot_and_the_first_row_is_the_highest():
    (axis,) = every_round([Row("a", [1.0, 2.0]), Row("b", [3.0])], "seconds").axes
    assert [len(line.get_xdata()) for line in axis.lines] == [2, 1]
    low, high = axis.get_ylim()
    assert low > high and axis.get_xlim()[0] == 0


def test_left_of_the_edge_a_word_stands_for_the_dot():
    _, (axis,) = panels([""], (4, 2))
    found = [Interval(2, 1.5, 3), Interval(0, 0, 0), Interval(0.2, 0.1, 3), None]
    speed_ups(axis, [(one, "ours") for one in found], 0.4, None)
    assert [text.get_text() for text in axis.texts] == ["never", "below"]
    assert axis.get_xticks().tolist() == [1, 2, 5, 10, 20]
