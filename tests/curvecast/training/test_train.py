"""Guards training: exact resuming, the cache of weights, fresh curves, the same bits on any threads, planned rates."""

import math
from dataclasses import dataclass, replace

import pytest
import torch
from torch import nn

from curvecast.curves import by_number, run_prior
from curvecast.curves.counter import Counter
from curvecast.curves.prior import Noise, PriorConfig, sample
from curvecast.curves.run_prior import RunPrior, Runs
from curvecast.ground import weights
from curvecast.ground.config import plain
from curvecast.ground.errors import UserError
from curvecast.networks import model
from curvecast.networks.bars import BarsConfig
from curvecast.networks.model import ModelConfig
from curvecast.training import batches, steps, train
from curvecast.training.batches import Chunk, TrainConfig, curves_of
from curvecast.training.endings import ENDINGS, Stock
from curvecast.training.runs import RunTraining, asked, going_on
from curvecast.training.steps import MuonAdam, Training, orthogonalised
from curvecast.training.train import Forecaster, Paused
from tests.curvecast.refusals import refuses

SMALL = TrainConfig(  # a training of a second
    ModelConfig(16, 2, 2, components=3), PriorConfig(length=20), BarsConfig(buckets=30, curves=300),
    curves=320, batch=16, cutoffs=4, queries=5,
)  # fmt: skip
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
    with Training(config, config.network()) as training:
        return training.net, train.fit(training, folder / "ck", **more)


def cached(config, folder):
    return train.trained(config, progress=False, root=folder, checkpoints=folder / "c", device="cpu")


