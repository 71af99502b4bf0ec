"""Guards reproduce/pictures/beside_lines.py: names stand apart, in the order of their lines."""

import matplotlib.pyplot as plt

from reproduce.pictures.beside_lines import name_lines


def test_names_of_lines_that_end_together_stand_apart() -> None:
    """Three lines that end at nearly one height have three names with room between them; a lone one stays at its line."""
    figure, axis = plt.subplots()
    axis.set_ylim(0, 1)
    name_lines(
        axis,
        {"b": (0.501, "red"), "a": (0.5, "blue"), "c": (0.502, "green"), "alone": (0.9, "black")},
        room=0.1,
    )
    heights = {text.get_text(): text.get_position()[1] for text in axis.texts}
    assert heights["b"] - heights["a"] >= 0.0999 and heights["c"] - heights["b"] >= 0.0999
    assert heights["alone"] == 0.9
    figure.clear()
