"""Guards reproduce/porting/porting/question.py: claims follow from their rows and can fail, seeds count, and nothing needs
all parts."""

import numpy as np
import pandas as pd
import pytest

from curvecast.ground.errors import UserError
from reproduce._press import style
from reproduce.porting.porting import old_scores, ports_by_name, tables
from reproduce.porting.porting import question as porting
from reproduce.porting.porting import rows as said
from reproduce.porting.porting.old_scores import STEPS
from reproduce.porting.porting.ports_by_name import TABLE, Length, course

LUCK = np.random.default_rng(0).normal(size=200) ** 2  # of each curve, the same for all methods


def each(errors: dict[str, float], seeds: int = 3) -> pd.DataFrame:
    """Rows as they are measured: squared errors of a point around these, varying by curve and seed."""
    frames = []
    for model, error in errors.items():
        for seed in range(1 if model in said.UNTRAINED else seeds):
            noisy = error * (1 + 0.1 * LUCK + 0.02 * seed)
            columns = {
                "off": 1.1 * noisy,
                "noisy": noisy,
                "clean": noisy / 2,
                "near": noisy / 4,
                "far": noisy,
            }
            frames.append(pd.DataFrame(columns | {"model": model, "seed": seed, "curve": range(len(LUCK))}))
    return pd.concat(frames, ignore_index=True)


AS_EXPECTED = {"lcpfn": 0.004, "lcpfn-clean": 0.0004, "last-value": 0.0065}
AS_EXPECTED |= dict.fromkeys(TABLE, 0.03) | {f"{model}-mended": 0.005 for model in TABLE}


def verdicts(errors: dict[str, float], seeds: int = 3) -> dict[str, bool | None]:
    return {claim.name: claim.holds() for claim in porting.claims({"each": each(errors, seeds)})}


def test_the_story_as_expected_holds():
    """Ports whose error is as printed and above the last value, and repaired ones below it."""
    found = verdicts(AS_EXPECTED)
    for model in (name.replace("-", "_") for name in TABLE):
        for claim in ("again", "loses", "mended_beats_last", "mended_helps"):
            assert found[f"{model}_{claim}"] is (claim != "loses"), (model, claim)
    assert found["lcpfn_in_their_unit"] is True


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"small": 0.2}, "small_again"),
        ({"small": 0.005}, "small_loses"),
        ({"small-mended": 0.02}, "small_mended_beats_last"),
        ({"small-mended": 0.05}, "small_mended_helps"),
        ({"lcpfn": 0.0005}, "lcpfn_in_their_unit"),
    ],
)
def test_each_claim_could_fail(change, name):
    """Other errors give the other answer."""
    expected = name != "small_loses"
    assert verdicts(AS_EXPECTED)[name] is expected
    assert verdicts(AS_EXPECTED | change)[name] is (not expected)


def test_one_training_has_no_verdict():
    """Seed-to-seed variation is unknown with one seed, and so is the answer; what is not trained needs no seeds."""
    found = verdicts(AS_EXPECTED, seeds=1)
    assert found["small_loses"] is None and found["lcpfn_in_their_unit"] is True
    assert verdicts({"lcpfn": 0.004})["small_again"] is None


def test_an_interval_counts_curves_and_seeds():
    """With equal seeds only the curves count; seeds that differ make it wider than Student's t of their means."""
    frame = pd.DataFrame({0: LUCK, 1: LUCK, 2: LUCK})
    calm = said._interval(frame, still=False)
    groups = frame[0].groupby(np.arange(200) // 5).mean()  # curves that were forecast together count as one
    assert calm.high - calm.value == pytest.approx(1.96 * groups.sem())
    wild = said._interval(frame + np.array([0.0, 1.0, 2.0]), still=False)
    assert wild.high - wild.value > 4.3 / 3**0.5  # t(0.975, 2) * 1 / sqrt(3)


def test_the_waterfall_ends_where_it_should():
    """Its first step is a mean of a point without noise, its last the last column scored one epoch off."""
    found = said.in_order(each(AS_EXPECTED))
    assert found[0][1] == pytest.approx(0.0002 * (1 + 0.1 * LUCK.mean()))
    assert found[-1][0] == "scored one epoch off"
    assert found[-1][1] == pytest.approx(STEPS * 1.1 * 0.03 * (1.02 + 0.1 * LUCK.mean()))


def test_missing_parts_leave_holes_and_no_errors():
    """Without any training there are tables and figures of what is there."""
    rows = {"each": each({"lcpfn": 0.004, "lcpfn-clean": 0.0004, "last-value": 0.0065})}
    assert set(tables.tables(rows)) == {"printed", "again", "honest", "causes", "distance", "rules"}
    assert set(porting.draw(rows)) == {"waterfall", "again"}


def test_the_figure_of_the_ports_has_a_dot_for_each_seed():
    """Beside its interval each row shows every training, at its own mean; their mean is the marker's."""
    rows = {"each": each(AS_EXPECTED, seeds=4)}
    with style.scheme("light"):
        figure = porting.draw(rows)["again"]
    dots = [line.get_xdata() for line in figure.axes[0].lines if line.get_marker() == "."]
    assert [len(found) for found in dots] == [4] * 2 * len(TABLE)
    marked = said.mean(rows["each"], TABLE[0], "off", STEPS)
    assert marked is not None and np.mean(dots[0]) == pytest.approx(marked.value)
    assert len(set(dots[0])) == 4


def test_every_model_of_the_configs_can_be_trained():
    """Each name has a course; another name is refused with the choices."""
    for config in porting.SCALES.values():
        assert all(course(model, config.length) for model in config.models)
    with pytest.raises(UserError, match="small-free-euclidean-mended"):
        course("tiny", Length())


def test_only_means_one_fault():
    """Each `only` model differs from the mended one in a single setting."""
    base = course("small-mended", Length())
    for model in ("only-data", "only-dropout", "only-axis", "only-place", "only-euclidean"):
        other = course(model, Length())
        port = sum(getattr(base.port, f) != getattr(other.port, f) for f in base.port.__dataclass_fields__)
        rest = sum(getattr(base, f) != getattr(other, f) for f in base.__dataclass_fields__ if f != "port")
        assert port + rest == 1, model
    kept = course("small", Length())
    assert kept.port == ports_by_name.KEPT and kept.curves == Length().curves


def test_a_perfect_forecast_has_no_error_but_one_epoch_off():
    """Scored against itself the clean curve has no error; scored against the next epoch it has."""
    from curvecast.curves.prior import Curves, test_set

    curves = test_set(20)
    pure = Curves(curves.clean, curves.clean, curves.sigma)
    scores = old_scores.per_curve(curves.clean[:, 15:], pure)
    assert all((scores[name] == 0).all() for name in ("noisy", "clean", "near", "far"))
    assert (scores["off"] > 0).any()


def test_intervals_count_the_groups_in_which_curves_were_forecast():
    """One number in two places: settings say how many go in together, intervals count as many once."""
    assert {config.group for config in porting.SCALES.values()} == {said.GROUP}
