"""Guards curvecast/train.py: fresh curves, exact resuming, the paper's schedule, yesterday's numbers."""

import math
from dataclasses import replace

import pytest
import torch

from curvecast import train, weights
from curvecast.bars import BarsConfig, make_borders
from curvecast.errors import UserError
from curvecast.model import PFN, ModelConfig
from curvecast.prior import PriorConfig
from curvecast.train import Paused, TrainConfig

SMALL = TrainConfig(
    ModelConfig(16, 2, 2, components=3), PriorConfig(length=20), BarsConfig(buckets=30, curves=300),
    curves=320, batch=16, cutoffs=4, queries=5,
)  # fmt: skip
PAPER = replace(
    TrainConfig.paper(128, 1, 3000), model=ModelConfig(16, 1, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
    prior=SMALL.prior, bars=BarsConfig(buckets=30, curves=300, tails="paper"), batch=10,
)  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def run(config, folder, **more):
    return train.train(config, folder / "ck", progress=False, device="cpu", **more)


def same(a, b):
    return all(
        torch.equal(p, q) for p, q in zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    )


@pytest.mark.parametrize("config", [SMALL, replace(PAPER, curves=400)], ids=["ours", "paper"])
def test_a_paused_training_ends_with_the_same_bits(config, tmp_path):
    """Stopped at each of its reports and gone on again: the same weights as without a stop, dropout included."""
    whole, history = run(config, tmp_path / "a")
    pauses = 0
    while True:
        try:
            parts, broken = run(config, tmp_path / "b", minutes=0)
            break
        except Paused:
            pauses += 1
    assert pauses > 5 and same(whole, parts)
    assert [h["loss"] for h in history] == [h["loss"] for h in broken]


def test_threads_do_not_change_the_bits(tmp_path):
    """Groups of a batch may run side by side; their gradients are added in order."""
    whole, _ = run(SMALL, tmp_path / "a")
    workers = train.ThreadPoolExecutor(2, initializer=torch.set_num_threads, initargs=(1,))
    torch.manual_seed(SMALL.seed)
    net = PFN(SMALL.model, make_borders(SMALL.bars, SMALL.prior))
    optimiser = train.make_optimiser(SMALL, net)
    peaks = [group["lr"] for group in optimiser.param_groups]
    for step in range(20):
        for group, peak in zip(optimiser.param_groups, peaks, strict=True):
            group["lr"] = peak * train.rate(SMALL, step, 20)
        train.one_step(SMALL, net, optimiser, net.log_density, step, "cpu", workers)
    assert same(whole, net)


def test_every_step_sees_new_curves():
    """No curve comes twice, across steps and chunks."""
    seen = torch.cat([train.curves(SMALL, step, "cpu") for step in (0, 1, 255, 256, 257, 600)])
    assert len(seen.unique(dim=0)) == len(seen) == 6 * 16
    assert not torch.equal(train.curves(SMALL, 0, "cpu"), train.curves(replace(SMALL, seed=1), 0, "cpu"))


@pytest.mark.parametrize("config", [SMALL, replace(SMALL, cutoffs=16), PAPER], ids=["groups", "own", "paper"])
def test_queries_lie_after_the_cutoff(config):
    """A query's epoch is later than every visible point, its target is that epoch's value; all cutoffs occur."""
    found = set()
    for step in range(200):
        y = train.curves(config, step, "cpu")
        place = 0
        for b in train.batches(config, step, "cpu"):
            last = b.x.amax(1) if b.mask is None else torch.where(b.mask, b.x, 0).amax(1)
            found |= set(last.int().tolist())
            assert (b.x_query > last[:, None]).all() and (b.x_query <= 20).all()
            rows = y[place : place + len(b.y)]
            assert torch.equal(rows.gather(1, b.x_query.long() - 1), b.y_query)
            assert torch.equal(rows[:, : b.y.shape[1]], b.y)
            place += len(b.y)
        assert place == config.batch
    assert found == set(range(1, 20))


def test_the_paper_asks_for_all_that_is_left():
    """queries=0: each later epoch once."""
    batch = next(train.batches(PAPER, 3, "cpu"))
    assert batch.x.shape[1] + batch.x_query.shape[1] == 20
    assert torch.equal(batch.x_query[0], torch.arange(batch.x.shape[1] + 1.0, 21))


def test_the_paper_s_schedule_moves_once_in_a_hundred_steps():
    """10 epochs: warm-up over 2 (rates 0, 1/2), then a cosine from 1; the first hundred steps run at rate 0."""
    config = TrainConfig.paper(128, 3, 100_000)
    rates = [train.rate(config, 100 * epoch + 50, 1000) for epoch in range(10)]
    expected = [0, 0.5] + [0.5 * (1 + math.cos(math.pi * e / 8)) for e in range(8)]
    assert rates == pytest.approx(expected)
    assert train.rate(config, 99, 1000) == 0 and train.rate(config, 100, 1000) == 0.5


def test_training_learns(tmp_path):
    """A tiny network over 3,000 curves: the loss falls by more than 0.3 nats."""
    config = replace(SMALL, curves=3200, lr=5e-3, matrix_lr=0.02)
    _, history = run(config, tmp_path)
    losses = [h["loss"] for h in history]
    assert sum(losses[-20:]) / 20 < sum(losses[:20]) / 20 - 0.3


def test_golden_numbers(tmp_path):
    """Twenty steps give yesterday's loss. If a change was meant to move it, raise BEHAVIOUR where it was made."""
    _, history = run(SMALL, tmp_path)
    assert sum(h["loss"] for h in history) / 20 == pytest.approx(GOLDEN["ours"], rel=1e-3)
    _, history = run(replace(PAPER, curves=200), tmp_path / "paper")
    assert sum(h["loss"] for h in history) / 20 == pytest.approx(GOLDEN["paper"], rel=1e-3)


GOLDEN = {"ours": -1.022376, "paper": 0.007837}


def test_trained_is_a_cache_and_its_file_is_enough(tmp_path):
    """The second call trains nothing; the file alone gives the same forecaster; no checkpoint is left."""
    first = train.trained(
        SMALL, progress=False, root=tmp_path / "w", checkpoints=tmp_path / "c", device="cpu"
    )
    path = train.weights_path(SMALL, tmp_path / "w")
    stamp = path.stat().st_mtime_ns
    second = train.trained(SMALL, progress=False, root=tmp_path / "w", checkpoints=tmp_path / "c")
    third = train.load(path)
    assert path.stat().st_mtime_ns == stamp and not list((tmp_path / "c").glob("*"))
    assert first.config == second.config == third.config == SMALL and same(first.model, third.model)
    x, y = torch.arange(1.0, 6)[None], torch.rand(1, 5)
    assert torch.equal(first.predict(x, y, x + 5).quantile(0.5), third.predict(x, y, x + 5).quantile(0.5))


def test_a_name_says_what_and_changes_with_behaviour(monkeypatch):
    """Readable, and another one when config or behaviour of the code differ."""
    before = train.name(SMALL)
    assert before.startswith("ours-2x16-0k-") and train.name(PAPER).startswith("paper-1x16-3k-")
    assert train.name(replace(SMALL, seed=1)) != before
    monkeypatch.setattr(train.model, "BEHAVIOUR", train.model.BEHAVIOUR + 1)
    assert train.name(SMALL) != before


def test_a_loss_that_explodes_stops_the_training(tmp_path):
    """NaN is never averaged away: one sentence with the name and the step."""
    with pytest.raises(UserError, match=r"the loss of .* became"):
        run(replace(SMALL, lr=1e6, matrix_lr=1e6, clip=1e9), tmp_path)


@pytest.mark.parametrize(
    "bad", [{"cutoffs": 5}, {"cutoffs": 0}, {"schedule": "daily"}, {"precision": "fp8"}, {"curves": 3}]
)
def test_a_training_that_cannot_be_is_refused(bad, tmp_path):
    """The message says what to choose."""
    with pytest.raises(UserError):
        run(replace(SMALL, **bad), tmp_path)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_bf16_on_a_gpu_learns_the_same(tmp_path):
    """Half precision and compilation end within 0.1 nats of fp32."""
    config = replace(SMALL, curves=3200)
    ends = []
    for precision in ("fp32", "bf16"):
        _, history = train.train(
            replace(config, precision=precision), tmp_path / precision, progress=False, device="cuda"
        )
        ends.append(sum(h["loss"] for h in history[-20:]) / 20)
    assert abs(ends[0] - ends[1]) < 0.1


def test_weights_carry_their_behaviour(tmp_path):
    """The header names the behaviour numbers that the weights were made with."""
    train.trained(SMALL, progress=False, root=tmp_path, checkpoints=tmp_path / "c", device="cpu")
    _, info = weights.read(train.weights_path(SMALL, tmp_path))
    assert set(train.behaviour()) == {"prior", "bars", "heads", "model", "train"}
    assert all(name in info["behaviour"] for name in train.behaviour())
