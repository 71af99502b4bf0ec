"""Guards reproduce/new_data/missing_in_prior: each feature sees what it is named after, and rows hold no curve."""

import math

import numpy as np
import pandas as pd
import pytest

from curvecast.curves.tuning_and_test import side
from reproduce.new_data.missing_in_prior import features, question
from reproduce.new_data.missing_in_prior.question import Config
from tests.protocols.made_up_tables import Made, write

N = 60
NOISE = np.random.default_rng(0).standard_normal(N)
SMALL = Config(("lcdb11", "taskset"), 6, 12, (50,))


def remembered(share: float) -> np.ndarray:
    r = NOISE.copy()
    for i in range(1, N):
        r[i] += share * r[i - 1]
    return r


def test_memory_and_slow_waves_are_those_of_the_noise():
    """Independent noise has neither; noise that remembers has both."""
    assert abs(features.memory(NOISE)) < 0.3 and features.waves(NOISE) < 0.35
    assert features.memory(remembered(0.9)) > 0.6 and features.waves(remembered(0.9)) > 0.5
    assert features.waves(np.cos(np.pi * 2 * (np.arange(N) + 0.5) / N)) == pytest.approx(1)


def test_noise_that_falls_settles():
    assert features.settles(NOISE * np.arange(1, N + 1) ** -1.0) < -1 < features.settles(NOISE)


def test_a_few_wild_points_are_tails():
    wild = NOISE.clip(-2, 2)
    assert features.tails(wild) == 0
    wild[[5, 30, 50]] = 15
    assert features.tails(wild) == pytest.approx(3 / N)


def test_a_jump_is_one_whether_it_lasts_or_not_and_a_drift_is_none():
    drift = NOISE + np.arange(N)
    assert features.jump(drift) < 6 < features.jump(drift + 20 * (np.arange(N) > 30))


def test_what_still_rises_when_the_fit_is_flat_rises_at_the_end():
    end = np.maximum(np.arange(N) - 40, 0)
    assert features.rise(NOISE * 0.1 + end) > 1 and features.rise(NOISE * 0.1 - end) < -1


def test_values_that_repeat_lie_at_a_bound_or_fall():
    """A half is its first value alone; what falls is a mean of five points."""
    y = np.array([0.0, 0.5, 0.5, 1.0, 1.0, *[0.9] * 5, *[0.4] * 5])
    told = features.features(y, y - y.mean())
    assert told["bound"] == pytest.approx(3 / 15) and told["repeated"] == pytest.approx(1 - 5 / 15)
    assert told["falls"] == pytest.approx(0.94 - 0.4)


def test_a_curve_that_is_met_exactly_has_a_size_and_no_other_feature():
    told = features.features(np.full(N, 0.5), np.zeros(N))
    assert told["size"] == math.log(features.TINY) and math.isnan(told["memory"]) and math.isnan(told["jump"])


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Of a folder of two sources, with rising curves whose noise remembers, and of two priors."""
    made = []
    for file, source, metric, most in (
        ("lcdb11_valid_error.csv.gz", "lcdb11", "validation_error_rate", 1),
        ("taskset_rnn12_valid_loss.csv.gz", "taskset", "valid_loss", ""),
    ):
        for i in range(30):
            noise = np.convolve(np.random.default_rng(i).standard_normal(80), np.full(20, 0.05))[:60]
            values = 0.3 + 0.5 * np.arange(1.0, 61) ** -0.7 + 0.02 * noise
            made.append(Made(file, source, f"task {i}", f"group {i}", metric, True, most, values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURVECAST_DATA", str(write(tmp_path_factory.mktemp("tables"), made)))
        parts = [
            question.measure(SMALL, part, {})
            for part in ("lcdb11", "taskset", "paper", "laws", "test-lcdb11", "test-taskset")
        ]
        return pd.concat(parts, ignore_index=True)


def test_rows_are_statistics_of_curves_that_may_be_looked_at(rows):
    """A line a curve; source, group and licence stand in it, and its values do not."""
    found = rows[~rows["row"].str.startswith(question.TESTED)]
    assert tuple(found) == question.TABLES["rows"] and len(found) == 2 * 6 + 2 * 12
    real = found[found["row"].isin(["lcdb11", "taskset"])]
    assert all(
        side(source, group) == "look" for source, group in zip(real["source"], real["group"], strict=True)
    )
    assert set(real["licence"]) == {"made up"} and real["learns"].all() and np.isfinite(found["size"]).all()


def test_claims_and_the_figure_follow_the_rows(rows):
    """Noise that remembers is told from that of the prior; what is not measured yet says nothing."""
    more = question.excess(rows).get("memory")
    assert more is not None and more.value > 0.3
    claims = {claim.name: claim for claim in question.claims(rows)}
    assert claims["remembers"].value == more.value
    tested = rows[rows["row"].str.startswith(question.TESTED)]
    assert len(tested) == 2 * 6 and all(
        side(*pair) == "judge" for pair in zip(tested["source"], tested["group"], strict=True)
    )
    assert question.further(rows) is not None and question.further(rows.drop(tested.index)) is None
    assert not any(claim.tested() for claim in question.claims(rows[rows["row"] == "lcdb11"]))


def test_own_runs_are_read_from_the_rows_of_their_question():
    """The loss is turned round, so that more is better."""
    steps = np.arange(1, 31)
    own = {
        "runs": pd.DataFrame([{"run": "a", "learner": "mlp", "task": "wine", "group": "g", "seed": 0, "x": "epoch",
                               "classes": 2, "guess": 0.5, "broke": math.nan, "settings": "{}"}]),
        "rows": pd.DataFrame({"run": "a", "step": steps, "accuracy": 0.9 - 0.4 / steps, "loss": 0.2 + 0.5 / steps}),
    }  # fmt: skip
    for metric in ("accuracy", "loss"):
        line = question.measure(SMALL, f"own-{metric}", {"own_curves": own}).iloc[0]
        assert line["group"] == "g" and line["points"] == 30 and line["learns"] and line["falls"] == 0


def test_the_distance_of_two_samples_is_none_or_one():
    found = pd.DataFrame({"row": ["taskset"] * 9 + ["paper"] * 9 + ["laws"] * 9, "learns": True, "points": 50,
                          "source": "x", "memory": [*range(9), *range(9), *range(100, 109)]})  # fmt: skip
    own = question.real(found)["taskset"]
    assert question.distance(own["memory"], question.reference(found, "paper", own)["memory"]) == 0
    assert question.distance(own["memory"], question.reference(found, "laws", own)["memory"]) == 1
