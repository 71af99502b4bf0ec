"""Guards reproduce/backbones/book_keeping/task_shapes.py: what each task reads is not what it is asked."""

from reproduce.backbones.book_keeping import task_shapes


def test_nothing_is_asked_that_was_given():
    """Only step by step are there epochs that go in and come out: each is asked before it is given."""
    for name, (_, inside, outside) in task_shapes.SHAPES.items():
        assert bool(set(inside) & set(outside)) == ("step" in name)
        assert max(outside) > max(inside)
