"""Guards curvecast/curves/sources/catalogue.py: an outsider gets the published tables, and each source its due."""

import gzip
import os
from hashlib import sha256
from pathlib import Path

import pytest
from pybtex.database import parse_file

from curvecast.curves.sources import taskset
from curvecast.curves.sources.catalogue import ORDER, SOURCES, convert
from curvecast.ground.errors import UserError

ROOT = Path(__file__).resolve().parents[4]
CLONES = "CURVECAST_CLONES"  # the folder of the clones, each under the name of its repository


@pytest.mark.parametrize("name", SOURCES)
def test_the_published_table_comes_out_of_the_clone(tmp_path, name):
    """Letter by letter, at the commit that the source names."""
    where, clone = os.environ.get(CLONES), SOURCES[name].origin.name
    if not where or not (Path(where) / clone).is_dir():
        pytest.skip(
            f"{CLONES} names no folder with a clone {clone}: curvecast convert --list says how to get it"
        )
    converted = convert(name, Path(where) / clone, tmp_path)
    text = gzip.decompress((tmp_path / converted.origin.file).read_bytes())
    assert converted.as_published and sha256(text).hexdigest() == SOURCES[name].origin.sha256


def test_no_two_sources_share_a_name_or_a_file():
    origins = [source.origin for source in SOURCES.values()]
    assert len({origin.source for origin in origins}) == len(set(ORDER)) == len(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_has_its_notice(name):
    """Repository, commit, licence and whose it is stand together in NOTICE, and the licence is explained there."""
    origin = SOURCES[name].origin
    notes = (" ".join(text.split()) for text in (ROOT / "NOTICE").read_text(encoding="utf-8").split("\n\n"))
    (note,) = (text for text in notes if text.startswith(f"{origin.source} ({origin.file}):"))
    for due in (f"{origin.address} at commit {origin.commit}", f"; {origin.licence};", origin.copyright):
        assert due in note, due
    assert origin.licence in (ROOT / "NOTICE").read_text(encoding="utf-8").split("\nLicences\n")[1]


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_is_in_the_bibliography(name):
    """So that a page that shows a number of it can cite it."""
    entries = parse_file(str(ROOT / "docs" / "references.bib"), "bibtex").entries
    assert SOURCES[name].origin.citation in entries


def test_the_attribution_that_a_licence_asks_for_is_whole():
    """CC-BY-4.0: authors, title, where it is, and that it was changed."""
    note = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    for due in (
        "C. Yan, F. Mohr, T. Viering, LCDB 1.1",
        "arXiv:2505.15657",
        "10.4121/3bd18108",
        "Changed: 117 of 265",
    ):
        assert due in note, due


def test_a_clone_without_a_curve_to_keep_writes_nothing(tmp_path):
    """Made up: one curve of Taskset that is too short."""
    (tmp_path / "data" / "taskset").mkdir(parents=True)
    (tmp_path / "data" / "taskset" / f"{taskset.FAMILY}a.json").write_text(
        '[{"hp": {}, "valid": {"loss": [0.7]}}]'
    )
    with pytest.raises(UserError, match="has no curve of taskset to keep"):
        convert("taskset", tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
