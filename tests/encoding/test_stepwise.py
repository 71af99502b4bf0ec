"""Guards reproduce/encoding/stepwise/question.py: a forecast sees what came before it, reads its own medians, and claims
follow their rows."""

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.networks.dependence import dependence
from curvecast.networks.encodings import EncodingConfig
from curvecast.networks.model import ModelConfig
from reproduce.encoding import _encoded_network
from reproduce.encoding.stepwise import figures_tables_claims, median_forecasts
from reproduce.encoding.stepwise import question as stepwise
from reproduce.encoding.stepwise.stepwise_network import Free

X = torch.arange(1.0, 101)


def net(kind: str = "none", fed: bool = True) -> Free:
    """Random weights: at the start of a training layers pass everything on as it is."""
    torch.manual_seed(0)
    made = Free(ModelConfig(16, 2, 2), torch.linspace(-1, 2, 101), EncodingConfig(kind), fed).eval()
    for p in made.parameters():
        torch.nn.init.normal_(p, std=0.3)
    return made


@pytest.mark.parametrize("kind", ["none", "sincos", "rope", "alibi", "t5"])
def test_a_forecast_depends_on_all_that_came_before_and_on_nothing_later(kind):
    """Gradient of what each token found by each value."""
    y = prior.test_set(1).noisy[:, :8].clone().requires_grad_()
    found, _ = net(kind).follow(X[:8].expand(1, -1), y)
    slope = dependence(found[0].sum(-1), y)[:, 0]  # (8, 8)
    assert torch.equal(slope != 0, torch.ones(8, 8).tril().bool())


def test_the_level_is_the_mean_of_what_came():
    """Of the first value alone at first."""
    y = torch.tensor([[0.2, 0.4, 0.9]])
    _, level = net().follow(X[:3].expand(1, -1), y)
    assert torch.allclose(level, torch.tensor([[0.2, 0.3, 0.5]]))


def test_running_on_is_forecasting_the_next_again_and_again():
    """Three epochs at once are one, with its median taken for data, and one more, and one more."""
    free, y = net("sincos"), prior.test_set(4).noisy[:, :10]
    told, density = free.run_on(X[:13].expand(4, -1), y)
    own = y
    for t in range(10, 13):
        one, alone = free.run_on(X[: t + 1].expand(4, -1), own)
        assert torch.allclose(one[:, 0], told[:, t - 10], atol=1e-5)
        assert torch.allclose(alone.log_p[:, 0], density.log_p[:, t - 10], atol=1e-4)
        own = torch.cat([own, one], 1)
    assert told.shape == (4, 3)


def test_the_next_value_given_true_ones_is_the_first_step_of_running_on():
    free, y = net("rope"), prior.test_set(4).noisy[:, :11]
    _, density = free.run_on(X[:11].expand(4, -1), y[:, :10])
    with torch.no_grad():
        known = free.next_log_density(y)
    assert known.shape == (4, 10)
    assert torch.allclose(known[:, -1], density.log_density(y[:, 10:])[:, 0], atol=1e-3)


def test_the_mask_tells_the_order_where_nothing_else_does():
    """Two earlier values change places: with a causal mask the forecast moves, with the PFN's it does not."""
    y = prior.test_set(1).noisy[:, :6]
    swapped = y[:, [1, 0, 2, 3, 4, 5]]
    x = X[:6].expand(1, -1)
    free = net(fed=False)
    assert (free.follow(x, y)[0][:, -1] - free.follow(x, swapped)[0][:, -1]).abs().max() > 1e-4
    one_shot = [free.read(x, values, X[6:7].expand(1, -1))[0] for values in (y, swapped)]
    assert (one_shot[0] - one_shot[1]).abs().max() < 1e-5


def test_a_table_has_no_answer_beyond_its_length():
    """Its errors on longer curves are missing, those within are not."""
    tasks = median_forecasts.tasks(2, 0)
    learned = net("learned")
    assert median_forecasts.errors(learned, *tasks["longer"]).isnan().all()
    assert not median_forecasts.errors(learned, *tasks["geometric"]).isnan().any()


def rows(values: dict[str, dict[str, float]]) -> dict[str, pd.DataFrame]:
    """Invented rows: each forecaster with its scores, a little different from curve to curve and seed to seed."""
    wobble = 1e-4 * np.arange(20)
    each = []
    for kind, scores in values.items():
        for seed in range(3):
            frame = pd.DataFrame({"part": f"{kind}.{seed}", "curve": range(20)})
            each.append(
                frame.assign(**{name: value + wobble + 1e-4 * seed for name, value in scores.items()})
            )
    return {"each": pd.concat(each, ignore_index=True)}


GOOD = {
    "pfn.none.fed": {"path": 1.9, "near": 0.02, "far": 0.03},
    "free.none.fed": {"path": 1.0, "near": 0.019, "far": 0.05, "next": 2.3},
    "free.none.unfed": {"next": 2.28, "path": 1.2},
    "free.sincos.fed": {"next": 2.31}, "free.sincos.unfed": {"next": 2.29},
    "free.rope.fed": {"next": 2.31}, "free.rope.unfed": {"next": 2.29},
}  # fmt: skip


def test_claims_hold_and_fail_with_the_rows():
    good = {claim.name: claim.holds() for claim in figures_tables_claims.claims(rows(GOOD))}
    assert good == dict.fromkeys(good, True)
    worse = {kind: {name: -value for name, value in scores.items()} for kind, scores in GOOD.items()}
    worse["free.none.unfed"]["next"] = -9.0
    for name in ("sincos", "rope"):
        for fed in ("fed", "unfed"):
            worse[f"free.{name}.{fed}"]["next"] = 0.0
    worse["free.none.fed"] |= {"path": 3.0, "near": 0.1, "far": -1.0}
    bad = {claim.name: claim.holds() for claim in figures_tables_claims.claims(rows(worse))}
    assert not any(bad.values())


def test_one_seed_decides_nothing():
    """Seed-to-seed variation is unknown then, so there is no answer."""
    some = {"each": rows(GOOD)["each"].loc[lambda each: each["part"].str.endswith(".0")]}
    assert not any(claim.tested() for claim in figures_tables_claims.claims(some))


def test_parts_name_their_cells():
    parts = stepwise.parts(stepwise.SCALES["laptop"])
    assert parts[:3] == ["pfn.none.fed.0", "free.none.fed.0", "free.none.unfed.0"]
    assert len(parts) == 3 * (1 + 2)


def test_one_shot_is_asked_for_the_epochs_that_follow():
    """Its medians are those of its own densities there; step by step they are those of running on."""
    x, y = X[:12].expand(3, -1), prior.test_set(3).noisy[:, :9]
    free = net()
    told, (density,) = median_forecasts.medians(free, x, y)
    assert torch.equal(told, free.run_on(x, y)[0])
    torch.manual_seed(0)
    shot = _encoded_network.Encoded(
        ModelConfig(16, 2, 2), torch.linspace(-1, 2, 101), EncodingConfig("none"), True
    ).eval()
    for p in shot.parameters():
        torch.nn.init.normal_(p, std=0.3)
    told, (density,) = median_forecasts.medians(shot, x, y)
    with torch.no_grad():
        expected = shot.log_density(x[:, :9], y, x[:, 9:], told)
    assert torch.allclose(density.log_density(told), expected, atol=1e-3)
    assert torch.allclose(density.cdf(told), torch.full((3, 3), 0.5), atol=1e-3)
