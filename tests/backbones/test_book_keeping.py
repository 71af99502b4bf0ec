"""Guards reproduce/backbones/book_keeping: the formula, on shapes that can be counted by hand."""

from dataclasses import replace

from reproduce.backbones.book_keeping import question as book_keeping
from reproduce.backbones.book_keeping.question import Config
from reproduce.backbones.book_keeping.sizes import Shape


def test_parameters_are_those_of_a_layer_counted_by_hand():
    """Width 4, two heads of 2: four 4 x 4 matrices, 4 x 8 and 8 x 4."""
    shape = Shape(layers=1, width=4, heads=2, head_width=2, kv_heads=2, feed=8, matrices=2)
    assert shape.parameters == 4 * 16 + 2 * 32
    assert replace(shape, layers=3).parameters == 3 * shape.parameters
    assert replace(shape, vocabulary=10, embeddings=2, positions=5).parameters == shape.parameters + 80 + 20
    one_key = replace(shape, kv_heads=1)
    assert shape.parameters - one_key.parameters == 2 * 4 * 2
    assert shape.cache(7) == 2 * one_key.cache(7) == 2 * 7 * 4


def test_ours_are_what_torch_counts():
    """Numbers of the module itself, and products of its own counter; a different width is off."""
    ours = book_keeping.measure(Config((10,)), "all")["ours"]
    assert list(ours["parameters"]) == list(ours["counted"])
    assert list(ours["products"]) == list(ours["counted_products"])
