"""What a question shows and claims before anything is measured, and where it cannot be."""

import json

import pandas as pd
import pytest

from reproduce._press import contract

# What they measure comes in several parts, of which any may be missing: with none there are no rows at all.
IN_PARTS = [
    "beside", "deephyper_model", "encoding_shapes", "finished_bands", "limits", "mcmc", "missing_in_prior", "own_curves",
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


@pytest.mark.parametrize("name", IN_PARTS)
def test_claims_have_the_same_names_on_any_rows(name):
    """Those of what is published, of which some parts may be missing."""
    question = contract.load(name)
    for path in (contract.ROOT / "figures" / name).glob("*/claims.json"):
        stated = [claim["name"] for claim in json.loads(path.read_text(encoding="utf-8"))]
        assert [claim.name for claim in question.show("claims", {}, path.parent.name)] == stated


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
