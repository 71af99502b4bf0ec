"""Guards reproduce/new_data/deephyper_model and reproduce/rival/deephyper_program.py, with made-up models where the package
is not installed."""

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.scores.quantile_scores import LEVELS
from reproduce.new_data import deephyper_model as question
from reproduce.protocols.real_curve import trial
from reproduce.rival import deephyper_program, partner

CONFIG = question.SCALES["smoke"]
HERE = any(partner.PYTHON.parents[1].glob("lib/*/site-packages/deephyper"))


def curves(count: int = 2):
    rng = np.random.default_rng(0)
    y = [0.9 - 0.5 * np.arange(1.0, 41) ** -0.8 + rng.normal(0, 0.01, 40) for _ in range(count)]
    return [trial(one, 0.0, 1.0, False) for one in y]


class Fake:
    """A program that answers at once, and refuses one seed."""

    def __init__(self, refused: int = -1):
        self.refused, self.asked = refused, []

    def ask(self, do, **request):
        self.asked.append((do, request))
        if do == "again":
            return {"again": 0.0, "new": 0.5}
        if request.get("seed") == self.refused:
            return {"refused": "no end"}
        flat = np.repeat(0.8 + 0.1 * (LEVELS[:, None] - 0.5), request.get("ahead", 0), 1)
        return {"points": flat.tolist(), "curve": (0 * flat + 0.8).tolist(), "seconds": 5.0, "moved": 0.0}


def test_smoke_scale_runs_without_the_package(smoke_rows):
    """Ours and the simple ones alone."""
    rows = smoke_rows("deephyper_model")
    assert set(rows["rows"]["method"]) == {"shipped", "last", *question.FITS}
    assert len(rows["curves"]) == CONFIG.curves * len(CONFIG.rows)
    assert list(question.tabulate(rows)) == ["accuracy_epoch", "loss_epoch"]


def test_the_model_is_told_what_was_seen_and_nothing_else():
    """With fewer epochs than its stopper waits for it is not asked, and has no score."""
    (one,), fake = curves(1), Fake()
    told = question.theirs(fake, "package", [one], (5, 20), seed=7)
    ((_, request),) = fake.asked
    assert request["y"] == one.seen[:8].tolist() and request["ahead"] == 32 and request["seed"] == 27
    assert told["rows"]["crps"].isna().tolist() == [True, True, False, False]
    assert told["starts"]["moved"].isna().tolist() == [True, False]


def test_ours_have_the_threads_of_the_other_program(monkeypatch):
    """And whoever comes next has those from before."""
    before, had = torch.get_num_threads(), []
    given = question._given
    monkeypatch.setattr(question, "_given", lambda *a: had.append(torch.get_num_threads()) or given(*a))
    rows = question.ours(curves(1), (20,), before + 1)
    assert set(had) == {before + 1} and torch.get_num_threads() == before
    assert rows["crps"].notna().all() and (rows["seconds"] > 0).all()


def test_both_kinds_have_the_same_luck_and_only_one_is_mended():
    """Names of methods tell them apart."""
    package, mended = Fake(), Fake()
    rows = [
        question.theirs(fake, kind, curves(), (20,), 0)["rows"]
        for fake, kind in ((package, "package"), (mended, "mended"))
    ]
    assert mended.asked[0][0] == "mend" and mended.asked[1:] == package.asked
    assert set(rows[0]["method"]) | set(rows[1]["method"]) == set(question.WAYS)


def test_the_curve_alone_has_no_width_here_and_the_points_have():
    """Each reading is scored by its own quantiles."""
    rows = question.theirs(Fake(), "package", curves(1), (20,), 0)["rows"].set_index("method")
    assert rows.loc["points", "in90"] > rows.loc["curve", "in90"]
    assert rows.loc["points", "error"] == pytest.approx(rows.loc["curve", "error"])


def test_the_curve_of_the_check_is_another_one_only_behind_its_first_epochs():
    """Else the check would say nothing."""
    fake = Fake()
    found = question.refit_vs_fresh(fake, curves(1)[0], 0)
    ((_, request),) = fake.asked
    y, other = np.array(request["y"]), np.array(request["other"])
    assert (y[: question.LEAST] == other[: question.LEAST]).all() and (
        y[question.LEAST :] != other[question.LEAST :]
    ).all()
    assert dict(found.itertuples(index=False)) == {"again": 0.0, "new": 0.5}


