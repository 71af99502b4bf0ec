"""Guards curvecast/training/train.py: exact resuming, yesterday's numbers, the cache of weights."""

from dataclasses import replace

import pytest
import torch

from curvecast.ground import weights
from curvecast.ground.errors import UserError
from curvecast.networks import model
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import gaps, train
from curvecast.training.train import Paused, TrainConfig
from tests.curvecast.training.small import SMALL

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


@pytest.mark.parametrize(
    "config",
    [SMALL, replace(PAPER, curves=400), replace(SMALL, draws="number"), gaps.with_holes(SMALL)],
    ids=["ours", "paper", "numbered", "with holes"],
)
def test_a_paused_training_ends_with_the_same_bits(config, tmp_path):
    """Stopped and resumed at each report: the same weights as without a stop, dropout included."""
    whole, history = run(config, tmp_path / "a")
    pauses = 0
    while True:
        try:
            parts, broken = run(config, tmp_path / "b", minutes=0)
            break
        except Paused:
            pauses += 1
    assert pauses > 5 and same(whole, parts)
    assert [h["curves"] for h in broken] == sorted({h["curves"] for h in broken}) and broken[-1][
        "curves"
    ] == history[-1]["curves"]
    for clock in (
        "seconds",
        "core_seconds",
    ):  # never go back after a pause; how far they get is the machine’s affair
        times = [h[clock] for h in broken]
        assert times == sorted(times)


def test_a_pause_waits_for_no_report(tmp_path):
    """Here reports come every third step; time is checked after each step, so it pauses after the first one."""
    with pytest.raises(Paused):
        run(replace(SMALL, curves=600 * SMALL.batch), tmp_path, minutes=0)
    _, info = weights.read(tmp_path / "ck.newest")
    assert info["step"] == "1"


def test_training_learns(tmp_path):
    """A tiny network over 3,000 curves: the loss falls by more than 0.3 nats."""
    config = replace(SMALL, curves=3200, lr=5e-3, matrix_lr=0.02)
    _, history = run(config, tmp_path)
    losses = [h["loss"] for h in history]
    assert sum(losses[-20:]) / 20 < sum(losses[:20]) / 20 - 0.3


def test_golden_numbers(tmp_path):
    """Twenty steps give a known loss. If a change is meant to alter it, raise BEHAVIOUR in the file that changed."""
    _, history = run(SMALL, tmp_path)
    assert sum(h["loss"] for h in history) / 20 == pytest.approx(GOLDEN["ours"], rel=1e-3)
    _, history = run(replace(PAPER, curves=200), tmp_path / "paper")
    assert sum(h["loss"] for h in history) / 20 == pytest.approx(GOLDEN["paper"], rel=1e-3)


GOLDEN = {"ours": -1.033247, "paper": 0.007837}


def test_trained_is_a_cache_and_its_file_is_enough(tmp_path):
    """The second call trains nothing; the file alone gives the same forecaster, and its behaviour; no checkpoint is left."""
    first = train.trained(
        SMALL, progress=False, root=tmp_path / "w", checkpoints=tmp_path / "c", device="cpu"
    )
    path = train.weights_path(SMALL, tmp_path / "w")
    stamp = path.stat().st_mtime_ns
    second = train.trained(SMALL, progress=False, root=tmp_path / "w", checkpoints=tmp_path / "c")
    third = train.load(path)
    _, info = weights.read(path)
    assert all(name in info["behaviour"] for name in train.behaviour(SMALL))
    assert path.stat().st_mtime_ns == stamp and not list((tmp_path / "c").glob("*"))
    assert first.config == second.config == third.config == SMALL and same(first.model, third.model)
    x, y = torch.arange(1.0, 6)[None], torch.rand(1, 5)
    assert torch.equal(first.predict(x, y, x + 5).quantile(0.5), third.predict(x, y, x + 5).quantile(0.5))


def test_a_name_says_what_and_changes_with_behaviour(monkeypatch):
    """Readable, and another one when config or behaviour of the code differ."""
    before = train.name(SMALL)
    assert before.startswith("ours-2x16-0k-") and train.name(PAPER).startswith("paper-1x16-3k-")
    assert train.name(replace(SMALL, seed=1)) != before
    monkeypatch.setattr(model, "BEHAVIOUR", model.BEHAVIOUR + 1)
    assert train.name(SMALL) != before


def test_a_loss_that_explodes_stops_the_training(tmp_path):
    """A loss of NaN raises an error with the name and the step."""
    with pytest.raises(UserError, match=r"the loss of .* became"):
        run(replace(SMALL, lr=1e6, matrix_lr=1e6, clip=1e9), tmp_path)


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


def test_weights_of_other_code_are_refused(tmp_path, monkeypatch):
    """A file that was written before the model changed is refused, because it would forecast something else."""
    config = replace(SMALL, curves=16)
    train.trained(config, progress=False, root=tmp_path, checkpoints=tmp_path / "c", device="cpu")
    path = train.weights_path(config, tmp_path)
    monkeypatch.setattr(model, "BEHAVIOUR", model.BEHAVIOUR + 1)
    with pytest.raises(UserError, match="earlier code"):
        train.load(path)


def test_behaviour_is_that_of_the_files_that_a_training_rests_on():
    assert set(train.behaviour(SMALL)) == {"prior", "bars", "heads", "model", "train"}
    assert set(train.behaviour(replace(SMALL, draws="number"))) - set(train.behaviour(SMALL)) == {"by_number"}
