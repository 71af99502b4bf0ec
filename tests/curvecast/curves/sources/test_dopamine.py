"""Guards curvecast/curves/sources/dopamine.py, on a made-up clone of three games."""

import json

import pytest

from curvecast.curves.sources import dopamine
from curvecast.ground.errors import UserError


def game(clone, name, rows):
    folder = clone / dopamine.ORIGIN.folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(rows))


def runs(agent, iteration, values):
    return [{"Iteration": iteration, "Value": value, "Agent": agent} for value in values]


def test_the_mean_over_five_runs(tmp_path):
    """An iteration that a run lacks is no point; alien is taken, its variants and pong are not."""
    rows = [
        row for agent in dopamine.AGENTS for i in (0, 1) for row in runs(agent, i, [i + k for k in range(5)])
    ]
    for name in ("alien", "alien_CNN", "alien.vg", "pong"):
        game(tmp_path, name, rows + runs("DQN", 2, [9.0] * 4) + runs("JaxDQN", 0, [9.0] * 5))
    found = list(dopamine.read(tmp_path))
    assert [curve.curve_id for curve in found] == [f"alien/{agent}" for agent in dopamine.AGENTS]
    assert found[0].points() == [(0, 2.0), (1, 3.0)] and found[0].measure.low is None


def test_another_layout_is_told_with_the_file(tmp_path):
    game(tmp_path, "alien", [{"Iteration": 0, "Agent": "DQN"}])
    with pytest.raises(UserError, match=r"alien\.json is not laid out .*'Value'"):
        list(dopamine.read(tmp_path))
