"""Guards reproduce/rival: how another program is asked, what DeepHyper’s is made to say, which lines of code are counted."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from curvecast.ground.errors import UserError
from curvecast.scores.quantile_scores import LEVELS
from reproduce.new_data import deephyper_model
from reproduce.protocols.real_curve import trial
from reproduce.rival import deephyper_program, partner, used_lines
from reproduce.rival.partner import Rival

# ----------------------------------------------------------------------------------------------- a program beside ours

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
def stub(tmp_path, monkeypatch):
    """A program that answers each request with the request itself."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    monkeypatch.setattr(partner, "PACKAGE", (str(path),))
    return Path(sys.executable)


def test_without_the_reference_one_sentence_says_what_to_do(tmp_path):
    """The environment of the reference is made by make bench."""
    with pytest.raises(UserError, match=r"not installed .* run `make bench`"):
        Rival(1, python=tmp_path / "python")


def test_the_rival_answers_line_by_line(stub):
    """What is asked comes back; a request may be begun and its answer fetched later."""
    with Rival(1, python=stub) as rival:
        assert rival.versions == {"do": "hello", "threads": 1}
        rival.begin("prior", curves=3)
        assert rival.answer() == {"do": "prior", "curves": 3}


def test_a_rival_that_dies_is_reported_with_its_last_words(stub):
    """No hang and no traceback: a UserError with what it said last."""
    with Rival(1, python=stub) as rival, pytest.raises(UserError, match=r"status 1 .*it broke"):
        rival.ask("fail")
    assert rival.process.returncode is not None


# ----------------------------------------------------------------------------------------------------------- DeepHyper


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


@pytest.fixture(scope="module")
def trials():
    """Made-up curves."""
    rng, x = np.random.default_rng(0), np.arange(1.0, 41)
    return [trial(0.9 - 0.5 * x**-0.8 + rng.normal(0, 0.01, 40), 0.0, 1.0, False) for _ in range(2)]


class DeepHyper:
    """Answers at once: the curve without any width, the points with some."""

    def __init__(self):
        self.asked = []

    def ask(self, do, **request):
        self.asked.append((do, request))
        if do == "again":
            return {"again": 0.0, "new": 0.5}
        flat = np.repeat(0.8 + 0.1 * (LEVELS[:, None] - 0.5), request.get("ahead", 0), 1)
        return {"points": flat.tolist(), "curve": (0 * flat + 0.8).tolist(), "seconds": 5.0, "moved": 0.0}


def test_it_is_told_what_was_seen_and_nothing_else(trials):
    """With fewer epochs than its stopper waits for it is not asked, and has no score. Each reading has its own quantiles."""
    program = DeepHyper()
    told = deephyper_model.theirs(program, "package", trials[:1], (5, 20), seed=7)
    ((_, request),) = program.asked
    assert request["y"] == trials[0].seen[:8].tolist() and request["ahead"] == 32 and request["seed"] == 27
    assert told["rows"]["crps"].isna().tolist() == [True, True, False, False]
    assert told["starts"]["moved"].isna().tolist() == [True, False]
    rows = told["rows"].dropna(subset=["crps"]).set_index("method")
    assert rows.loc["points", "in90"] > rows.loc["curve", "in90"]


def test_both_kinds_have_the_same_luck_and_only_one_is_mended(trials):
    """Names of methods tell them apart."""
    programs = {kind: DeepHyper() for kind in ("package", "mended")}
    told = [deephyper_model.theirs(program, kind, trials, (20,), 0) for kind, program in programs.items()]
    asked = programs["mended"].asked
    assert asked[0][0] == "mend" and asked[1:] == programs["package"].asked
    assert {name for one in told for name in one["rows"]["method"]} == set(deephyper_model.WAYS)


def test_the_curve_of_the_check_is_another_one_only_behind_its_first_epochs(trials):
    """Else the check would say nothing."""
    program = DeepHyper()
    deephyper_model.refit_vs_fresh(program, trials[0], 0)
    ((_, request),) = program.asked
    same = np.array(request["y"]) == np.array(request["other"])
    assert same[: deephyper_model.LEAST].all() and not same[deephyper_model.LEAST :].any()


def test_only_forecasts_that_all_gave_are_compared():
    """What one refused is in the comparison of nobody, and the table counts what was given."""
    methods = ("shipped", "last", "points")
    lines = [
        ("accuracy-epoch", curve, 20, method, 1.0 + curve, 1.0, 0.9, 1.0)
        for curve in range(10)
        for method in methods
    ]
    about = [("accuracy-epoch", curve, f"run-{curve}", f"group-{curve}") for curve in range(10)]
    made = {
        name: pd.DataFrame(own, columns=[*deephyper_model.TABLES[name]])
        for name, own in (("rows", lines), ("curves", about))
    }
    made["rows"].loc[2, ["crps", "error", "in90"]] = np.nan  # the points of the first curve
    assert set(deephyper_model.common(made)["curve"]) == set(range(1, 10))
    table = deephyper_model.tabulate(made)["accuracy_epoch"].set_index("method")["forecasts"]
    assert table[deephyper_model.WAYS["points"]] == "9 of 10" and table["last value"] == "10 of 10"


# ------------------------------------------------------------------------------------------------------- lines of code

SOURCE = '''"""Of a file."""

ALWAYS = 1


class Shape:
    """Of a class."""

    kind = "a"  # a setting

    def __init__(self, sides):
        """Of a method."""
        # a comment

        self.sides = [
            one
            for one in sides
        ]

    @property
    def many(self):
        return len(self.sides)

    def unused(self):
        return None


def make(sides):
    return Shape(sides).many


def idle():
    return lambda x: (
        x
    )
'''


EXPECTED = {"Shape": (2, 2), "Shape.__init__": (5, 2), "Shape.many": (3, 3), "make": (2, 2)}


def loaded(path: Path):
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("shape", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_code_that_is_entered_counts_and_nothing_else(tmp_path):
    """No docstring, comment or blank line, no method that is not called; a class by its line and its settings."""
    module = loaded(tmp_path / "shape.py")
    found = used_lines.used(lambda: module.make([1, 2]), tmp_path)
    assert {str(row["name"]): (row["lines"], row["statements"]) for row in found} == EXPECTED
    assert {row["file"] for row in found} == {"shape.py"}


def test_a_lambda_counts_alone_where_only_it_is_entered(tmp_path):
    """As the makers of layers that a file of settings hands over."""
    call = loaded(tmp_path / "shape.py").idle()
    (found,) = used_lines.used(lambda: call(1), tmp_path)
    assert found == {"file": "shape.py", "name": "idle.lambda", "lines": 3, "statements": 1}
