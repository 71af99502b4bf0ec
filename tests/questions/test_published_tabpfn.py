"""Guards the published TabPFN: how it is asked and scored, and what it is compared with."""

import numpy as np
import pandas as pd
import pytest
import torch

from reproduce.priors import _rivals, _tables, published_tabpfn, tabpfn_beside_tuned
from reproduce.priors._tables import Split
from reproduce.rival.tabpfn_program import Published


class Classifier:
    """In place of the package: probabilities that torch draws, of the classes that it was shown."""

    N_ensemble_configurations = 0

    def fit(self, x, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, x):
        p = torch.rand(len(x), len(self.classes_)) + self.N_ensemble_configurations
        return (p / p.sum(1, keepdim=True)).numpy()


class Program(Published):
    def __init__(self):
        self.torch, self.classifier = torch, Classifier()

    def ask(self, do, **request):
        return getattr(self, do)(**request)


def test_the_seed_settles_what_is_drawn():
    """And each request says its number of passes anew."""
    rows = [[0.0], [1.0], [2.0]]
    ways = ((1, 0), (1, 0), (32, 0), (1, 1))  # passes, seed
    once, again, many, other = (Program().classify(rows, [0, 1, 1], rows, *way)["p"] for way in ways)
    assert once == again and once != other and np.ptp(many) < np.ptp(once)


def test_a_class_without_training_rows_has_no_chance():
    """Probabilities stand in the columns of their classes: of a row of the class in between only the floor is left."""
    split = Split(np.zeros((4, 2)), np.array([0, 2, 0, 2]), np.zeros((3, 2)), np.array([0, 1, 2]))
    found = published_tabpfn.scored(Program(), split, passes=1, seed=0)
    assert found["accuracy"] <= 2 / 3 and found["log_loss"] > -np.log(2 * _tables.FLOOR) / 3


def test_a_rival_is_tuned_where_rows_are_few_and_a_class_has_none():
    """Eight rows of ten have at most eight neighbours, and the class in between has no chance."""
    x, y = np.arange(10.0)[:, None], np.repeat([0, 1, 2], [5, 0, 5])
    p = _rivals.probabilities("neighbours", True, Split(x, y, x, y), 0)
    assert p[:, 1].max() == 0 and (p.argmax(1) == y).all()


def test_tables_are_what_their_sources_say():
    """At most ten columns, none of which is the label; of the Titanic 1045 whole rows, where women survived."""
    for name in _tables.TABLES:
        x, y = _tables.table(name)
        assert x.shape[1] <= 10 and set(y) == set(range(y.max() + 1))
        assert all(abs(np.corrcoef(column, y)[0, 1]) < 0.99 for column in x.T), name
    x, y = _tables.table("titanic")
    assert len(x) == 1045 and x[y == 1, 1].mean() > 0.5
    assert _tables.most_spread(np.outer([1, -1], np.arange(12)))[0].tolist() == list(range(2, 12))


def test_methods_are_compared_on_splits_of_both():
    """A split that only one of them has would bias the difference. Without a rival there is none, and no answer."""
    lines = [
        (table, 50, split, method, auc + lead + 0.1 * split)
        for table, auc in (("a", 0.5), ("b", 0.7))
        for method, lead, splits in (("tabpfn 3", 0.04, 4), ("forest", 0.0, 2)) for split in range(splits)
    ]  # fmt: skip
    rows = pd.DataFrame(lines, columns=["table", "rows", "split", "method", "auc"]).assign(log_loss=0.3)
    assert tabpfn_beside_tuned.best(rows, "auc") == "forest"
    assert tabpfn_beside_tuned.above(rows, "tabpfn 3", "auc")["forest"] == pytest.approx((0.04, 0.04, 0.04))
    assert not any(claim.tested() for claim in tabpfn_beside_tuned.claims(rows[rows["method"] == "tabpfn 3"]))
