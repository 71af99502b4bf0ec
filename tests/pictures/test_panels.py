"""Guards reproduce/pictures/panels.py: one panel a title, one legend, plain numbers."""

from reproduce.pictures.panels import legend, panels, ticks


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
