"""Guards train.py and forecaster.py: exact resuming, yesterday's numbers, the cache of weights, what is no forecast."""

import math
from dataclasses import dataclass, replace

import pytest
import torch

from curvecast.ground import weights
from curvecast.ground.errors import UserError
from curvecast.networks import model
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import gaps, train
from curvecast.training.forecaster import Forecaster
from curvecast.training.train import Paused, TrainConfig
from tests.curvecast.training.small import SMALL

PAPER = replace(
    TrainConfig.paper(128, 1, 3000), model=ModelConfig(16, 1, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
    prior=SMALL.prior, bars=BarsConfig(buckets=30, curves=300, tails="paper"), batch=10,
)  # fmt: skip
SHORT = replace(SMALL, curves=16)
GOLDEN = {"ours": -1.033247, "paper": 0.007837}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(config, folder, **more):
    return train.train(config, folder / "ck", progress=False, device="cpu", **more)


def cached(config, folder):
    return train.trained(config, progress=False, root=folder, checkpoints=folder / "c", device="cpu")


def same(a, b):
    pairs = zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    return all(torch.equal(p, q) for p, q in pairs)


@pytest.mark.parametrize("config", [
    SMALL, replace(PAPER, curves=400), replace(SMALL, draws="number"), replace(PAPER, curves=400, draws="number"),
    gaps.with_holes(SMALL),
], ids=["ours", "paper", "numbered", "the paper's, numbered", "with holes"])  # fmt: skip
def test_a_paused_training_ends_with_the_same_bits(config, tmp_path):
    """Stopped and resumed at each report: the same weights as without a stop, dropout included; no clock goes back."""
    whole, history = run(config, tmp_path / "a")
    pauses = 0
    while True:
        try:
            parts, broken = run(config, tmp_path / "b", over=lambda: True)
            break
        except Paused:
            pauses += 1
    assert pauses > 5 and same(whole, parts) and broken[-1]["curves"] == history[-1]["curves"]
    for clock in ("curves", "seconds", "core_seconds"):
        times = [entry[clock] for entry in broken]
        assert times == sorted(times)


def test_a_pause_amid_a_report_leaves_no_trace(tmp_path):
    """The mean loss of an entry is the same bits, whenever a checkpoint came."""

    def history(checkpoint=None, minutes=None):
        with train.Training(SMALL, SMALL.network()) as training:
            try:
                return train.fit(training, checkpoint, minutes, reports=3)
            except Paused:
                return history(checkpoint, minutes)

    whole, paused = history(), history(tmp_path / "ck", minutes=0)
    assert len(whole) == 4
    told = [[(entry["curves"], entry["loss"]) for entry in entries] for entries in (whole, paused)]
    assert told[0] == told[1]


def test_a_pause_waits_for_no_report(tmp_path):
    """Here reports come every third step; time is checked after each step, so it pauses after the first one."""
    with pytest.raises(Paused):
        run(replace(SMALL, curves=600 * SMALL.batch), tmp_path, minutes=0)
    assert weights.read(tmp_path / "ck.newest")[1]["step"] == "1"


def test_golden_numbers(tmp_path):
    """Twenty steps give a known loss. If a change is meant to alter it, raise BEHAVIOUR in the file that changed."""
    for name, config in (("ours", SMALL), ("paper", replace(PAPER, curves=200))):
        _, history = run(config, tmp_path / name)
        assert sum(entry["loss"] for entry in history) / 20 == pytest.approx(GOLDEN[name], rel=1e-3)


def test_trained_is_a_cache_and_its_file_is_enough(tmp_path):
    """The second call trains nothing; the file alone gives the same forecaster, and its behaviour; no checkpoint is left."""
    first, path = cached(SMALL, tmp_path), train.weights_path(SMALL, tmp_path)
    stamp = path.stat().st_mtime_ns
    second, third = cached(SMALL, tmp_path), train.load(path)
    assert all(name in weights.read(path)[1]["behaviour"] for name in train.behaviour(SMALL))
    assert path.stat().st_mtime_ns == stamp and not list((tmp_path / "c").glob("*"))
    assert first.config == second.config == third.config == SMALL and same(first.model, third.model)
    x, y = torch.arange(1.0, 6)[None], torch.rand(1, 5)
    assert torch.equal(first.predict(x, y, x + 5).quantile(0.5), third.predict(x, y, x + 5).quantile(0.5))


def test_a_name_says_what_and_changes_with_behaviour(tmp_path, monkeypatch):
    """Readable; when the code behaves otherwise there is another name, and a file of before is refused."""
    before = train.name(SHORT)
    assert before.startswith("ours-2x16-0k-") and train.name(PAPER).startswith("paper-1x16-3k-")
    assert train.name(replace(SHORT, seed=1)) != before
    cached(SHORT, tmp_path)
    path = train.weights_path(SHORT, tmp_path)
    monkeypatch.setattr(model, "BEHAVIOUR", model.BEHAVIOUR + 1)
    assert train.name(SHORT) != before
    with pytest.raises(UserError, match="earlier code"):
        train.load(path)


@dataclass(frozen=True)
class Another:
    """The config of a network that is none of ours."""

    label = "toy"

    def behaviour(self):
        return {"toy": 1}

    def network(self, borders):
        return SMALL.model.network(borders)


def test_a_file_of_another_network_does_not_pretend_to_be_a_pfn(tmp_path):
    """Any network that answers queries is trained and kept under its name; `load` knows only a PFN."""
    config = replace(SHORT, model=Another())
    assert same(cached(config, tmp_path).model, cached(config, tmp_path).model)
    path = train.weights_path(config, tmp_path)
    assert path.name.startswith("ours-toy-0k-")
    with pytest.raises(UserError, match="another kind of network, toy"):
        train.load(path)


def test_a_loss_that_explodes_stops_the_training(tmp_path):
    with pytest.raises(UserError, match=r"the loss of .* became"):
        run(replace(SMALL, lr=1e6, matrix_lr=1e6, clip=1e9), tmp_path)


X, Y = torch.arange(1.0, 6).expand(2, -1), torch.rand(2, 5)


@pytest.mark.parametrize(("x", "y", "queries", "says"), [
    (X - 1, Y, X + 5, "count from 1"), (X, torch.where(X == 2, math.nan, Y), X + 5, "NaN or infinite"),
    (X, torch.where(X == 2, math.inf, Y), X + 5, "NaN or infinite"),
    (torch.where(X == 3, math.nan, X), Y, X + 5, "epoch"), (X, Y, torch.full_like(X, math.nan), "epoch"),
    (torch.tensor([[1.0, 2, 3, 4, 5], [1, 2, 2, 4, 5]]), Y, X + 5, r"curve 1 .* epoch twice"),
])  # fmt: skip
def test_what_cannot_be_forecast_is_refused(x, y, queries, says):
    """One sentence each, never a forecast; what the mask hides may be anything, but not all of a curve."""
    forecaster = Forecaster(SMALL, SMALL.network().eval(), [])
    with pytest.raises(UserError, match=says):
        forecaster.predict(x, y, queries)
    seen = torch.tensor([[1, 1, 0, 1, 1]] * 2).bool()
    forecaster.predict(torch.where(seen, X, 1.0), Y, X + 5, seen)
    with pytest.raises(UserError, match="without a single observed point"):
        forecaster.predict(X, Y, X + 5, torch.tensor([[True] * 5, [False] * 5]))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_bf16_on_a_gpu_learns_the_same(tmp_path):
    ends = []
    for precision in ("fp32", "bf16"):
        config = replace(SMALL, curves=3200, precision=precision)
        _, history = train.train(config, tmp_path / precision, progress=False, device="cuda")
        ends.append(sum(entry["loss"] for entry in history[-20:]) / 20)
    assert abs(ends[0] - ends[1]) < 0.1