def same(a, b):
    pairs = zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    return all(torch.equal(p, q) for p, q in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("config", [
    SMALL, replace(PAPER, curves=200, draws="number"), replace(batches.with_holes(SMALL), curves=160),
], ids=["ours", "the paper's, numbered", "with holes"])  # fmt: skip
def test_a_paused_training_ends_with_the_same_bits(config, tmp_path):
    """Also amid an entry of its history, by the clock as well as by whoever is asked."""
    whole, history = run(config, tmp_path / "a", reports=3)
    pauses = 0
    while True:
        try:
            stops = {"minutes": 0} if pauses % 2 else {"over": lambda: True}
            parts, broken = run(config, tmp_path / "b", reports=3, **stops)
            break
        except Paused:
            pauses += 1
    told = [[(entry["curves"], entry["loss"]) for entry in entries] for entries in (history, broken)]
    assert pauses > 5 and same(whole, parts) and len(history) == 4 and told[0] == told[1]
    for clock in ("curves", "seconds", "core_seconds"):
        times = [entry[clock] for entry in broken]
        assert times == sorted(times)


@pytest.mark.slow
def test_golden_numbers(tmp_path):
    """Twenty steps give a known loss. If a change is meant to alter it, raise BEHAVIOUR in the file that changed."""
    for name, config in (("ours", SMALL), ("paper", replace(PAPER, curves=200))):
        _, history = run(config, tmp_path / name)
        assert sum(entry["loss"] for entry in history) / 20 == pytest.approx(GOLDEN[name], rel=1e-3)


@pytest.mark.slow
def test_trained_is_a_cache_and_its_file_is_enough(tmp_path):
    first, path = cached(SMALL, tmp_path), train.weights_path(SMALL, tmp_path)
    stamp = path.stat().st_mtime_ns
    second, third = cached(SMALL, tmp_path), train.load(path)
    assert all(name in weights.read(path)[1]["behaviour"] for name in train.behaviour(SMALL))
    assert path.stat().st_mtime_ns == stamp and not list((tmp_path / "c").glob("*"))
    assert first.config == second.config == third.config == SMALL and same(first.model, third.model)
    x, y = torch.arange(1.0, 6)[None], torch.rand(1, 5)
    assert torch.equal(first.predict(x, y, x + 5).quantile(0.5), third.predict(x, y, x + 5).quantile(0.5))


@pytest.mark.slow
def test_a_name_says_what_and_changes_with_behaviour(tmp_path, monkeypatch):
    before = train.name(SHORT)
    assert before.startswith("ours-2x16-0k-") and train.name(PAPER).startswith("paper-1x16-3k-")
    assert train.name(replace(SHORT, seed=1)) != before
    cached(SHORT, tmp_path)
    path = train.weights_path(SHORT, tmp_path)
    monkeypatch.setattr(model, "BEHAVIOUR", model.BEHAVIOUR + 1)
    assert train.name(SHORT) != before
    refuses("earlier code", train.load, path)


@dataclass(frozen=True)
class Another:
    """The config of a network that is none of ours."""

    label = "toy"

    def behaviour(self):
        return {"toy": 1}

    def network(self, borders):
        return SMALL.model.network(borders)


@pytest.mark.slow
def test_a_file_of_another_network_does_not_pretend_to_be_a_pfn(tmp_path):
    config = replace(SHORT, model=Another())
    assert same(cached(config, tmp_path).model, cached(config, tmp_path).model)
    path = train.weights_path(config, tmp_path)
    assert path.name.startswith("ours-toy-0k-")
    refuses("another kind of network, toy", train.load, path)


@pytest.mark.slow
def test_a_loss_that_explodes_stops_the_training(tmp_path):
    refuses(r"the loss of .* became", lambda: run(replace(SMALL, lr=1e6, matrix_lr=1e6, clip=1e9), tmp_path))


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
    refuses(says, forecaster.predict, x, y, queries)
    seen = torch.tensor([[1, 1, 0, 1, 1]] * 2).bool()
    forecaster.predict(torch.where(seen, X, 1.0), Y, X + 5, seen)
    with pytest.raises(UserError, match="without a single observed point"):
        forecaster.predict(X, Y, X + 5, torch.tensor([[True] * 5, [False] * 5]))


@pytest.mark.slow
@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_bf16_on_a_gpu_learns_the_same(tmp_path):
    ends = []
    for precision in ("fp32", "bf16"):
        config = replace(SMALL, curves=3200, precision=precision)
        with Training(config, config.network(), "cuda") as training:
            history = train.fit(training, tmp_path / precision)
        ends.append(sum(entry["loss"] for entry in history[-20:]) / 20)
    assert abs(ends[0] - ends[1]) < 0.1


def test_half_precision_is_the_same_without_instructions_for_it(monkeypatch):
    """Products of single precision, rounded: as near to the exact ones as half precision comes, and the same training."""
    g = torch.Generator().manual_seed(0)
    bias, a, b = (torch.randn(*shape, generator=g).bfloat16() for shape in ((3, 5), (3, 40), (40, 5)))
    with steps.HalfBySingle():
        products = [a @ b, torch.addmm(bias, a, b), torch.bmm(a[None], b[None])[0]]
    exact = a.double() @ b.double()
    for found, wanted in zip(products, (exact, bias.double() + exact, exact), strict=True):
        assert found.dtype == torch.bfloat16
        torch.testing.assert_close(found.double(), wanted, atol=0, rtol=2**-8)
    for has, expected in (
        ({"avx512_f": True, "avx512_bf16": False}, False),
        ({"avx512_bf16": True}, True),
        ({"bf16": True}, True),
    ):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda has=has: has)
        assert steps.multiplies_halves() is expected
    losses, single = [], []
    by_single = steps.HalfBySingle.__torch_dispatch__

    def noted(mode, operator, types, args=(), kwargs=None):
        single.append(operator in steps.HalfBySingle.PRODUCTS and args[0].dtype == torch.bfloat16)
        return by_single(mode, operator, types, args, kwargs)

    monkeypatch.setattr(steps.HalfBySingle, "__torch_dispatch__", noted)
    for precision, native in (("fp32", False), ("bf16", True), ("bf16", False)):
        monkeypatch.setattr(steps, "multiplies_halves", lambda native=native: native)
        config = replace(PAPER, curves=200, precision=precision)
        with Training(config, config.network()) as training:
            assert (training.products is steps.HalfBySingle) == (precision == "bf16" and not native)
            losses.append(torch.stack([training.step(i) for i in range(5)]))
    assert sum(single) >= 3 * 5 * 5  # a product forward is two backward: five matrices of a layer, five steps
    fp32, own, ours = losses
    assert not torch.equal(fp32, ours)
    torch.testing.assert_close(ours, own, atol=5e-3, rtol=0)


