"""Guards reproduce/encoding/encoding_shapes/properties.py: the table of properties, cell by cell."""

import pytest

from curvecast.networks.encodings import ENCODINGS, EncodingConfig
from reproduce.encoding.encoding_shapes.properties import properties

COLUMNS = ("bounded", "injective", "same in each pass", "relative", "beyond 100", "through LayerNorm")
KNOWN = {  # yes, no, or – where the question makes no sense
    "none": "– – y y – –",
    "raw": "n y y n y y",
    "log": "n y y n y y",
    "euclidean": "n y y y y n",
    "sincos": "y y y n y y",
    "learned": "y y y n n y",
    "scrambled-coded": "y y n n n y",
    "scrambled-described": "y y n n n y",
    "rope": "y y y y y y",
    "alibi": "n y y y y y",
    "t5": "y n y y y y",
    "shaw": "y n y y y y",
}
PARAMETERS = {"raw": 128, "log": 192, "learned": 6400, "scrambled-coded": 6400, "scrambled-described": 6400,
              "t5": 64, "shaw": 66}  # fmt: skip


@pytest.mark.parametrize("name", ENCODINGS)
def test_each_cell_of_the_table_is_as_theory_says(name):
    """What is measured on a tiny network is what follows from the formula of the encoding."""
    found = properties(EncodingConfig(name))
    assert " ".join(found[column][0] for column in COLUMNS) == KNOWN[name]
    assert found["parameters"] == f"{PARAMETERS.get(name, 0):,}"


def test_a_short_reach_or_a_short_table_shows():
    """Shaw's table tells all of 100 distances apart if it reaches that far; a table of 200 rows knows epoch 101."""
    assert properties(EncodingConfig("shaw", reach=100))["injective"] == "yes"
    assert properties(EncodingConfig("learned", length=200))["beyond 100"] == "yes"
