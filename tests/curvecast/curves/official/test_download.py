"""Guards curvecast/curves/official/download.py: what to fetch is said, what is not whole is refused; each has its due."""

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from pybtex.database import parse_file

from curvecast.curves.official.download import Official, numbers
from curvecast.curves.official.lcbench import LCBENCH
from curvecast.curves.official.nas_bench_201 import NAS_BENCH_201
from curvecast.curves.official.pd1 import PD1
from curvecast.curves.official.taskset_archive import TASKSET
from curvecast.ground.errors import UserError

ROOT = Path(__file__).resolve().parents[4]
EVERY = pytest.mark.parametrize(
    "terms", [TASKSET, LCBENCH, NAS_BENCH_201, PD1], ids=lambda terms: terms.source
)
MADE_UP = Official(
    file="a.csv.gz", source="a", licence="MIT", copyright="They", citation="they2020",
    name="a.zip", address="https://example.org/a", size="3 MB", md5=hashlib.md5(b"whole").hexdigest(),
)  # fmt: skip


def test_what_is_not_there_is_told_with_all_that_is_needed_to_get_it(tmp_path):
    """Name, size, licence, address, place."""
    with pytest.raises(UserError) as told:
        MADE_UP.checked(tmp_path / "a.zip")
    assert str(told.value) == (
        f"there is no {tmp_path / 'a.zip'}: download a.zip (3 MB; MIT) from https://example.org/a and put it there"
    )


def test_another_checksum_is_refused_unless_that_is_wanted(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(b"whole")
    assert MADE_UP.checked(path) == path and replace(MADE_UP, md5=MADE_UP.md5[-5:]).checked(path) == path
    path.write_bytes(b"other")
    with pytest.raises(
        UserError, match=rf"a\.zip has the md5 \w+, not {MADE_UP.md5}: download .* any_checksum=True"
    ):
        MADE_UP.checked(path)
    assert MADE_UP.checked(path, any_checksum=True) == path


def test_what_is_cut_off_is_told_apart_from_another_layout(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"whole" * 99)[:-20])
    with (
        pytest.raises(UserError, match=r"a\.gz is cut off or damaged"),
        MADE_UP.layout(path),
        gzip.open(path) as file,
    ):
        file.read()
    told = r"a\.gz, line 3 is not laid out as a\.zip \(KeyError: 'loss'\)"
    with pytest.raises(UserError, match=told), MADE_UP.layout(f"{path}, line 3"):
        {}["loss"]


def test_text_is_no_number_and_what_is_missing_is_nan():
    first, second = numbers([1, None])
    assert first == 1.0 and second != second
    with pytest.raises(ValueError, match=r"'0\.5' is text"):
        numbers([0.5, "0.5"])


@EVERY
def test_each_benchmark_has_its_notice_and_its_reference(terms):
    """Licence and whose it is stand together in NOTICE."""
    notes = [" ".join(text.split()) for text in (ROOT / "NOTICE").read_text(encoding="utf-8").split("\n\n")]
    (note,) = (text for text in notes if text.startswith(f"{terms.source}: "))
    assert f"; {terms.licence}; {terms.copyright}." in note
    assert terms.citation in parse_file(str(ROOT / "docs" / "references.bib"), "bibtex").entries
