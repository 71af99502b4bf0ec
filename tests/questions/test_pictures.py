"""Guards reproduce/pictures: what was measured is drawn at its place, and all of it can be seen."""

import pandas as pd
import pytest

from reproduce._press.intervals import Interval
from reproduce.pictures.panels import bands, dots, legend, panels, speed_ups, ticks, window


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


def test_the_window_holds_the_middle_and_is_never_flat():
    _, (axis,) = panels([""], (4, 2))
    window(axis, pd.Series([0.5] * 200 + [100.0]))
    assert axis.get_ylim() == pytest.approx((0.44, 0.56))


def test_the_last_line_may_end_early():
    figure, axes = panels("abcd", (6, 4), 3)
    assert [axis.get_title(loc="center") or axis.get_title(loc="left") for axis in axes] == list("abcd")
    assert len(figure.axes) == 6 and sum(axis.get_visible() for axis in figure.axes) == 4


def test_a_name_stands_once_in_the_legend_whichever_panel_has_it():
    figure, axes = panels("ab", (4, 2))
    for axis, names in zip(axes, (("one",), ("one", "two")), strict=True):
        for name in names:
            axis.plot([0, 1], label=name)
    legend(figure, axes)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["one", "two"]


def test_ticks_are_written_as_numbers_and_stand_alone():
    _, (axis,) = panels("a", (4, 2))
    axis.set_xscale("log")
    ticks(axis, (5, 20, 1000), ",")
    assert [label.get_text() for label in axis.get_xticklabels()] == ["5", "20", "1,000"]
    assert len(axis.get_xticks(minor=True)) == 0


def test_left_of_the_edge_a_word_stands_for_the_dot():
    _, (axis,) = panels([""], (4, 2))
    found = [Interval(2, 1.5, 3), Interval(0, 0, 0), Interval(0.2, 0.1, 3), None]
    speed_ups(axis, [(one, "ours") for one in found], 0.4, None)
    assert [text.get_text() for text in axis.texts] == ["never", "below"]
    assert axis.get_xticks().tolist() == [1, 2, 5, 10, 20]
