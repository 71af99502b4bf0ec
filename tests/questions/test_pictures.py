"""Guards reproduce/pictures: what was measured is drawn at its place, and all of it can be seen."""

import pandas as pd

from reproduce._press.intervals import Interval
from reproduce.pictures.panels import bands, dots, panels, speed_ups


def test_a_dot_stands_in_its_row_and_what_was_not_measured_has_none():
    _, (axis,) = panels([""], (4, 2))
    dots(axis, [("a", Interval(1, 0.5, 2)), ("b", None), ("c", Interval(3, 2.5, 3.5))], fmt="o")
    (line,) = axis.containers[0].lines[:1]
    assert line.get_xdata().tolist() == [1, 3] and list(line.get_ydata(orig=True)) == ["a", "c"]
    (bars,) = axis.containers[0].lines[2]
    assert [segment[:, 0].tolist() for segment in bars.get_segments()] == [[0.5, 2], [2.5, 3.5]]


def test_a_band_lies_between_its_two_columns():
    _, (axis,) = panels([""], (4, 2))
    rows = pd.DataFrame({"low": [0.1, 0.2], "high": [0.5, 0.9]})
    bands(axis, pd.Series([1, 2]), rows, "#0072b2", {("low", "high"): 0.3}, "90 %")
    box = axis.collections[0].get_paths()[0].get_extents()
    assert (box.ymin, box.ymax) == (0.1, 0.9) and axis.collections[0].get_label() == "90 %"


def test_left_of_the_edge_a_word_stands_for_the_dot():
    _, (axis,) = panels([""], (4, 2))
    found = [Interval(2, 1.5, 3), Interval(0, 0, 0), Interval(0.2, 0.1, 3), None]
    speed_ups(axis, [(one, "ours") for one in found], 0.4, None)
    assert [text.get_text() for text in axis.texts] == ["never", "below"]
    assert axis.get_xticks().tolist() == [1, 2, 5, 10, 20]
