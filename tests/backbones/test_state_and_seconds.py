"""Guards reproduce/backbones/state_and_seconds: what is taken over, what is kept, and which small state is best."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduce.backbones.state_and_seconds import question
from reproduce.backbones.state_and_seconds.question import PFN, SMALL, best_small, state_size


def scores(**ll: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            s: {name: value + 0.01 * s + 0.001 * (s * i % 3) for i, (name, value) in enumerate(ll.items())}
            for s in range(3)
        }
    )


def test_a_training_counts_as_the_mean_over_its_cutoffs_and_the_process_is_left_out():
    line = {"backbone": "GRU", "budget": "time", "seed": 0, "curves": 64}
    rows = pd.DataFrame([
        line | {"ll": 1.0, "lost": 0.3}, line | {"ll": 2.0, "lost": 0.1},
        {"backbone": "Gaussian process", "budget": None, "seed": 0, "curves": 0, "ll": 0.0, "lost": 9.0},
    ])  # fmt: skip
    (found,) = question._over_cutoffs(rows).to_dict("records")
    assert found["backbone"] == "GRU" and found["ll"] == 1.5 and found["lost"] == pytest.approx(0.2)


def test_later_rows_cost_what_they_do_beside_all_others_on_a_slower_day():
    speeds = pd.DataFrame([
        {"backbone": name, "round": i, "step": step, "forecast": step / 100, "kept": 1}
        for name, step in {PFN: 0.1, "GRU": 0.2, "LSTM": 0.4}.items() for i in (1, 2)
    ])  # fmt: skip
    again = {PFN: 0.2, "GRU": 0.4, "LSTM": 9.0, "minGRU": 0.5, "Gaussian process": float("nan")}
    times = pd.DataFrame([
        {"name": name, "round": i, "step": step, "forecast": step / 100} for name, step in again.items() for i in (1, 2)
    ])  # fmt: skip
    found = question._costs(speeds, times).set_index("backbone")
    assert found["step"]["minGRU"] == pytest.approx(0.25)
    assert found["forecast"]["minGRU"] == pytest.approx(0.0025)
    assert found["step"][PFN] == 0.1 and found["state"][PFN] == state_size(PFN, 70)
    assert pd.isna(found["step"]["Gaussian process"]) and "Elman, two layers" not in found.index


def test_fresh_seeds_of_the_leader_are_compared_with_those_of_attention():
    rows = pd.DataFrame([
        {"backbone": name, "budget": question.AGAIN, "seed": seed, "ll": ll + 0.001 * (seed * i % 3), "lost": 0.1}
        for i, (name, ll) in enumerate({"minGRU": 1.9, PFN: 1.8}.items()) for seed in range(10, 18)
    ])  # fmt: skip
    costs = pd.DataFrame({"backbone": [PFN], "state": [9], "longer": [9], "step": [1.0], "forecast": [1.0]})
    found = {one.name: one for one in question.claims({"rows": rows, "costs": costs})}
    assert found["leader_again"].holds() and found["leader_again"].value == pytest.approx(0.1, abs=2e-3)
    assert found["loop_pays_at_equal_time"].value is None


def test_a_recurrent_state_is_small_and_a_cache_grows():
    assert state_size("LSTM", 70) == state_size("LSTM", 1_000) <= SMALL
    assert state_size("transformer, decoder", 700) - 1 == 10 * (state_size("transformer, decoder", 70) - 1)
    assert state_size("Gaussian process", 70) == 70 and state_size("last value", 70) == 2


def test_the_best_small_state_is_held_against_the_best_that_keeps_more():
    table = scores(GRU=1.20, LSTM=1.18, CNN=1.21)
    found = best_small(table, pd.Series(["GRU", "LSTM", "minGRU"]))
    assert found.value == pytest.approx(-0.01, abs=2e-3)
    assert best_small(table, pd.Series(["CNN"])).value == pytest.approx(0.01, abs=2e-3)  # it may be ahead
    assert best_small(table, pd.Series(["minGRU"])) is None


def test_every_row_has_its_name_beside_the_picture():
    costs = pd.DataFrame([
        {"backbone": name, "state": 100, "longer": 100, "step": 0.1, "forecast": 0.01} for name in (PFN, "GRU", "last value")
    ])  # fmt: skip
    figure = question.picture.costs(costs, pd.Series({"last value": 2.0, "GRU": 0.1, PFN: 0.09}), 70)
    assert [text.get_text() for text in figure.axes[1].texts] == ["last value (2.00)", "GRU", PFN]
    plt.close(figure)
