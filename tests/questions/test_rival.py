"""Guards reproduce/rival: how another program is asked, what DeepHyper’s is made to say, which lines of code are counted."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from curvecast.ground.errors import UserError
from curvecast.scores.quantile_scores import LEVELS
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
