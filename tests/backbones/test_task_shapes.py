"""Guards reproduce/backbones/book_keeping/task_shapes.py: each panel marks what its task reads and what it is asked."""

import matplotlib.pyplot as plt

from reproduce.backbones.book_keeping import task_shapes


def test_each_panel_is_a_task_and_one_is_ours():
    figure = task_shapes.draw()
    titles = [axis.get_title(loc="left") or axis.get_title() for axis in figure.axes]
    assert titles == list(task_shapes.SHAPES) and task_shapes.ASKED in titles
    plt.close(figure)


def test_nothing_is_asked_that_was_given():
    """Only step by step are there epochs that go in and come out: each is asked before it is given."""
    for name, (_, inside, outside) in task_shapes.SHAPES.items():
        assert bool(set(inside) & set(outside)) == ("step" in name)
        assert max(outside) > max(inside)