AS_PAPER = replace(TrainConfig.paper(128, 1, 3000), prior=SMALL.prior, batch=10)
PRIOR = SMALL.prior


def test_every_step_sees_new_curves():
    seen = torch.cat([batches.curves(SMALL, step, "cpu") for step in (0, 1, 255, 256, 257, 600)])
    assert len(seen.unique(dim=0)) == len(seen) == 6 * 16
    assert not torch.equal(batches.curves(SMALL, 0, "cpu"), batches.curves(replace(SMALL, seed=1), 0, "cpu"))


def test_a_numbered_curve_is_its_place_in_the_stream():

    def chunks(size, count, seed=0):
        return torch.cat([curves_of(Chunk(PRIOR, seed, "number", size, i, "cpu")).noisy for i in range(count)])  # fmt: skip

    stream = chunks(400, 12)
    assert stream.dtype == torch.float32 and len(stream.unique(dim=0)) == len(stream) == 4800
    assert torch.allclose(chunks(1600, 3), stream, atol=1e-6)
    alone = by_number.sample(PRIOR, 0, torch.tensor([4242])).noisy.float()
    assert torch.allclose(alone, stream[4242:4243], atol=1e-6)
    assert not torch.allclose(stream[:16], chunks(16, 1, seed=1), atol=1e-3)


@pytest.mark.parametrize(
    "config", [SMALL, replace(SMALL, cutoffs=16), AS_PAPER], ids=["groups", "own", "paper"]
)
def test_queries_lie_after_the_cutoff(config):
    cutoffs = set()
    for step in range(200):
        y = batches.curves(config, step, "cpu")
        place = 0
        for b in batches.batches(config, step, "cpu"):
            last = b.x.amax(1) if b.mask is None else torch.where(b.mask, b.x, 0).amax(1)
            cutoffs |= set(last.int().tolist())
            assert (b.x_query > last[:, None]).all() and (b.x_query <= 20).all()
            rows = y[place : place + len(b.y)]
            assert torch.equal(rows.gather(1, b.x_query.long() - 1), b.y_query)
            assert torch.equal(rows[:, : b.y.shape[1]], b.y)
            place += len(b.y)
        assert place == config.batch
    assert cutoffs == set(range(1, 20))


def test_early_shows_short_beginnings_more_often():
    """A power of two: half of the beginnings hold a quarter of the curve or less, and the longest still occur."""
    config = replace(SMALL, prior=PriorConfig(), early=2.0, queries=1)
    seen = [b.x.shape[1] for step in range(200) for b in batches.batches(config, step, "cpu")]
    assert 0.4 < sum(T <= 25 for T in seen) / len(seen) < 0.6
    assert min(seen) == 1 and max(seen) > 90


def test_names_of_what_was_trained_last():
    """A default that came later leaves older names and hashes; those of the weights of release 0.1 stand."""
    assert "draws" not in plain(SMALL) and plain(replace(SMALL, draws="number"))["draws"] == "number"
    of_0_1 = TrainConfig(ModelConfig(128, 3, 4), curves=786_432)
    assert train.name(batches.with_holes(of_0_1)) == "gaps-2b153b27e880"
    assert train.name(of_0_1).startswith("ours-3x128-786k-")


def test_two_in_five_contexts_stay_whole_some_are_short_and_every_kth_epoch_is_among_them():
    """All are rising epochs of the context, one at least."""
    generator = torch.Generator().manual_seed(0)
    for T in (1, 2, 3, 10, 99, 30):
        logged = [
            batches.logged_epochs(T, generator).add(1).tolist() for _ in range(2000 if T == 30 else 200)
        ]
        assert all(epochs and sorted({*epochs} & {*range(1, T + 1)}) == epochs for epochs in logged)
    assert abs(sum(len(epochs) == 30 for epochs in logged) / 2000 - (1 - batches.WITH_GAPS)) < 0.1
    assert sum(len(epochs) <= 5 for epochs in logged) > 100
    assert all(list(range(k, 31, k)) in logged for k in (2, 5, 10))


