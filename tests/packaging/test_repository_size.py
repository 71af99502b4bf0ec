"""Guards the weight of the repository: a clone is small, and stays so."""

import subprocess
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# In bytes: all tracked files (a warning, then a failure), one file, weights/published/.
NEARLY_FULL, TREE, FILE, WEIGHTS = 40_000_000, 45_000_000, 1_000_000, 10_000_000


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """The tracked files, as they lie here."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("there is no git here to say what is tracked")
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return {str(path.relative_to(ROOT)): path.stat().st_size for path in paths if path.is_file()}


@pytest.mark.filterwarnings("default:the tracked tree")
def test_the_tracked_tree_is_small(sizes):
    """Rows are packed, drawings are kept once, receipts share what they have in common."""
    heaviest = sorted(sizes, key=sizes.__getitem__)[-5:]
    told = f"the tracked tree has {sum(sizes.values()) / 1e6:.1f} MB; the heaviest files: {heaviest}"
    assert sum(sizes.values()) <= TREE, told
    if sum(sizes.values()) > NEARLY_FULL:
        warnings.warn(told, stacklevel=1)


def test_no_file_but_weights_is_large(sizes):
    """Most of a megabyte is a mistake; larger weights are made again, or released."""
    published = {name: size for name, size in sizes.items() if name.startswith("weights/")}
    assert not [name for name, size in sizes.items() if size > FILE and name not in published]
    assert sum(published.values()) <= WEIGHTS
    assert all(name.startswith("weights/published/") for name in published)
