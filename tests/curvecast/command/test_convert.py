"""Guards curvecast/command/convert.py: from what to clone to tables, and whether they are the published ones."""

import json
from dataclasses import replace

import pytest

from curvecast.__main__ import main
from curvecast.command import convert
from curvecast.curves import real_table
from curvecast.curves.sources import catalogue, taskset
from curvecast.curves.sources.catalogue import SOURCES


@pytest.fixture
def clone(tmp_path):
    """Made up: two runs of a task of Taskset."""
    losses = [[first - i / 100 for i in range(20)] for first in (0.7, 0.9)]
    (tmp_path / "DyHPO" / "data" / "taskset").mkdir(parents=True)
    (tmp_path / "DyHPO" / "data" / "taskset" / f"{taskset.FAMILY}a.json").write_text(
        json.dumps([{"hp": {}, "valid": {"loss": loss}} for loss in losses])
    )
    return tmp_path / "DyHPO"


def test_the_list_says_what_to_clone(capsys):
    """Two lines a source: repository, commit, size, licence; then the command."""
    assert main(["convert", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 * len(SOURCES)
    for facts, command, (name, (origin, _)) in zip(lines[::2], lines[1::2], SOURCES.items(), strict=True):
        assert facts.split()[0] == name and origin.licence in facts and f"{origin.megabytes:,} MB" in facts
        assert origin.commit in command and origin.repository in command


def test_a_table_that_is_not_the_published_one_is_told(clone, tmp_path, capsys):
    """It is written all the same, and can be read; the exit status is 1."""
    assert main(["convert", "taskset", str(clone), str(tmp_path / "out")]) == 1
    told = capsys.readouterr()
    assert told.out.endswith("taskset_rnn12_valid_loss.csv.gz: 2 curves, 40 points; Apache-2.0\n")
    assert "was written, but differs from the published table" in told.err and told.err.count("\n") == 1
    assert [curve.curve_id for curve in real_table.read(tmp_path / "out")] == ["a/0000", "a/0001"]


def test_a_table_that_is_the_published_one_ends_with_0(clone, tmp_path, capsys, monkeypatch):
    """Of all clones in one folder, each under the name of its repository."""
    source = SOURCES["taskset"]
    found = catalogue.convert("taskset", clone, tmp_path / "out")
    published = source._replace(origin=replace(source.origin, sha256=found.sha256))
    for module in (convert, catalogue):
        monkeypatch.setattr(module, "SOURCES", {"taskset": published})
    assert main(["convert", "all", str(tmp_path), str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == ""


def test_what_is_left_out_is_counted(clone, tmp_path, capsys):
    """Made up: the second loss has a hole."""
    path = clone / "data" / "taskset" / f"{taskset.FAMILY}a.json"
    path.write_text(path.read_text().replace("[0.9,", "[1e999,"))
    main(["convert", "taskset", str(clone), str(tmp_path / "out")])
    assert "1 curves, 20 points; 1 with a value that is not finite left out;" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "convert needs SOURCE, CLONE and OUT, or --list"),
        (["pythia", "x"], "convert needs SOURCE, CLONE and OUT, or --list"),
        (["pithia", "x", "y"], "there is no source 'pithia': take all or one of taskset, "),
        (["pythia", "nowhere", "y"], "there is no folder nowhere: git clone"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(words, told, complaint):
    assert complaint("convert", *words).startswith(f"curvecast: {told}")
