"""Guards reproduce/reproduction/speed/question.py and what it rests on; nothing is timed, a stub plays the reference."""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.ground.errors import UserError
from reproduce._press import style
from reproduce.reproduction.speed import equal_time
from reproduce.reproduction.speed import question as speed
from reproduce.rival import partner
from reproduce.rival.partner import Rival

CONFIG = speed.SCALES["laptop"]
STUB = """
import json, sys
print("a lot of talk", file=sys.stderr)
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "fail":
        sys.exit("it broke")
    print(json.dumps(request), flush=True)
"""


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that answers each request with the request itself."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    monkeypatch.setattr(partner, "PACKAGE", (str(path),))
    return Path(sys.executable)


def timed(factor: float) -> pd.DataFrame:
    """Rows in which ours is `factor` times as fast as the reference in every setting."""
    rows = []
    for number in range(1, 10):
        for what, program, setting in {
            key for above, below, *_ in speed.RATIOS.values() for key in (above, below)
        }:
            rate = 1000 if what == "prior" else 10
            value = rate * (factor if program == "ours" else 1) * (1 + 0.01 * number)
            row = {"what": what, "program": program, "setting": setting, "round": number}
            rows.append(row | {"value": value, "unit": "curves/s", "part": "throughput"})
    return pd.DataFrame(rows)


def judged(gain: float, our_seconds: float = 900.0) -> pd.DataFrame:
    """Rows in which ours is `gain` nats above the reference on each of 400 curves, give or take 0.1."""
    noise = torch.linspace(-0.1, 0.1, 400, dtype=torch.float64)[:, None].expand(-1, 3)
    budget = {
        "ours": {"curves": 5, "seconds": 9.0, "cpu_seconds": our_seconds},
        "reference": {"curves": 3, "seconds": 9.0, "cpu_seconds": 1000.0},
    }
    theirs = torch.ones(400, 3, dtype=torch.float64)
    return equal_time.compared("likelihood", CONFIG.cutoffs, theirs + gain + noise, theirs, budget)


def verdict(rows: pd.DataFrame) -> dict[str, bool | None]:
    return {claim.name: claim.holds() for claim in speed.claims(rows, CONFIG)}


def test_a_factor_of_sixty_meets_all_claims_on_speed() -> None:
    """All hold, and the claims on likelihood are open: nothing was measured for them."""
    found = verdict(timed(60))
    assert all(found[name] for name in speed.RATIOS)
    assert all(found[name] is None for name in found if name.startswith("likelihood"))


def test_the_same_speed_fails_the_claims() -> None:
    """With a factor of one nothing holds but that sampling is cheap."""
    found = verdict(timed(1))
    assert [name for name in speed.RATIOS if found[name]] == ["sampling"]
    assert not any(found[name] is None for name in speed.RATIOS)


def test_the_gain_in_likelihood_is_paired_and_judged() -> None:
    """0.4 nats hold the claim of 0.3; 0.2 fail it."""
    assert verdict(judged(0.4))["likelihood-20"] is True
    assert verdict(judged(0.2))["likelihood-20"] is False


def test_more_cpu_time_than_the_reference_makes_the_claim_void() -> None:
    """A gain that took longer is not a gain at equal time."""
    assert verdict(judged(0.4, our_seconds=1001))["likelihood-20"] is None


@pytest.mark.parametrize("rows", [timed(3), judged(0.4), pd.concat([timed(3), judged(0.4)])])
def test_figures_and_tables_take_what_parts_there_are(rows: pd.DataFrame) -> None:
    """Throughput alone, likelihood alone, or both: one figure and one table for each."""
    with style.scheme("dark"):
        figures = speed.draw(rows, CONFIG)
        assert all(style.svg(figure) for figure in figures.values())
    tables = speed.tabulate(rows, CONFIG)
    assert len(figures) == len(tables) == rows["unit"].nunique()
    assert not any(table.isna().any(axis=None) for table in tables.values())


def test_without_the_reference_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    """The environment of the reference is made by make bench."""
    with pytest.raises(UserError, match=r"not installed .* run `make bench`"):
        Rival(1, python=tmp_path / "python")


def test_the_rival_answers_line_by_line(stub: Path) -> None:
    """What is asked comes back; a request may be begun and its answer fetched later."""
    with Rival(1, python=stub) as rival:
        assert rival.versions == {"do": "hello", "threads": 1}
        rival.begin("prior", curves=3)
        assert rival.answer() == {"do": "prior", "curves": 3}


def test_a_rival_that_dies_is_reported_with_its_last_words(stub: Path) -> None:
    """No hang and no traceback: a UserError with what it said last."""
    with Rival(1, python=stub) as rival, pytest.raises(UserError, match=r"status 1 .*it broke"):
        rival.ask("fail")
    assert rival.process.returncode is not None


@pytest.mark.slow
@pytest.mark.skipif(not partner.PYTHON.exists(), reason="needs the reference package: run make bench once")
def test_the_reference_package_samples_trains_and_is_scored(tmp_path: Path) -> None:
    """The repaired package runs on today's torch: a few curves, one step, a likelihood for each."""
    np.savez(tmp_path / "curves.npz", noisy=np.full((3, 100), 0.5, dtype=np.float32))
    files = {"curves": str(tmp_path / "curves.npz"), "answer": str(tmp_path / "answer.npz")}
    recipe = {"emsize": 128, "nlayers": 1, "epochs": 1, "batch_size": 2, "lr": 1e-4}
    with Rival(1) as rival:
        assert rival.versions["lcpfn"] == "0.1.3"
        assert rival.ask("prior", curves=4, batch=2)["curves"] == 4
        spent = rival.ask(
            "recipe", seed=0, cutoffs=[10, 99], changes={"steps_per_epoch": 1}, **files, **recipe
        )
    assert spent["cpu_seconds"] > 0
    with np.load(tmp_path / "answer.npz") as file:
        assert file["log_likelihood"].shape == (3, 2) and np.isfinite(file["log_likelihood"]).all()


def test_requests_are_plain_json() -> None:
    """Recipes go to the other program as they are."""
    for recipe in equal_time.RECIPES.values():
        assert json.loads(json.dumps(recipe.changes)) == recipe.changes
        assert recipe.curves == recipe.epochs * recipe.batch * recipe.changes.get("steps_per_epoch", 100)
