"""Guards arguments, convert and doctor: what nobody knows is told in one sentence, and what is broken as well."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from curvecast.__main__ import main
from curvecast.command import convert, doctor, options
from curvecast.command.arguments import Parser
from curvecast.curves import real_table
from curvecast.curves.sources import catalogue, scaling_laws, taskset
from curvecast.curves.sources.catalogue import SOURCES
from curvecast.forecasting import normalise, shipped


@pytest.fixture
def parser():
    whole = Parser("tool")
    commands = whole.add_subparsers(dest="command", required=True, metavar="command")
    read = commands.add_parser("read")
    read.add_argument("names", nargs="*", default=["-"])
    read.add_argument("--kind", choices=("wide", "long"))
    read.add_argument("--brief", action="store_true")
    read.files = "names"
    commands.add_parser("write")
    return whole


@pytest.mark.parametrize(("words", "said"), [
    (["raed"], "tool: there is no command 'raed': did you mean 'read'?"),
    (["zzz"], "tool: there is no command 'zzz'; see tool --help"),
    ([], "tool: the following arguments are required: command; see tool --help"),
    (["read", "--knid=wide"], "tool read: there is no option '--knid': did you mean '--kind'?"),
    (["read", "--kind", "wied"], "tool read: there is no --kind 'wied': did you mean 'wide'?"),
    (["write", "x\x1b"], r"tool write: 'x\x1b' is an unexpected argument; see tool write --help"),
])  # fmt: skip
def test_what_is_not_known_is_one_sentence_with_what_was_meant(parser, capsys, words, said):
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(words)
    assert capsys.readouterr().err == said + "\n"


@pytest.mark.parametrize(("words", "names"), [
    (["--brief", "a"], ["a"]), (["a", "--brief", "b", "-"], ["a", "b", "-"]),
    (["a", "--kind", "wide", "b", "--brief", "c"], ["a", "b", "c"]),
])  # fmt: skip
def test_files_may_stand_on_both_sides_of_options(parser, words, names):
    assert parser.parse_args(["read", *words]).names == names
    assert parser.parse_args(["read"]).names == ["-"]  # a default is nobody's to append to


def test_help_imports_no_torch():
    """And says how each command is used, with examples; the metrics are written a second time for that."""
    program = (
        "import contextlib, sys, curvecast.__main__ as m\n"
        "with contextlib.suppress(SystemExit):\n    m.main(sys.argv[1:])\nprint('torch' in sys.modules)"
    )
    for words in (["--help"], ["forecast", "--help"], ["convert", "--list"]):
        command = [sys.executable, "-c", program, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.stdout.splitlines()[-1] == "False", words
        assert words != ["forecast", "--help"] or "examples:" in done.stdout
    assert set(options.METRICS) == set(normalise.METRICS)


@pytest.fixture
def clone(tmp_path):
    """Made up: two runs of a task of Taskset, and one whose first loss is infinite."""
    losses = [[first, *(0.9 - i / 100 for i in range(19))] for first in ("0.7", "0.9", "1e999")]
    (tmp_path / "DyHPO" / "data" / "taskset").mkdir(parents=True)
    text = json.dumps([{"hp": {}, "valid": {"loss": loss}} for loss in losses]).replace('"1e999"', "1e999")
    text = text.replace('"0.7"', "0.7").replace('"0.9"', "0.9")
    (tmp_path / "DyHPO" / "data" / "taskset" / f"{taskset.FAMILY}a.json").write_text(text)
    return tmp_path / "DyHPO"


def test_the_list_says_what_to_clone(capsys):
    assert main(["convert", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    origins = {name: origin for name, (origin, _) in SOURCES.items()} | {"scaling_laws": scaling_laws.ORIGIN}
    for facts, command, (name, origin) in zip(lines[::2], lines[1::2], origins.items(), strict=True):
        assert facts.split()[0] == name and origin.licence in facts and f"{origin.megabytes:,} MB" in facts
        assert origin.commit in command and origin.repository in command


def test_a_table_that_is_not_the_published_one_is_told(clone, tmp_path, capsys):
    """It is written all the same, and can be read; what is left out is counted; the exit status is 1."""
    assert main(["convert", "taskset", str(clone), str(tmp_path / "out")]) == 1
    told = capsys.readouterr()
    counted = "2 curves, 40 points; 1 with a value that is not finite left out; Apache-2.0\n"
    assert told.out.endswith(f"taskset_rnn12_valid_loss.csv.gz: {counted}")
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


@pytest.mark.parametrize(("words", "told"), [
    ([], "convert needs SOURCE, CLONE and OUT, or --list"),
    (["pythia", "x"], "convert needs SOURCE, CLONE and OUT, or --list"),
    (["pithia", "x", "y"], "there is no source 'pithia': take one of all, taskset, "),
    (["pythia", "nowhere", "y"], "there is no folder nowhere: git clone"),
])  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(words, told, complaint):
    assert complaint("convert", *words).startswith(f"curvecast: {told}")


def test_the_doctor_names_versions_and_weights_and_tries_a_forecast(capsys):
    assert main(["doctor"]) == 0
    told = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert told["torch"] == torch.__version__
    assert "complete" in told["weights"] and "ms" in told["weights"] and "broken" not in told


@pytest.mark.parametrize("error", [ImportError("no libblas.so"), OSError("no libblas.so\nat all"), None])
def test_what_is_broken_is_a_line_with_status_1_and_the_rest_is_said(monkeypatch, tmp_path, capsys, error):
    """A library that does not load, or weights that are none; there is no traceback."""
    (tmp_path / "x.safetensors").write_bytes(b"nonsense")

    def load():
        raise error

    if error:
        monkeypatch.setattr(shipped, "load", load)
    else:
        monkeypatch.setattr(shipped, "PATH", tmp_path / "x.safetensors")
        shipped.load.cache_clear()
    assert main(["doctor"]) == 1
    said = capsys.readouterr()
    failed = f"check failed: {type(error).__name__}: no libblas.so\n"
    assert (failed if error else "not a whole safetensors file") in said.out
    assert "python" in said.out and not said.err
    assert said.out.splitlines()[-1].split() == ["broken", "weights"]
    monkeypatch.undo()
    shipped.load.cache_clear()


def test_what_is_missing_is_told_with_its_use_and_only_what_is_needed_is_broken(monkeypatch, capsys):
    def missing(package):
        raise doctor.importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(doctor.importlib.metadata, "version", missing)
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any("not installed; needed for pictures" in line for line in lines)
    assert lines[-1].split(None, 1) == ["broken", "numpy, safetensors"]
