"""Guards curvecast/shipped: the network that comes with the package is whole, small, and the one that is written about."""

import json
import shutil
import sys

import numpy as np
import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import doubts, shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.ground import weights
from curvecast.ground.config import canonical
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.train import behaviour
from presswork.contract import ROOT
from reproduce.practice import _card as card
from reproduce.practice import _ship as ship
from reproduce.practice._ship import SEEN, calibrate
from tests.curvecast.refusals import refuses


def test_it_is_small_whole_and_rounded_so_that_the_page_has_the_same():
    """Four megabytes at most, the page's one; the card says what the answers say: `python -m reproduce card` writes it."""
    network, (state, info) = shipped.load(), weights.read(shipped.PATH)
    assert shipped.PATH.stat().st_size < 4e6 and shipped.load() is network
    assert torch_network.load(shipped.PATH).config == ship.TRAIN
    assert {t.dtype for key, t in state.items() if key != "borders"} == {torch.float16}
    planned = weights.read(shipped.PLANNED)[1]
    assert json.loads(planned["config"]) == json.loads(canonical(ship.PLANNED))
    assert shipped.PLANNED.stat().st_size < 1e6
    assert state["borders"].dtype == torch.float32 and json.loads(info["gaps"])["share"] > 0
    meta = json.loads((ship.LIVE / "meta.json").read_text())
    assert np.array_equal(np.float32(meta["borders"]), network.network.buckets.borders)
    assert doubts.Table(**meta["in_prior"]) == network.table
    assert (ship.LIVE / "model.onnx").stat().st_size < 1e6
    assert card.PATH.read_text(encoding="utf-8") == card.card()


def test_every_model_has_a_name_and_is_judged_by_the_table_of_its_prior():
    (path,) = (ROOT / "weights" / "published").glob("ours-1x64-*.safetensors")
    assert shipped.load(str(path)).table == shipped.load("paper-prior").table != shipped.load().table
    assert shipped.load("released").table == shipped.load().table
    assert shipped.BY_NAME.keys() == shipped.TITLES.keys()
    assert all(path.is_file() for path in shipped.BY_NAME.values())
    known = torch_network.load(shipped.path_of("paper-prior")).config
    assert known.prior == PriorConfig() and known.model.features == "epochs"


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path = tmp_path / "mine.safetensors"
    for name, reads_plans in (("planned", True), ("released", False)):
        shutil.copy(shipped.path_of(name), path)
        assert shipped.load(str(path)).reads_plans == reads_plans and shipped.load(str(path)) is shipped.load(
            str(path)
        )


@pytest.fixture
def of_another_kind(tmp_path):
    """The paper's own recipe, untrained: numpy does not repeat it."""
    config = TrainConfig(ModelConfig.paper(16, 1), bars=BarsConfig(buckets=50, curves=500))
    net = config.model.network(make_borders(config.bars, config.prior))
    path = tmp_path / "other.safetensors"
    weights.write(path, net.state_dict(), weights.header(config, behaviour(config), []))
    return path


def test_a_network_of_another_kind_is_asked_through_torch(of_another_kind):
    run = forecast([0.3, 0.4, 0.5], weights=str(of_another_kind))
    given = (torch.tensor([x]) for x in ([1.0, 2.0, 3.0], [0.3, 0.4, 0.5], [10.0]))
    density = torch_network.load(of_another_kind).predict(*given)
    assert np.allclose(run.quantile(0.5)[6], density.quantile(0.5), atol=1e-5)
    assert run.futures(3)[1].shape[0] == 3 and 0 <= run.in_prior <= 1


def test_without_torch_a_network_of_another_kind_says_what_to_install(of_another_kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "curvecast.forecasting.torch_network", None)
    monkeypatch.delattr("curvecast.forecasting.torch_network")
    told = r"other\.safetensors contains a network whose code comes with the repository"
    refuses(told, shipped.load, str(of_another_kind))


@pytest.mark.parametrize("shape", [None, (3, 7)])
def test_weights_that_do_not_fit_are_refused_at_once(tmp_path, shape):
    state, info = weights.read(shipped.PATH)
    if shape:
        state["head.out.weight"] = torch.zeros(*shape)
    else:
        del state["head.out.weight"]
    path = tmp_path / "spoilt.safetensors"
    weights.write(path, state, info)
    refuses("does not fit the network of its config", shipped.load, str(path))


def test_a_table_is_made_of_the_scores_of_the_prior():
    made = calibrate(torch_network.load(shipped.PATH), 30, ship.TRAIN.prior)
    assert made.seen == list(SEEN) and all(row == sorted(row) for row in made.scores)
    assert all(row[0] >= 0 and row[-1] <= 1 for row in made.scores)
