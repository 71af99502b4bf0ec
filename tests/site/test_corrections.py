"""Each row of corrections names a test or page that exists. And a number that nothing else counts."""

from pathlib import Path

import pytest
from torch import nn

from reproduce._site import corrections
from reproduce._site.pages import PageError

ROOT = Path(__file__).resolve().parents[2]
HEAD = "notes,place,says,right,shown\n"


def test_each_row_names_a_test_or_a_page_that_exists() -> None:
    assert sum(map(len, corrections.read(ROOT).values())) > 40


@pytest.mark.parametrize(("row", "told"), [
    ("blog,a,b,c,", "shown is empty"), ("blog,a,,c,index.md", "says is empty"),
    ("blog,a,b,c,index.md,more", "more cells than the header"), ("blog,a,b,c,somewhere", "names no test"),
    ("blog,a,b,c,no-such-page.md#here", "no page docs/no-such-page.md"),
    ("blog,a,b,c,tests/site/test_corrections.py::test_no", "there is no tests/site/test_corrections.py::test_no"),
])  # fmt: skip
def test_a_row_without_one_stops_the_build_with_its_line(tmp_path: Path, row: str, told: str) -> None:
    for name in ("docs", "tests", corrections.FILE):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    file = tmp_path / corrections.FILE
    file.unlink()
    file.write_text(f"{HEAD}blog,a,b,c,index.md\n{row}\n", encoding="utf-8")
    with pytest.raises(PageError, match=f"line 3: .*{told}"):
        corrections.read(tmp_path)


@pytest.mark.parametrize(("hidden", "parameters"), [(100, 79_510), (30, 23_860)])
def test_the_books_networks_have_so_many_parameters(hidden: int, parameters: int) -> None:
    """Images of 28 × 28 pixels and ten digits."""
    net = nn.Sequential(nn.Linear(28 * 28, hidden), nn.Linear(hidden, 10))
    assert sum(p.numel() for p in net.parameters()) == parameters
