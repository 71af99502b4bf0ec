"""Guards reproduce/latent_curves/: what claims compare, and curves that no test set holds."""

import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.latent.gaussian import Normal
from curvecast.latent.variational import VariationalConfig
from reproduce._press import contract
from reproduce.latent_curves import code_shapes, denoised_beginnings, how_many_numbers
from reproduce.latent_curves._curves import batches, training_curves
from reproduce.latent_curves.bits_of_the_past import question as bits
from reproduce.latent_curves.bits_of_the_past import stated, trained, whole
from reproduce.latent_curves.how_many_numbers import BENT, LINEAR, REAL


def answers(claims):
    return {claim.name: (claim.value, claim.answer()) for claim in claims}


def test_curves_to_train_on_are_those_of_no_test_set_and_come_in_equal_pairs():
    x = training_curves(50, 0)
    for test in (prior.test_set(50), prior.second_test_set(50)):
        assert not torch.isclose(x.clean[:, None], test.clean, atol=1e-4).all(2).any()
    noisy, clean = batches(x.noisy, x.clean, seed=1, size=4)(0)
    found = [int((x.clean == one).all(1).nonzero()) for one in clean]
    assert torch.equal(x.noisy[found], noisy)


def test_a_bent_code_must_win_at_its_worst_size_and_against_one_number_more():
    error = {
        LINEAR: (0.03, 0.01, 0.02),
        BENT: (0.03, 0.005, 0.01),
    }  # the third size is best through noise for none
    rows = pd.DataFrame([
        {"code": code, "size": size, "seed": seed, "error": value * (1 + 0.001 * seed), "through_noise": value}
        for code, values in error.items() for size, value in enumerate(values, 1) for seed in range(3)
    ])  # fmt: skip
    real = pd.DataFrame([{"code": code, "size": 2, "task": task, "error": 0.1 + 0.1 * (code == LINEAR)}
                         for code in (LINEAR, REAL) for task in "abc"])  # fmt: skip
    angles = pd.DataFrame({"seed": [0, 1], "size": 1, "angle": [0.2, 1.4]})
    found = answers(how_many_numbers.claims({"rows": rows, "real": real, "angles": angles}))
    assert found["bent_beats_linear"] == (pytest.approx(1), "no") and found["numbers"] == (2, "yes")
    assert found["bending_saves_a_number"][0] == pytest.approx((3 + 0.25) / 2)
    assert found["linear_is_principal"] == (1.4, "no") and found["real_runs"] == (pytest.approx(2), "no")


def test_a_beginning_is_changed_and_what_follows_is_not():
    y, clean = torch.rand(3, 100), torch.zeros(3, 100)
    changed = denoised_beginnings.restored(clean, y, 10)
    assert not changed[:, :10].any() and torch.equal(changed[:, 10:], y[:, 10:])


def test_the_known_family_moves_as_its_parameters_say():
    p = torch.tensor([[0.8, 0.3, 0.0]])
    curve = code_shapes.family(p)[0]
    assert curve[[0, 1, 99]].tolist() == pytest.approx([0.5, 0.65, 0.797])


def test_noise_times_the_root_of_sd_has_twice_the_variance_in_the_example():
    assert stated.spread_of_samples(1) == pytest.approx(0.25, rel=0.01)
    assert stated.spread_of_samples(0.5) == pytest.approx(0.5, rel=0.01)


