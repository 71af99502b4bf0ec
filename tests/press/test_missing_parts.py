"""Guards all questions: whatever parts are missing, they show and claim what is there, and no claim loses its name.

Two cases a question, the cheapest; with CURVECAST_EXAMPLES every kind of part alone, and every kind left out.
"""

import json
import os
import re
from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from reproduce._press import contract, store

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
    """Of what is published at the smaller scale."""
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
