"""Guards reproduce/backbones/by_curve.py: who is ahead on how many curves, and losses that go together."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from reproduce.backbones import by_curve
from reproduce.backbones._rows import PFN, part

NAMES = ("GRU", "LSTM", "minGRU", "CNN", "H3", "S4", "Mamba")


def rows(**lost: np.ndarray) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame({"part": part(name.replace("_", " ")), "curve": range(len(of)), "lost": of})
        for name, of in lost.items()
    )


def test_a_row_that_loses_less_on_three_of_four_curves_leads_on_these():
    attention = np.full(400, 0.2)
    gru = np.where(np.random.default_rng(0).permutation(400) % 4, 0.1, 0.3)
    found = pd.concat([rows(GRU=gru, Elman=attention + 1), rows(x=attention).assign(part=part(PFN))])
    stated = {claim.name: claim for claim in by_curve.claims(found)}
    assert stated["best_leads_on_most"].value == pytest.approx(0.75, abs=0.06)
    assert stated["best_leads_on_most"].holds() and stated["elman_leads_on_some"].holds() is False
    figure = by_curve.draw(found)["curves"]
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["Elman", "GRU"]
    plt.close(figure)


def test_losses_on_the_same_curves_are_correlated():
    noise = np.random.default_rng(0).normal(size=(8, 200))
    shared = rows(**{name: noise[0] + 0.1 * noise[i] for i, name in enumerate(NAMES, 1)})
    alone = rows(**{name: noise[i] for i, name in enumerate(NAMES, 1)})
    together = [by_curve.claims(one)[-1] for one in (shared, alone)]
    assert together[0].holds() and together[1].holds() is False


def test_nothing_is_claimed_of_no_training():
    assert all(
        claim.found is None for claim in by_curve.claims(pd.DataFrame(columns=["part", "curve", "lost"]))
    )
