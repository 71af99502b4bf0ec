"""Guards reproduce/porting/beside/question.py and what it rests on: code is counted by one rule, claims follow from rows and
can fail."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from reproduce.porting.beside import question as beside
from reproduce.porting.beside import rounds
from reproduce.porting.porting import same_weights
from reproduce.rival import partner, used_lines

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


def test_code_elsewhere_does_not_count(tmp_path):
    """Torch and Python are of neither program."""
    (tmp_path / "empty").mkdir()
    module = loaded(tmp_path / "shape.py")
    assert used_lines.used(lambda: module.make([1]), tmp_path / "empty") == []


def measured(factor: float = 0.5, reference: bool = True, apart: float = 0.0) -> dict[str, pd.DataFrame]:
    """Rows in which the port has half the code and takes `factor` times as long."""
    programs = {"port": factor, "reference": 1.0} if reference else {"port": factor}
    code, network, times = [], [], []
    for program, time in programs.items():
        for piece in ("network", "density"):
            count = 10 if program == "port" else 20
            row = {"program": program, "piece": piece, "file": "a.py", "name": "f"}
            code.append(row | {"lines": count, "statements": count})
        network.append({"what": "parameters", "program": program, "value": 400})
        for what in ("training step, dropout 0.2", "training step, no dropout", "forecast"):
            for number in range(1, 10):
                value = 0.01 * time * (1 + 0.01 * number * (program == "port"))
                times.append({"what": what, "program": program, "round": number, "value": value})
    if reference:
        values = {"parameters": 0, "logits": apart, "means": apart}
        network += [{"what": what, "program": "both", "value": value} for what, value in values.items()]
    return {"code": pd.DataFrame(code), "network": pd.DataFrame(network), "times": pd.DataFrame(times)}


def verdicts(**change) -> dict[str, bool | None]:
    return {claim.name: claim.holds() for claim in beside.claims(measured(**change))}


TIMED = ("step_no_slower", "step_without_dropout_no_slower", "forecast_no_slower")


def test_a_short_and_fast_port_of_the_same_network_meets_all_claims():
    """Half the lines, half the seconds, no difference."""
    assert set(verdicts().values()) == {True}


def test_a_slow_port_fails_and_an_equal_one_is_unclear():
    """What is claimed of time can fail; where the interval contains one, the answer is unclear."""
    slow, equal = verdicts(factor=1.5), verdicts(factor=0.95)
    assert [slow[name] for name in TIMED] == [False] * 3
    assert [equal[name] for name in TIMED] == [None] * 3
    assert slow["shorter"] and equal["same_logits"]


def test_another_network_fails():
    """Logits that differ by a tenth come from another network."""
    found = verdicts(apart=0.1)
    assert found["same_logits"] is False and found["same_means"] is False


@pytest.mark.parametrize("reference", [True, False])
def test_tables_take_one_program_or_both(reference):
    """Without the reference package its cells are an ellipsis and no claim has an answer."""
    rows = measured(reference=reference)
    tables = beside.tabulate(rows)
    assert set(tables) == {"beside", "code"}
    assert len(tables["beside"]) == 8 and not tables["beside"].isna().any(axis=None)
    assert ("…" in set(tables["beside"]["reference / port"])) is not reference
    assert reference or {claim.holds() for claim in beside.claims(rows)} == {None}


def test_smoke_scale_runs_without_the_reference_package(tmp_path, monkeypatch):
    """The port is measured alone, and counts as many lines as its page says."""
    monkeypatch.setattr(partner, "PYTHON", tmp_path / "python")
    rows = beside.measure(replace(beside.SCALES["smoke"], rounds=1), "all")
    assert {program for table in rows.values() for program in table["program"]} == {"port"}
    port = rows["code"][rows["code"]["file"] == "port.py"]
    assert set(port["name"]) == {"Port", "Port.__init__", "Port.forward"}
    assert port["lines"].sum() == same_weights.lines()
    assert (rows["times"]["value"] > 0).all() and len(rows["times"]) == 3
    assert all(claim.holds() is None for claim in beside.claims(rows))


@pytest.mark.slow
@pytest.mark.skipif(not partner.PYTHON.exists(), reason="needs the reference package: run make bench once")
def test_the_port_is_the_network_of_the_reference_package():
    """As many parameters; with its weights the same logits and means; all that it is made of is counted."""
    rows = beside.measure(beside.SCALES["smoke"], "all")
    found = {claim.name: claim for claim in beside.claims(rows)}
    assert all(found[name].holds() for name in ("same_parameters", "same_logits", "same_means"))
    theirs = rows["code"][rows["code"]["program"] == "reference"]
    assert {"TransformerModel.forward", "TransformerEncoderLayer.forward", "Normalize.forward"} <= set(
        theirs["name"]
    )
    assert not theirs["name"].str.contains("icdf|init_from_small_model|global_att").any()
    assert set(rows["times"]["program"]) == {"port", "reference"}


def test_the_first_program_changes_every_round():
    """Whatever the first of a pair pays is paid by both."""

    class Still:
        def __init__(self, name):
            self.name = name

        def ask(self, **_):
            asked.append(self.name)
            return {"seconds": 1.0}

    asked: list[str] = []
    programs = {name: Still(name) for name in ("port", "reference")}
    rows = rounds.times(programs, [50], 1, 2)
    first = asked[::6]  # three things to time, two programs
    assert first == ["reference", "port", "reference"]
    assert len(rows) == 2 * 3 * 2  # the round that warms up is not among them


def test_the_buckets_are_part_of_the_density():
    """Of the port three files, of the reference two: what is not the density is the network."""

    class Comparison:
        def __init__(self, *files):
            self.files = files

        def ask(self, do):
            return {"used": [{"file": file, "name": "f", "lines": 1, "statements": 1} for file in self.files]}

    programs = {
        "port": Comparison("bars.py", "buckets.py", "port.py"),
        "reference": Comparison("bar_distribution.py", "layer.py"),
    }
    rows = rounds.code(programs)
    assert rows["piece"].tolist() == ["density", "density", "network", "density", "network"]
