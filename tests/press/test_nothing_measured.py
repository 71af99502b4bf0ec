"""What a question shows and claims where some parts are missing, before anything is measured, and where it cannot be."""

import json
import os
import re
from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduce._press import contract, store

# What they measure comes in several parts, of which any may be missing: with none there are no rows at all.
IN_PARTS = [
    "beside", "deephyper_model", "encoding_shapes", "finished_bands", "limits", "missing_in_prior", "own_curves",
    "own_forecasts", "porting", "prior_features", "real_curves", "sample_sizes", "shipped", "told_schedule",
]  # fmt: skip
# Tables that are there and empty.
EMPTY = [
    "architectures", "backbone_lengths", "backbone_rates", "ensembles", "longer_curves", "memory", "speedrun",
    "stopping_for_real", "stopping_variants", "training_luck", "two_cores", "weight_decay",
]  # fmt: skip
# Of the paper and of the readers of logs, not measured.
ALWAYS_SHOWN = {"porting": {"printed"}, "real_curves": {"readings"}}
OF_OTHERS = ["finished_bands", "prior_features", "real_curves"]  # measured on curves that are fetched


@pytest.mark.parametrize("name", IN_PARTS)
def test_without_rows_nothing_is_shown_and_no_claim_is_tested(name):
    """Every claim is there, by a name of its own, and none is tested; no figure, no table."""
    question = contract.load(name)
    untested(question, {})
    assert set(question.show("tabulate", {}, "laptop")) == ALWAYS_SHOWN.get(name, set())
    assert question.show("draw", {}, "laptop") == {}


@pytest.mark.parametrize("name", EMPTY)
def test_of_empty_tables_no_claim_is_tested(name):
    question = contract.load(name)
    empty = {name: pd.DataFrame(columns=list(some)) for name, some in question.module.TABLES.items()}
    untested(question, empty if len(empty) > 1 else empty["rows"])


def untested(question: contract.Question, rows: object) -> None:
    claims = question.show("claims", rows, "laptop")
    assert claims and len({claim.name for claim in claims}) == len(claims)
    assert all(claim.value is None for claim in claims)


@pytest.mark.parametrize("name", OF_OTHERS)
def test_without_the_folder_a_question_says_what_to_fetch(name, monkeypatch):
    monkeypatch.delenv("CURVECAST_DATA", raising=False)
    assert "clone" in contract.lacking(name)


Tables = dict[str, pd.DataFrame]
FIGURES = contract.ROOT / "figures"
SCALES = {
    name: scale
    for scale in ("paper", "laptop")
    for name in contract.names()
    if (FIGURES / name / scale).is_dir()
}
EVERY = bool(os.environ.get("CURVECAST_EXAMPLES"))
KIND = re.compile(r"\d*[^\d-]*")  # of a part: seed-3 is of the kind seed


@pytest.mark.filterwarnings("ignore:No artists with labels")  # an empty picture is one
@pytest.mark.parametrize("name", SCALES)
def test_any_part_may_be_missing(name):
    """Of what is published at the smaller scale: what is there is shown, and no claim loses its name.

    Two cases a question, the cheapest; with CURVECAST_EXAMPLES every kind of part alone, and every kind left out.
    """
    question, scale = contract.load(name), SCALES[name]
    rows = store.read(FIGURES / name / scale, question.parts(scale))[0]
    tables = rows if isinstance(rows, dict) else {"rows": rows}
    published = json.loads((FIGURES / name / scale / "claims.json").read_text(encoding="utf-8"))
    for case, kept in enumerate(without_some(tables) if len(question.parts(scale)) > 1 else ()):
        some = question.whole(kept["rows"] if set(kept) == {"rows"} else kept, scale)
        claims = question.show("claims", some, scale)
        assert [claim.name for claim in claims] == [claim["name"] for claim in published]
        assert isinstance(question.show("tabulate", some, scale), dict)
        if case == 0 or EVERY:
            assert isinstance(question.show("draw", some, scale), dict)
        plt.close("all")


def without_some(tables: Tables) -> Iterator[Tables]:
    """The smallest kind of part alone, and all but the largest."""
    of = {name: table["part"].map(lambda part: KIND.match(part)[0]) for name, table in tables.items()}
    if len(set(pd.concat(of.values()))) == 1:
        of = {name: table["part"] for name, table in tables.items()}
    kinds = pd.concat(of.values()).value_counts().index
    for alone, some in ((True, kinds if EVERY else kinds[-1:]), (False, kinds if EVERY else kinds[:1])):
        for kind in some:
            kept = {name: table[(of[name] == kind) == alone] for name, table in tables.items()}
            yield {name: table.reset_index(drop=True) for name, table in kept.items() if len(table)}
