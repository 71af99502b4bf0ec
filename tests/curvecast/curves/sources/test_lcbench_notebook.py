"""Guards curvecast/curves/sources/lcbench_notebook.py, on a made-up notebook."""

import json

import pytest

from curvecast.curves.sources import lcbench_notebook
from curvecast.ground.errors import UserError

PRINTED = ["Example loss log:\n", " [0.7, 0.6]\n", "\n", "Best:\n", " [50.0, 72.5]\n", "{'a': [1]}\n"]


def notebook(clone, *texts):
    (clone / "notebooks").mkdir()
    cells = [{"cell_type": "markdown"}, *({"outputs": [{"text": text}, {"data": {}}]} for text in texts)]
    (clone / "notebooks" / "API Example.ipynb").write_text(json.dumps({"cells": cells}))


def test_the_two_lists_of_the_cell_that_says_so(tmp_path):
    """Accuracy is printed in percent."""
    notebook(tmp_path, ["[1, 2]\n"], PRINTED)
    loss, accuracy = lcbench_notebook.read(tmp_path)
    assert loss.points() == [(0, 0.7), (1, 0.6)] and not loss.measure.higher_is_better
    assert accuracy.points() == [(0, 0.5), (1, 0.725)] and accuracy.untrained


@pytest.mark.parametrize(
    "texts", [[], [PRINTED, PRINTED], [PRINTED[:2]], [["Example loss log\n", "[f(1)]\n", "[1]\n"]]]
)
def test_another_notebook_is_told(tmp_path, texts):
    """No such cell, two of them, one list, a list that would have to be computed."""
    notebook(tmp_path, *texts)
    with pytest.raises(UserError, match=r"API Example\.ipynb is not laid out"):
        list(lcbench_notebook.read(tmp_path))


@pytest.mark.parametrize("text", ["[0.7, \n", "[0.7] 3\n", "[" * 500 + "\n"])
def test_a_list_that_is_none_is_told(tmp_path, text):
    notebook(tmp_path, [*PRINTED, text])
    with pytest.raises(UserError, match=r"API Example\.ipynb is not laid out"):
        list(lcbench_notebook.read(tmp_path))