def rows_of(theirs: float = 2.0, mended: float = 1.0, moved: float = 0.0, in90: float = 0.9) -> dict:
    """Ten curves on which the last value has a CRPS of 1, ours a half."""
    scores = {"shipped": 0.5, "last": 1.0, "mmf4": 1.0, "sum": 1.0, "points": theirs, "curve": theirs,
              "mended points": mended, "mended curve": mended}  # fmt: skip
    lines = [
        ("accuracy-epoch", curve, 20, method, score * (1 + 0.01 * curve), score, 0.5 if "curve" in method else in90,
         0.01 if method == "shipped" else 5.0)
        for curve in range(10) for method, score in scores.items()
    ]  # fmt: skip
    about = [("accuracy-epoch", curve, f"run-{curve}", f"group-{curve}") for curve in range(10)]
    return {
        "rows": pd.DataFrame(lines, columns=list(question.TABLES["rows"])),
        "curves": pd.DataFrame(about, columns=list(question.TABLES["curves"])),
        "starts": pd.DataFrame(
            [("accuracy-epoch", 0, 20, "package", moved), ("accuracy-epoch", 0, 20, "mended", 3.0)],
            columns=list(question.TABLES["starts"]),
        ),
        "again": pd.DataFrame([("again", moved), ("new", 0.5)], columns=list(question.TABLES["again"])),
    }


def verdicts(**change) -> dict[str, bool | None]:
    return {claim.name: claim.holds() for claim in question.claims(rows_of(**change))}


def test_verdicts_follow_the_rows():
    """A model that is twice as bad as the last value does not beat it; mended, as good a one is open."""
    found = verdicts()
    assert found["start_stays"] and found["blind_later"] and found["curve_narrow"] and found["points_hold"]
    assert found["mended_better"] and found["ships_beats"] and found["ships_beats_mended"] and found["slower"]
    assert found["beats_last"] is False and found["beats_least_squares"] is False
    assert verdicts(theirs=0.3)["beats_last"] and verdicts(theirs=0.3)["ships_beats"] is False
    assert verdicts(moved=1.0)["start_stays"] is False and verdicts(moved=1.0)["blind_later"] is False
    assert verdicts(in90=0.5)["points_hold"] is False


def test_only_forecasts_that_all_gave_are_compared():
    """What one refused is in the table of nobody, and its count says so."""
    rows = rows_of()
    refused = (rows["rows"]["method"] == "points") & (rows["rows"]["curve"] == 0)
    rows["rows"].loc[refused, ["crps", "error", "in90"]] = np.nan
    assert set(question.common(rows)["curve"]) == set(range(1, 10))
    table = question.tabulate(rows)["accuracy_epoch"].set_index("method")
    assert table.loc[question.WAYS["points"], "forecasts"] == "9 of 10"
    assert table.loc["last value", "forecasts"] == "10 of 10"


class Posterior:
    """A model of four parameters whose draws are known."""

    def __init__(self, seed: int):
        self.rho_mu_prior_ = np.random.RandomState(seed).standard_normal(4)
        self.mcmc_ = self

    def fit(self, z, y):
        if len(z) < 3:
            raise ValueError("too few")
        self.z = z

    def get_samples(self):
        return {"sigma": np.full(500, 0.1)}

    def predict_posterior_samples(self, z):
        assert (z > self.z[-1]).all()
        return np.linspace(0.7, 0.8, 500)[:, None] + 0 * z


def test_points_are_wider_than_the_curve_by_its_noise(monkeypatch):
    """Quantiles rise, and a start that stays has not moved."""
    program = deephyper_program.Forecasting()
    monkeypatch.setattr(program, "fresh", Posterior)
    told = program.forecast([0.1, 0.2, 0.3], 5, LEVELS.tolist(), seed=3)
    curve, points = np.array(told["curve"]), np.array(told["points"])
    assert curve.shape == points.shape == (len(LEVELS), 5)
    assert (np.diff(points, axis=0) > 0).all() and (points[-1] - points[0] > 2 * (curve[-1] - curve[0])).all()
    assert told["moved"] == 0
    assert program.forecast([0.1], 5, LEVELS.tolist(), seed=3) == {"refused": "too few"}


@pytest.mark.slow
@pytest.mark.skipif(not HERE, reason="needs DeepHyper: run make bench once")
def test_the_package_answers_and_only_mended_its_least_squares_move():
    """As its stopper sets it up."""
    y = curves(1)[0].seen[:8].tolist()
    with partner.Rival(1, program=question.PROGRAM) as rival:
        assert rival.versions["deephyper"]
        plain = rival.ask("forecast", y=y, ahead=2, levels=LEVELS.tolist(), seed=0)
    with partner.Rival(1, program=question.PROGRAM) as rival:
        rival.ask("mend")
        mended = rival.ask("forecast", y=y, ahead=2, levels=LEVELS.tolist(), seed=0)
    assert plain["moved"] == 0 and mended["moved"] > 0
    assert np.array(plain["points"]).shape == (len(LEVELS), 2)
