"""Guards curvecast/shipped: the network that comes with the package is whole, small, and the one that is written about."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.forecasting import belief, shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.ground import weights
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.train import behaviour
from reproduce._press.contract import ROOT
from reproduce.practice.shipped import cases, claims, question, ship
from reproduce.practice.shipped.scores_of_the_prior import SEEN, calibrate


def test_it_is_small_and_whole():
    """Four megabytes at most; its sum is checked when it is read."""
    assert shipped.PATH.stat().st_size < 4e6
    assert torch_network.load(shipped.PATH).config == ship.TRAIN
    assert shipped.load() is shipped.load()


def test_its_weights_are_rounded_so_that_the_page_has_the_same():
    state, info = weights.read(shipped.PATH)
    assert {t.dtype for key, t in state.items() if key != "borders"} == {torch.float16}
    assert state["borders"].dtype == torch.float32
    assert json.loads(info["gaps"])["share"] > 0


def test_the_page_has_the_same_network_and_the_same_table():
    meta = json.loads((ship.LIVE / "meta.json").read_text())
    network = shipped.load()
    assert np.array_equal(np.float32(meta["borders"]), network.network.buckets.borders)
    assert belief.Table(**meta["in_prior"]) == network.table
    assert (ship.LIVE / "model.onnx").stat().st_size < 1e6


def test_other_weights_are_judged_by_the_table_of_their_prior():
    (path,) = (ROOT / "weights" / "published").glob("ours-1x64-*.safetensors")
    assert shipped.load(str(path)).table == shipped.load("paper-prior").table != shipped.load().table


def test_every_model_has_a_name_a_title_with_its_release_and_weights():
    assert shipped.BY_NAME.keys() == shipped.TITLES.keys()
    assert shipped.load("released").table == shipped.load().table
    assert all(path.is_file() for path in shipped.BY_NAME.values())


def test_the_network_of_the_paper_s_prior_comes_along():
    """It was the default of 0.1, and says so of itself."""
    known = torch_network.load(shipped.path_of("paper-prior")).config
    assert known.prior == PriorConfig() and known.model.features == "epochs"


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
    density = torch_network.load(of_another_kind).predict(*(torch.tensor([x]) for x in (
        [1.0, 2.0, 3.0], [0.3, 0.4, 0.5], [10.0])))  # fmt: skip
    assert np.allclose(run.quantile(0.5)[6], density.quantile(0.5), atol=1e-5)
    assert run.futures(3)[1].shape[0] == 3 and 0 <= run.in_prior <= 1


def test_without_torch_a_network_of_another_kind_says_what_to_install(of_another_kind, monkeypatch):
    monkeypatch.setitem(sys.modules, "curvecast.forecasting.torch_network", None)
    monkeypatch.delattr("curvecast.forecasting.torch_network")
    with pytest.raises(
        UserError, match=r"other\.safetensors contains a network that needs PyTorch: pip install"
    ):
        shipped.load(str(of_another_kind))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda state: state.pop("layers.1.out.bias"),
            "does not fit the network of its config .*'layers.1.out.bias'",
        ),
        (
            lambda state: state.update({"head.out.weight": torch.zeros(3, 7)}),
            "does not fit the network of its config",
        ),
    ],
)
def test_weights_that_do_not_fit_are_refused_at_once(tmp_path, spoil, words):
    state, info = weights.read(shipped.PATH)
    spoil(state)
    path = tmp_path / "spoilt.safetensors"
    weights.write(path, state, info)
    with pytest.raises(UserError, match=words):
        shipped.load(str(path))


def test_a_table_is_made_of_the_scores_of_the_prior():
    """Its last column is the largest score, and rows rise."""
    made = calibrate(torch_network.load(shipped.PATH), 30)
    assert made.seen == list(SEEN) and all(row == sorted(row) for row in made.scores)
    assert all(row[0] >= 0 and row[-1] <= 1 for row in made.scores)


def rows(better: float) -> dict[str, pd.DataFrame]:
    """Invented scores: the released model is better by so much where there are holes, and a little worse else."""
    each = []
    for curve in range(30):
        wobble = 0.001 * curve
        for cutoff in (10, 20):
            scores = {
                "judge": (2.0 + wobble, None),
                "whole": (1.94 + wobble, 0.9),
                "shipped": (1.945 + 0.9 * wobble, 0.88 + wobble),
            }
            each += [("whole", cutoff, curve, method, *found) for method, found in scores.items()]
        for case in (*cases.HOLES, "all 20"):
            each.append((case, 20, curve, "whole", 1.5, 0.9))
            each.append((case, 20, curve, "shipped", 1.5 + better + 0.002 * (curve % 7), 0.9))
    kinds = {"the prior’s own": 0.5, "diverges": 0.001, "loss, not turned": 0.002, "overfits": 0.005}
    odd = [
        (kind, cutoff, i, share)
        for kind, share in kinds.items()
        for cutoff in (20, 60, 90)
        for i in range(200)
    ]
    futures = [(i, (k + 0.5) / 40) for i in range(10) for k in range(40)]
    return {
        "rows": pd.DataFrame(each, columns=["case", "cutoff", "curve", "method", "ll", "cover90"]),
        "odd": pd.DataFrame(odd, columns=["kind", "cutoff", "curve", "in_prior"]),
        "futures": pd.DataFrame(futures, columns=["curve", "place"]),
    }


def test_claims_hold_and_fail_with_the_rows():
    good = {claim.name: claim.holds() for claim in question.claims(rows(0.3))}
    assert all(good[name] for name in good if name != "futures"), good
    bad = rows(-0.3)
    bad["odd"]["in_prior"] = 0.005 * (bad["odd"]["kind"] == "the prior’s own") + 0.5 * (
        bad["odd"]["kind"] != "the prior’s own"
    )
    bad["rows"].loc[bad["rows"]["method"] == "judge", "ll"] += 1
    assert set(good) == set(claims.STATED)
    found = {claim.name: claim.holds() for claim in question.claims(bad)}
    for name in (
        "loses_little",
        "fifth",
        "half",
        "headless",
        "alarms",
        "alarms_late",
        "diverged",
        "not_turned",
        "overfits",
    ):
        assert found[name] is False, name


def test_tables_and_figures_take_what_there_is():
    for some in (
        rows(0.1),
        {"odd": rows(0.1)["odd"]},
        {"rows": rows(0.1)["rows"].query("method != 'judge'")},
    ):
        assert question.draw(some) and question.tabulate(some)
    table = question.tabulate(rows(0.1))["likelihood"]
    assert (
        list(table["epochs observed"]) == ["10", "20"] and "±" in table.iloc[0]["below the exact posterior"]
    )


def test_half_of_the_rows_decide_nothing_that_needs_the_others():
    claims = {c.name: c.tested() for c in question.claims({"odd": rows(0.1)["odd"]})}
    assert claims["alarms"] and not claims["fifth"] and not claims["loses_little"]


def test_the_card_says_what_the_answers_say():
    """After a new measurement `python -m reproduce card` writes it anew."""
    from reproduce.practice.shipped import card

    assert card.PATH.read_text(encoding="utf-8") == card.card()