def test_forecasters_are_compared_seed_by_seed_over_all_cutoffs():
    ll = {("PFN", 1.0): 1.8, ("VAE", 1.0): 1.7, ("last value", 1.0): 1.4}
    ll |= {("bottleneck", beta): value for beta, value in ((10.0, 0.0), (1.0, 1.5), (0.03, 1.9))}
    rows = pd.DataFrame([
        {"model": model, "beta": beta, "seed": seed, "cutoff": cutoff, "bits": 1.0,
         "ll": value + 0.1 * seed + 0.001 * (seed == 1)}
        for (model, beta), value in ll.items() for seed in range(3) for cutoff in trained.CUTOFFS
    ])  # fmt: skip
    rows = contract.load("bits_of_the_past").whole({"rows": rows}, "laptop")
    found = answers(bits.claims(rows, bits.Config(betas=(10.0, 1.0, 0.03))))
    assert found["vae_as_good_as_pfn"] == (pytest.approx(-0.1), "no")
    assert found["code_as_good_as_pfn"] == (pytest.approx(0.1), "yes")
    assert found["few_bits"][0] == pytest.approx(1.5 / 1.9)
    assert found["few_bits_above_last"][0] == pytest.approx(0.178, abs=0.001)
    rows["rows"].loc[rows["rows"]["model"] == "last value", "ll"] += (
        5  # a share of a gain that is none says nothing
    )
    assert (
        answers(stated.on_the_prior(rows["rows"], 0.03, 1.0, 10.0))["few_bits_above_last"][1] == "not tested"
    )
    assert found["elbo_is_close"][1] == found["code_beats_last_on_runs"][1] == "not tested"


def test_on_runs_codes_are_compared_with_rivals_task_by_task():
    crps = {("PFN", 1.0): 0.1, ("VAE", 1.0): 0.2, ("last value", 1.0): 0.3, ("bottleneck", 0.03): 0.4}
    runs = pd.DataFrame([
        {"model": model, "beta": beta, "task": task, "crps": value * (1 + 0.01 * seed) * more}
        for (model, beta), value in crps.items() for seed in range(2) for task, more in (("a", 1), ("b", 5), ("c", 9))
    ])  # fmt: skip
    found = answers(stated.on_runs(runs, cheap=0.03))
    assert found["vae_beats_last_on_runs"] == (pytest.approx(1.5), "yes")
    assert found["code_beats_last_on_runs"] == (pytest.approx(0.75), "no")
    assert found["vae_beats_pfn_on_runs"] == (pytest.approx(0.5), "no")


def test_errors_count_many_draws_and_spreads_compare_drawn_curves_with_fresh_ones():
    class Net:
        config, epochs = VariationalConfig(code=100), 100
        elbo = evidence = staticmethod(lambda x, noise: torch.zeros(64, len(x)))

        def posterior(self, x):
            return Normal(torch.zeros(len(x), 100), torch.ones(len(x), 100))

        def decode(self, code):
            return code

    zero, fresh = torch.zeros(5, 100), 2 * torch.randn(4_000, 100, generator=torch.Generator().manual_seed(1))
    found = whole.of_whole(Net(), zero, zero, fresh)
    assert found["error"] == pytest.approx(1, rel=0.03) and found["spread"] == pytest.approx(0.5, rel=0.05)
    assert found["bits"] == found["elbo"] == 0


def test_the_number_that_costs_most_nats_is_drawn_first():
    class Net:
        config, epochs = VariationalConfig(code=3), 100

        def posterior(self, x):
            return Normal(torch.tensor([[0.1, 3.0, 1.0]]).expand(len(x), 3), torch.ones(len(x), 3))

        def likelihood(self, code):
            mean = code[:, :1] + 10 * code[:, 1:2] + 100 * code[:, 2:] + torch.zeros(len(code), 100)
            return Normal(mean, torch.full((len(code), 1), 1e-6))

    shown = whole.shown(Net(), torch.rand(20, 100)).groupby(["kind", "curve"])["value"].mean()
    assert shown[whole.NUMBERS[0]].tolist() == pytest.approx([-20, -10, 0, 10, 20], abs=1e-4)
    assert shown[whole.NUMBERS[1]].tolist() == pytest.approx([-200, -100, 0, 100, 200], abs=1e-3)
    assert len(shown[whole.FRESH]) == len(shown[whole.DRAWN]) == whole.SHOWN