def test_a_batch_with_gaps_thins_the_context_and_leaves_queries_alone():
    config = batches.with_holes(TrainConfig(ModelConfig(16, 1, 2, components=4)))
    whole, seen = list(batches.batches(config, 3, "cpu")), list(config.batches(3, "cpu"))
    for before, after in zip(whole, seen, strict=True):
        assert torch.equal(before.x_query, after.x_query) and torch.equal(before.y_query, after.y_query)
        assert torch.equal(before.y[:, after.x[0].long() - 1], after.y)
    assert any(after.x.shape[1] < before.x.shape[1] for before, after in zip(whole, seen, strict=True))


LAW = PriorConfig(length=30)
CONFIG = replace(SMALL, prior=LAW, stock=64)


def beginnings(n: int, seed: int = 0):
    curves = sample(LAW, n, torch.Generator().manual_seed(seed))
    return curves, Stock(LAW, curves.clean), torch.arange(1.0, 31).expand(n, -1)


@pytest.mark.slow
def test_the_choice_is_that_of_all_likelihoods():
    curves, stock, _ = beginnings(300)
    noise, epochs = Noise(LAW, 3), torch.tensor([1, 3, 5])
    y = curves.noisy[:2, epochs]
    generator = torch.Generator().manual_seed(1)
    squares = (curves.clean[None, :, epochs].double() - y[:, None].double()).square().sum(2)  # (2, 300)
    exactly = noise.log_likelihood(squares.float()).softmax(1)
    counts = torch.zeros(2, 300)
    for _ in range(3000):
        curve, drawn_squares = stock.draw_curves(epochs, y - 0.5, noise, generator)
        assert torch.allclose(drawn_squares.double(), squares.gather(1, curve), atol=1e-6, rtol=1e-3)
        counts.scatter_add_(1, curve, torch.ones(curve.shape))
    assert (counts / counts.sum(1, keepdim=True) - exactly).abs().max() < 0.015
    assert (exactly.square().sum(1) < 0.5).any(), "one curve that holds all the weight would show nothing"


