"""Guards the small TabPFN: made-up tables, what the network may depend on, and the classifier as scikit-learn wants it."""

from unittest.mock import Mock

import numpy as np
import pytest
import torch
from scipy.stats import rankdata
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.utils.estimator_checks import check_estimator

from curvecast.ground.errors import UserError
from curvecast.tables import classifier, prior
from curvecast.tables.classifier import TableClassifier
from curvecast.tables.network import FARTHEST, TableNetworkConfig, numbers
from curvecast.tables.prior import CLASSES, ROWS, TablePrior, classes, coarse, warped
from curvecast.tables.training import BORDERS, training
from tests.curvecast.generators import generator
from tests.curvecast.refusals import refuses

IRIS = load_iris(return_X_y=True)
SOME, OTHERS = np.arange(0, 150, 3), np.arange(1, 150, 3)


def network(mask=True):
    torch.manual_seed(0)
    return TableNetworkConfig(16, 2, 2, mask).network(BORDERS).double()


def asked(net, x, y, x_query):
    with torch.no_grad():
        return net(x, y, x_query)


@pytest.fixture
def table():
    """Context x (2, 20, 4), y (2, 20), and five rows that are asked for."""
    made = TablePrior().sample(2, 25, 4, generator(1))
    x = made.x.double()
    return x[:, :20], made.y[:, :20], x[:, 20:]


@pytest.mark.parametrize("causal", [0.0, 1.0])
def test_made_up_tables_have_classes_and_no_holes_unless_asked(causal):
    x, y = TablePrior(causal).sample(64, 50, 5, generator())
    assert x.shape == (64, 50, 5) and y.shape == (64, 50)
    assert x.isfinite().all() and y.min() >= 0 and y.max() < CLASSES
    count = [len(own.unique()) for own in y]
    assert {2, 3, 4} <= set(count) and count.count(2) > 24  # a half
    holed = TablePrior(causal, missing=1.0).sample(64, 50, 5, generator()).x
    assert 0.2 < holed.isnan().float().mean() < 0.4


def told(x, y):
    """How much more often neighbours share their class than strangers."""
    x = (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-6)
    nearest = (torch.cdist(x, x) + 1e9 * torch.eye(x.shape[1])).argmin(2)
    alike = (y.gather(1, nearest) == y).float().mean(1)
    by_chance = torch.stack([(y == c).float().mean(1) ** 2 for c in range(CLASSES)]).sum(0)
    return (alike - by_chance).mean()


@pytest.mark.parametrize("causal", [0.0, 1.0])
def test_a_label_can_be_told_from_its_columns(causal):
    assert told(*TablePrior(causal).sample(64, 200, 4, generator())) > 0.1


def test_columns_of_a_causal_table_may_be_effects_of_its_label(monkeypatch):
    """Chance makes the label, behind at least as many nodes as there are columns: yet columns tell it."""
    found, chance = [], Mock(side_effect=lambda _, rows, n, generator: torch.randn(n, rows, CLASSES))
    monkeypatch.setattr(prior, "_scores", chance)
    for seed in range(60):
        made = TablePrior(1.0).sample(16, 100, 2, generator(seed))
        found += [told(*made)] if chance.call_args.args[0].shape[2] >= 2 else []  # nodes before the label
    assert len(found) > 20 and np.mean(found) > 0.015


def test_ugly_columns_keep_their_order_and_come_in_their_shares():
    x = torch.randn(400, 60, 2, generator=generator()).sort(1).values
    steps = coarse(x, generator())
    assert (steps.diff(dim=1) >= 0).all() and (warped(x, generator()).diff(dim=1) >= 0).all()
    levels = torch.tensor([len(own.unique()) for own in steps.transpose(1, 2).flatten(0, 1)])
    assert abs((levels <= 9).float().mean() - 0.2) < 0.07  # five standard errors, as below
    holes = TablePrior(0.0, missing=0.4).sample(400, 20, 2, generator()).x.isnan().any(2).any(1)
    assert abs(holes.float().mean() - 0.4) < 0.12


def test_names_of_classes_say_nothing():
    """The row of the lowest score has the first of them as often as the second."""
    scores = torch.randn(2000, 100, CLASSES, generator=generator())
    of_lowest = classes(scores, generator(1)).gather(1, scores[..., :1].argmin(1))[:, 0]
    assert abs(of_lowest.bincount()[:2].diff()) < 0.1 * 2000


def test_the_order_of_rows_and_of_columns_says_nothing(table):
    x, y, query = table
    net, rows, columns = network(), torch.randperm(20), torch.tensor([2, 0, 3, 1])
    plain = asked(net, x, y, query)
    assert torch.allclose(asked(net, x[:, rows], y[:, rows], query), plain, atol=1e-9)
    assert torch.allclose(asked(net, x[..., columns], y, query[..., columns]), plain, atol=1e-9)


def test_rows_that_are_asked_for_do_not_see_one_another_and_tables_neither(table):
    x, y, query = table
    net = network()
    plain = asked(net, x, y, query)
    assert torch.allclose(asked(net, x, y, query[:, 1:2]), plain[:, 1:2], atol=1e-9)
    assert torch.allclose(asked(net, x[:1], y[:1], query[:1]), plain[:1], atol=1e-9)
    # but what came before, they do
    assert not torch.allclose(asked(net, x, 1 - y.clamp(max=1), query), plain)


def test_the_scale_of_a_column_says_nothing_and_a_class_that_is_not_there_has_no_chance(table):
    x, y, query = table
    net = network()
    plain = asked(net, x, y, query)
    assert torch.allclose(asked(net, 5 * x - 3, y, 5 * query - 3), plain, atol=1e-6)
    one, none = torch.ones_like(y), torch.zeros(2, 5).long()
    assert asked(net, x, one, query).isinf().sum(-1).eq(CLASSES - 1).all()
    assert net.log_density(x, one, query, none).eq(0).all()  # nor does a loss count it


