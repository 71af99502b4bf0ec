"""Guards reproduce/craft/_logged.py: a run ends where it diverges, and has the name of its technique."""

import numpy as np
import pandas as pd

from reproduce.craft._logged import runs


def rows(values: list[float], **columns: object) -> pd.DataFrame:
    return pd.DataFrame({"epoch": range(len(values)), "test_accuracy": values, "seed": 0} | columns)


def test_the_untrained_network_is_left_out_and_a_run_ends_where_it_diverges():
    diverging = rows([0.1, *[0.5] * 30, np.nan, 0.5], technique="L2")
    (run,) = runs("overfitting", diverging, ("test_accuracy",), 20)
    assert run.technique == "L2" and run.values.tolist() == [0.5] * 30


def test_a_run_that_is_too_short_is_none():
    assert not list(runs("overfitting", rows([0.1, *[0.5] * 10], technique="L2"), ("test_accuracy",), 20))


def test_a_curve_of_steps_has_a_cost_alone_and_a_network_without_a_norm_does_not_name_it():
    curves = pd.DataFrame(
        {"step": range(20, 620, 20), "loss": 0.5, "seed": 0, "rate": 0.1, "clipping": "with clipping"}
    )
    (run,) = runs("cliff", {"curves": curves}, ("test_accuracy", "test_cost"), 20)
    assert (run.technique, run.metric, len(run.values)) == ("rate 0.1, with clipping", "test_cost", 30)
    network = rows([0.5] * 30, unit="tanh", start="Glorot", depth=5, norm="none", rate=0.1)
    (run,) = runs("starts", {"runs": network}, ("test_accuracy",), 20)
    assert run.technique == "5 tanh, Glorot, rate 0.1"


def test_a_technique_of_several_columns_names_them_all_and_votes_count_once():
    many = rows([0.5] * 30, rate=0.05, schedule="cosine", batch=10)
    (run,) = runs("rates", {"rows": many}, ("test_accuracy",), 20)
    assert run.technique == "rate 0.05, cosine, batch 10"
    members = pd.concat([rows([0.5] * 30, rung="dropout", member=i) for i in range(3)])
    assert len(list(runs("ladder", {"rows": members}, ("test_accuracy",), 20))) == 1