@pytest.mark.slow
@pytest.mark.parametrize("size", [16, 400])
def test_endings_scatter_around_the_truth_as_the_own_ending_does(size):
    """Whatever the size of the stock: the same mean, spread, and product with what was seen last, over many beginnings."""
    drawn, own, seen = [], [], []
    for seed in range(8000 // size):
        curves, stock, x = beginnings(size, seed)
        drawn.append(stock.endings(x[:, :3], curves.noisy[:, :3], x[:, 9::10], seed))  # (n, 3, S)
        own.append(curves.noisy[:, 9::10])
        seen.append(curves.noisy[:, 2:3])
    drawn, own, seen = torch.cat(drawn), torch.cat(own), torch.cat(seen)  # (8000, 3, S), (8000, 3), (8000, 1)
    off = [
        drawn.mean(2) - own, drawn.square().mean(2) - own.square(), (drawn.mean(2) - own) * (seen - seen.mean()),
    ]  # fmt: skip
    for difference in off:
        error = difference.std(0) / len(difference) ** 0.5
        assert (difference.mean(0).abs() < 4.5 * error).all()


def test_hardly_any_noise_does_not_lose_the_own_curve():
    """Sums of squares are differences of large numbers; with residuals of 1e-5 the own curve must still be drawn."""
    curves, stock, _ = beginnings(500)
    generator = torch.Generator().manual_seed(3)
    y = curves.clean[:, :25] + 1e-5 * torch.randn(500, 25, generator=generator)
    curve, squares = stock.draw_curves(torch.arange(25), y - 0.5, Noise(LAW, 25), generator)
    near = (curves.clean[curve] - curves.clean[:, None]).abs().amax(2)
    assert near.quantile(0.95) < 1e-3 and torch.isfinite(squares).all()


def test_in_a_mixed_prior_the_papers_curves_alone_lend_and_borrow():
    config = replace(CONFIG, prior=replace(LAW, real=0.5), draws="number", stock=512)
    follows = by_number.follows_laws(config.prior, Counter(config.seed, torch.arange(512)))
    clean = by_number.sample(config.prior, config.seed, torch.arange(512)).clean
    for group, own in zip(batches.batches(config, 0, "cpu"), follows[:16].split(4), strict=True):
        assert torch.equal(group.borrows, ~own)
        assert torch.allclose(group.stock.clean, clean[~follows].float() - 0.5, atol=1e-6)
        targets = group.targets()
        assert torch.equal((targets == group.y_query[..., None]).all((1, 2)), own)
        assert torch.isfinite(targets).all()


def of_threads(config, threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with Training(config, config.network()) as training:
            losses = [training.step(i).item() for i in range(20)]
        assert torch.get_num_threads() == threads  # given back
    finally:
        torch.set_num_threads(before)
    return losses, training.net.state_dict()


@pytest.mark.slow
@pytest.mark.parametrize("change", [{}, {"optimiser": "adam"}, {"stock": 64, "early": 2.0}], ids=str)
def test_threads_do_not_change_the_bits(change):
    """Groups, their endings and matrix updates may run in parallel; sums are taken in a fixed order."""
    (losses, one), (again, other) = (of_threads(replace(SMALL, **change), threads) for threads in (1, 2))
    assert losses == again and all(torch.equal(one[name], other[name]) for name in one)


def test_a_batch_in_groups_has_the_gradient_of_the_whole():
    training = Training(SMALL, SMALL.network())
    whole = next(replace(SMALL, cutoffs=1).batches(0, "cpu"))
    tensors = {name: part for name, part in whole._asdict().items() if isinstance(part, torch.Tensor)}
    loss, gradients = training.gradient(whole)
    halves = ({name: part[rows] for name, part in tensors.items()} for rows in (slice(0, 8), slice(8, 16)))
    parts = [training.gradient(whole._replace(**half)) for half in halves]
    assert sum(part for part, _ in parts) == pytest.approx(loss.item(), rel=1e-5)
    for gradient, a, b in zip(gradients, parts[0][1], parts[1][1], strict=True):
        assert torch.allclose(gradient, a + b, atol=1e-5)


def test_the_paper_s_schedule_moves_once_in_a_hundred_steps():
    """10 epochs: warm-up over 2 (rates 0, 1/2), then a cosine from 1; the first hundred steps run at rate 0."""
    config = TrainConfig.paper(128, 3, 100_000)
    rates = [steps.rate(config, 100 * epoch + 50, 1000) for epoch in range(10)]
    assert rates == pytest.approx([0, 0.5] + [0.5 * (1 + math.cos(math.pi * e / 8)) for e in range(8)])
    assert steps.rate(config, 99, 1000) == 0 and steps.rate(config, 100, 1000) == 0.5


@pytest.mark.parametrize("shape", [(16, 40), (40, 16), (24, 24)])
def test_orthogonalised_has_singular_values_near_one(shape):
    values = torch.linalg.svdvals(orthogonalised(torch.randn(*shape)))
    assert values.max() < 1.3 and values[: int(0.9 * len(values))].min() > 0.6


def test_vectors_and_ends_follow_torch_s_adam():
    ours, theirs = (nn.ModuleDict({"layers": nn.Linear(4, 8), "head": nn.Linear(8, 2)}) for _ in range(2))
    theirs.load_state_dict(ours.state_dict())
    a = MuonAdam(ours, lr=0.01, matrix_lr=0.0, beta2=0.99)
    b = torch.optim.Adam([*theirs["head"].parameters(), theirs["layers"].bias], lr=0.01, betas=(0.9, 0.99))
    x = torch.randn(32, 4)
    for _ in range(5):
        for net, optimiser in ((ours, a), (theirs, b)):
            net.zero_grad()
            net["head"](torch.tanh(net["layers"](x))).square().mean().backward()
            optimiser.step()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(p, q, atol=1e-6), name


TINY = RunTraining(
    ModelConfig(16, 2, 2, components=3, features="planned", hedge=0.01), RunPrior(), BarsConfig(100, curves=500),
    curves=640, batch=32, queries=5,
)  # fmt: skip


def test_a_run_is_asked_of_later_epochs_up_to_its_end():
    end = torch.tensor([11, 12, 40, 100])
    later = asked(end, 10, 200, torch.Generator().manual_seed(0)) + 1  # epochs
    assert (later.amin(1) == 11).all() and torch.equal(later.amax(1), end)


def test_a_run_that_has_ended_makes_way_for_one_that_goes_on():
    end = torch.tensor([5, 100, 30, 100, 100, 20, 100, 100])
    for seed in range(20):
        rows = going_on(end, 0, 4, 30, torch.Generator().manual_seed(seed))
        assert (end[rows] > 30).all() and rows[1] == 1 and rows[3] == 3
    assert torch.equal(going_on(end, 0, 4, 4, torch.Generator()), torch.arange(4))


def test_curves_of_the_paper_borrow_endings_and_the_others_keep_their_own():
    for group in TINY.batches(0, "cpu"):
        assert group.x.shape[-1] == group.x_query.shape[-1] == 2
        assert group.borrows.any()
        assert not group.borrows.all()
        targets = group.targets()
        assert targets.shape == (*group.y_query.shape, ENDINGS)
        own = targets[~group.borrows]
        assert torch.equal(own, group.y_query[~group.borrows, :, None].expand_as(own))
        assert not torch.equal(targets[group.borrows][..., 0], group.y_query[group.borrows])


def test_a_rate_and_a_value_are_those_of_their_epoch(monkeypatch):

    def numbered(config, n, generator):
        epochs = (torch.arange(1.0, 101) / 100).expand(n, -1)
        return Runs(epochs, epochs, torch.ones(n), epochs, torch.full((n,), 100), torch.arange(n) % 2 == 0)

    monkeypatch.setattr(run_prior, "runs", numbered)
    for group in replace(TINY, seed=77).batches(0, "cpu"):  # a seed of its own: chunks are kept
        for x, y in ((group.x, group.y), (group.x_query, group.y_query)):
            assert torch.allclose(x[..., 1], x[..., 0] / 100) and torch.allclose(y, x[..., 0] / 100)


def test_a_plan_that_is_not_told_changes_nothing_and_one_that_is_told_does():
    torch.manual_seed(0)
    net = TINY.network().eval()
    torch.nn.init.normal_(net.inputs.plan.weight)
    for layer in net.layers:  # first weights are those of the identity, which reads no context
        torch.nn.init.normal_(layer.out.weight, 0, 0.3)
    x, y, ahead = torch.arange(1.0, 6)[None], torch.rand(1, 5), torch.arange(6.0, 9)[None]

    def told(seen, later):
        pairs = torch.stack([x, torch.tensor([seen])], -1), y, torch.stack([ahead, torch.tensor([later])], -1)
        return net(*pairs)[0]

    untold = net(x, y, ahead)[0]
    assert torch.equal(told([0.0] * 5, [0.0] * 3), untold)
    constant, drop = told([1.0] * 5, [1.0] * 3), told([1.0] * 5, [1.0, 0.1, 0.1])
    assert torch.equal(constant[0], drop[0]) and not torch.allclose(constant[1], drop[1])
    assert not torch.allclose(constant, untold)
    assert not torch.allclose(told([1, 1, 1, 1, 0.1], [0.1] * 3)[1], drop[1])


@pytest.mark.parametrize(("make", "says"), [
    *((lambda bad=bad: batches.check(replace(SMALL, **bad)), ".") for bad in (
        {"cutoffs": 5}, {"cutoffs": 0}, {"schedule": "daily"}, {"precision": "fp8"}, {"curves": 3}, {"draws": "dice"},
        {"stock": 8}, {"stock": 64, "cutoffs": 16}, {"stock": 64, "prior": PriorConfig(length=20, real=0.5)},
        {"stock": 64, "draws": "number", "prior": PriorConfig(length=20, real=1.0)}, {"early": 0.0})),
    (lambda: ModelConfig(features="planned", head="bars").network(torch.linspace(0, 1, 11)), "take head 'mixture'"),
])  # fmt: skip
def test_a_training_that_cannot_be_is_refused(make, says):
    refuses(says, make)