def test_a_cell_is_its_distance_and_its_rank_among_the_cells_that_are_there():
    """Ties share their rank, as in scipy; a distance ends somewhere, and a constant column has none. What is missing is the
    mean, unless the network is told."""
    column, there = torch.tensor([1.0, 1.0, 2.0, torch.nan, 5.0]), [0, 1, 2, 4]
    x = torch.stack([column, torch.ones(5)], 1)[None]
    query = torch.tensor([[[99.0, 99.0], [2.25, 1.0]]])
    not_told, found = (numbers(x, query, mask)[0] for mask in (False, True))
    assert np.allclose(found[there, 0, 1] / 1.7, (2 * rankdata(column[there]) - 1) / 4 - 1)
    assert found[5:, :, 0].tolist() == [[FARTHEST, 0], [0, 0]]  # 2.25 is the mean
    assert found[3, 0].tolist() == [0, 0, 1] and not_told[3, 0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("mask", [True, False])
def test_each_step_has_other_tables_and_only_a_mask_is_shown_holes(mask):
    config = training(320, TableNetworkConfig(16, 1, 1, mask))
    contexts = [next(config.batches(step, "cpu")).x for step in range(10)]
    assert len({x.shape[1] for x in contexts}) > 5
    assert any(bool(x.isnan().any()) for x in contexts) == mask


@pytest.mark.slow
def test_scikit_learn_accepts_it():
    check_estimator(TableClassifier(passes=1), on_skip=None)


def test_names_of_classes_are_mapped_back_and_the_mean_of_passes_is_the_forecast():
    """Of every pass most rows are right, so each class came back to its place."""
    fitted = TableClassifier(8, random_state=0).fit(IRIS[0][SOME], IRIS[1][SOME])
    passes, y = fitted.probabilities_of_passes(IRIS[0][OTHERS]), IRIS[1][OTHERS]
    assert ((passes.argmax(2) == y).mean(1) > 0.8).all()
    assert np.array_equal(fitted.predict_proba(IRIS[0][OTHERS]), passes.mean(0))


def test_a_pass_maps_context_and_rows_alike_and_passes_differ(monkeypatch):
    x, y = make_moons(100, random_state=0)
    network = Mock(side_effect=lambda _x, _y, rows: torch.zeros(1, rows.shape[1], CLASSES))
    monkeypatch.setattr(classifier, "network_of", lambda _: network)
    fitted = TableClassifier(20, random_state=0).fit(x, y)
    assert fitted.predict_proba(np.tile(x[:40], (30, 1))).shape == (1200, 2)
    calls = [call.args for call in network.call_args_list[::2]]  # the first thousand rows of each pass
    contexts, labels, rows = zip(*calls, strict=True)
    assert all(torch.equal(own[:, :40], context[:, :40]) for own, context in zip(rows, contexts, strict=True))
    assert 5 <= sum(not torch.equal(context, contexts[0]) for context in contexts) <= 15
    assert len({tuple(own[0, :9].tolist()) for own in labels}) > 5


def test_wide_tall_and_many_classed_tables_have_the_documented_answer():
    x, y = load_digits(n_class=5, return_X_y=True)
    fitted = TableClassifier(1, random_state=0).fit(x[:300], y[:300])
    assert fitted.x_.shape == (ROWS, 10) and np.bincount(fitted.y_).min() >= 40
    p = fitted.predict_proba(x[300:400])
    assert p.shape == (100, 5) and np.allclose(p.sum(1), 1) and fitted.score(x[300:400], y[300:400]) > 0.7


def test_holes_constant_columns_and_huge_numbers_are_read():
    x, y = make_moons(80, noise=0.1, random_state=0)
    ugly = np.c_[x * 1e200 + 1e203, np.ones(80), np.full(80, np.nan)]
    ugly[::7, 0] = np.nan
    with np.errstate(all="raise"):
        fitted = TableClassifier(4, random_state=0).fit(ugly[:50], y[:50])
    assert fitted.score(ugly[50:], y[50:]) > 0.8
    assert fitted.score(ugly[50:], np.full(30, 7)) == 0  # a class that was not in training counts as wrong
    rare = np.eye(50)[:, :1]  # of strong powers, which make infinities of what lies far outside
    far = TableClassifier(8, random_state=0).fit(rare, np.arange(50) % 2).predict_proba([[-1e9]])
    assert np.isfinite(far).all()


def test_what_cannot_be_fitted_is_refused_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="at least two classes; y has one class alone"):
        TableClassifier().fit([[1.0], [2.0]], ["a", "a"])
    refuses("at least one pass", lambda: TableClassifier(passes=0).fit(*IRIS))
    with pytest.raises(UserError, match="no weights at"):
        TableClassifier(weights=str(tmp_path / "none")).fit(*IRIS).predict(IRIS[0])


@pytest.mark.parametrize("counts", [(200, 57), (256, 1), (400, 300, 1, 1)])
def test_of_many_rows_every_class_keeps_some(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    x = np.random.default_rng(0).normal(size=(len(y), 2))
    fitted = TableClassifier(passes=1, random_state=0).fit(x, y)
    assert len(fitted.y_) == 256 and set(fitted.y_) == set(range(len(counts)))
    assert np.abs(np.bincount(fitted.y_) - 256 * np.array(counts) / len(y)).max() < 2
    assert (fitted.predict_proba(x[:3]) > 0).all()
