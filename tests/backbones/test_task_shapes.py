"""Guards reproduce/backbones/_task_shapes.py: each panel marks what its task reads and what it is asked."""

import matplotlib.pyplot as plt

from reproduce.backbones import _task_shapes


def test_each_panel_is_a_task_and_one_is_ours():
    figure = _task_shapes.draw()
    titles = [axis.get_title(loc="left") or axis.get_title() for axis in figure.axes]
    assert titles == list(_task_shapes.SHAPES) and _task_shapes.ASKED in titles
    plt.close(figure)


def test_nothing_is_asked_that_was_given():
    """Only step by step are there epochs that go in and come out: each is asked before it is given."""
    for name, (_, inside, outside) in _task_shapes.SHAPES.items():
        assert bool(set(inside) & set(outside)) == ("step" in name)
        assert max(outside) > max(inside)
