"""Guards what pages say of claims and of others: which are counted and named, and what corrections rest on."""

import csv
import re
from pathlib import Path

import pytest
from torch import nn

from presswork.answers import claims_file
from presswork.ground.errors import UserError
from reproduce._plugin import headlines as together
from reproduce._plugin.paper import CORRECTIONS, PaperClaim, corrections_of
from reproduce._plugin.paper import counted as tally
from tests.site.fake_answers import ROOT

YES = {"value": 1.0, "low": 0.9, "high": 1.1, "answer": "yes"}
COUNTED = {"value": 1.0, "low": 1.0, "high": 1.0, "answer": "yes"}
CLAIMS = {
    "slips/own": YES, "exact/beats": YES, "mcmc/speed": YES | {"answer": "no"}, "mcmc/ours": YES,
    "shipped/half": YES | {"answer": "unclear"},
    "grid/cell": YES | {"value": None, "answer": "not tested"},
    "porting/lines": COUNTED, "limits/percent": COUNTED, "limits/spikes": YES | {"answer": "unclear"},
}  # fmt: skip
TESTS = [
    ("its own table", "nats", "slips/own"),
    ("measured", "times", "mcmc/speed"),
    ("stand-in, a network of ours", "nats", "exact/beats"),
]
TOLD = [PaperClaim("fast", "Abstract", "", TESTS), PaperClaim("good on real curves", "4.2", "", [])]


@pytest.mark.parametrize(
    ("of", "says"),
    [
        ("paper", "1 yes, 1 no and 1 not tested"),
        ("own table", "1 yes"),
        ("stand-ins", "1 yes"),  # in place of what the paper speaks of
        ("all", "5 yes, 1 no, 2 unclear and 1 not tested"),
        ("open", "4 of 11"),  # with those that are no longer asked
        ("open asked", "3 of 9"),
        ("open retired", "1 of 2"),
        ("false with retired", "1"),
        ("intervals", "5"),  # not what rounding leaves open, nor what was counted
        ("false", "1"),
        ("no interval", "2"),
    ],
)
def test_each_kind_of_claim_is_counted_once(of, says):
    """What tests the paper's claims, what only reads its table again, what stands in, what is ours."""
    assert tally(of, TOLD, CLAIMS, [YES | {"answer": "unclear"}, COUNTED | {"answer": "no"}]) == says


def test_of_many_intervals_some_are_false():
    """One in forty on the wrong side, rounded up."""
    many = {f"q/c{i}": YES for i in range(250)}
    assert [tally(of, [], many, []) for of in ("intervals", "false")] == ["250", "7"]
    with pytest.raises(UserError, match="no tally 'theirs'; there are paper, own table"):
        tally("theirs", TOLD, CLAIMS, [])


@pytest.mark.parametrize("freedom", [1, 2, 5, 20])
def test_students_law_is_that_of_scipy(freedom):
    stats = pytest.importorskip("scipy.stats")
    assert together.outside(2.5, freedom) == pytest.approx(2 * stats.t.sf(2.5, freedom), abs=1e-9)
    assert together.ends(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-6)


def test_headlines_of_a_page_are_corrected_together(tmp_path):
    """Whose interval just misses its bound is open beside others, and decided alone; other text names no headline."""
    box = '!!! abstract "Answer"\n\n' + "    So it is {{ found('q/a') }}{{ shows('q/b', 'yes') }}.\n\n"
    (tmp_path / "page.md").write_text(f"# A page\n\n{box}Another {{{{ shows('q/c', 'yes') }}}}.\n")
    (tmp_path / "index.md").write_text("# Here\n\n## What we found\n\n{{ shows('q/c', 'no') }}\n\n## Cite\n")
    assert together.headlines(tmp_path) == {"index": ["q/c"], "page": ["q/a", "q/b"]}
    near = YES | {"low": 0.01, "high": 1.99, "needs": {"above": 0}, "over": [["seeds", 3]]}
    claims = {"q/a": near, "q/b": near | {"low": 0.9}, "q/c": near | {"low": -1.0, "answer": "unclear"}}
    p = together.p_values([*claims], claims)
    assert 0.045 < p["q/a"] < 0.05 and p["q/b"] < 0.001 and p["q/c"] == 1
    assert together.turned({"q/a": p["q/a"]}, ["q/a"]) == [] and together.turned(p, ["q/a", "q/b"]) == ["q/a"]
    assert together.turned(p | {"q/d": 0.03}, ["q/a", "q/d"]) == ["q/d", "q/a"]
    below = near | {"low": -1.9, "value": -1.0, "high": -0.1, "answer": "no"}
    assert together.p_value(below) == pytest.approx(together.p_value(near | {"low": 0.1}))
    assert together.p_value(near | {"needs": {"at_least": 0, "at_most": 5}}) == together.p_value(near)


NAME = re.compile(r"(?<![\w/.])([a-z][a-z0-9_]*/[a-z][\w-]*)")
UNSPOKEN = ("log.md", "all-claims.md")  # pages that name a claim without speaking of it


def published() -> set[str]:
    """The names of claims, at whatever scale."""
    files = sorted((ROOT / "figures").glob("*/*/claims.json"))
    stated = ((path.parts[-3], claims_file.read(path.read_bytes())) for path in files)
    return {f"{name}/{claim['name']}" for name, claims in stated for claim in claims}


def test_each_claim_is_named_by_a_sentence_or_by_the_papers_table():
    """On a page or in a notebook, but the log and the list of all claims; whatever its answer. Others are retired."""
    texts = [path for path in (ROOT / "docs").rglob("*.*") if path.suffix in (".md", ".ipynb")]
    naming = [path for path in texts if path.name not in UNSPOKEN]
    naming.append(ROOT / "reproduce/printed/paper_claims.csv")
    named = {name for path in naming for name in NAME.findall(path.read_text(encoding="utf-8"))}
    unnamed = published() - named
    assert not unnamed, "name them in a sentence, or: python -m reproduce publish NAME --retire WHY"


def test_what_changed_after_its_rows_is_published_and_has_a_reason():
    known = published() | claims_file.retired_names(ROOT)  # which may be the last that is known of it
    with (ROOT / "reproduce" / "printed" / "after_rows.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and all(row["why"].endswith(".") and set(row) == {"claims", "why"} for row in rows)
    assert [name for row in rows for name in row["claims"].split() if name not in known] == []


HEAD = "notes,place,says,right,shown\n"


def test_each_row_names_a_test_or_a_page_that_exists() -> None:
    assert sum(map(len, corrections_of(ROOT).values())) > 40


@pytest.mark.parametrize(("row", "told"), [
    ("blog,a,b,c,", "shown is empty"), ("blog,a,,c,index.md", "says is empty"),
    ("blog,a,b,c,index.md,more", "more cells than the header"), ("blog,a,b,c,somewhere", "names no test"),
    ("blog,a,b,c,no-such-page.md#here", "no page docs/no-such-page.md"),
    ("blog,a,b,c,tests/site/test_tally.py::test_no", "there is no tests/site/test_tally.py::test_no"),
])  # fmt: skip
def test_a_row_without_one_stops_the_build_with_its_line(tmp_path: Path, row: str, told: str) -> None:
    for name in ("docs", "tests", CORRECTIONS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    file = tmp_path / CORRECTIONS
    file.unlink()
    file.write_text(f"{HEAD}blog,a,b,c,index.md\n{row}\n", encoding="utf-8")
    with pytest.raises(UserError, match=f"line 3: .*{told}"):
        corrections_of(tmp_path)


@pytest.mark.parametrize(("hidden", "parameters"), [(100, 79_510), (30, 23_860)])
def test_the_books_networks_have_so_many_parameters(hidden: int, parameters: int) -> None:
    """Images of 28 × 28 pixels and ten digits."""
    net = nn.Sequential(nn.Linear(28 * 28, hidden), nn.Linear(hidden, 10))
    assert sum(p.numel() for p in net.parameters()) == parameters
