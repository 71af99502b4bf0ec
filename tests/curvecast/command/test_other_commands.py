"""Guards __main__, arguments, convert, doctor and evaluate, and how forecasts are shown and written: in whole files."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from curvecast import __version__, forecast
from curvecast.__main__ import main, parser
from curvecast.command import doctor, options, table, watch
from curvecast.command.terminal import tell
from curvecast.curves.sources import scaling_laws
from curvecast.curves.sources.catalogue import SOURCES
from curvecast.forecasting import normalise, shipped
from curvecast.ground.errors import UserError
from curvecast.scores import evaluate
from curvecast.training import train


@pytest.mark.parametrize(("words", "said"), [
    ("forcast", "curvecast: there is no command 'forcast': did you mean 'forecast'?"),
    ("zzz", "curvecast: there is no command 'zzz'; see curvecast --help"),
    ("forecast --horzion=5", "curvecast forecast: there is no option '--horzion': did you mean '--horizon'?"),
    ("sample --sed 3", "curvecast sample: there is no option '--sed': did you mean '--seed'?"),
    ("forecast --metric lost", "curvecast forecast: there is no --metric 'lost': did you mean 'loss'?"),
    ("doctor x\x1b", r"curvecast doctor: 'x\x1b' is an unexpected argument; see curvecast doctor --help"),
])  # fmt: skip
def test_what_is_not_known_is_one_sentence_with_what_was_meant(complaint, words, said):
    assert complaint(*words.split(" ")) == said + "\n"


def test_files_may_stand_on_both_sides_of_options():
    for words in ("--best a", "a --best b -", "a --metric loss b --best c"):
        files = [word for word in words.split() if len(word) == 1]
        assert parser().parse_args(["forecast", *words.split()]).files == files
    assert parser().parse_args(["forecast"]).files == ["-"]  # a default is nobody's to append to


def test_the_list_says_what_to_clone(said):
    lines = said("convert", "--list").splitlines()
    origins = {name: origin for name, (origin, _) in SOURCES.items()} | {"scaling_laws": scaling_laws.ORIGIN}
    for facts, command, (name, origin) in zip(lines[::2], lines[1::2], origins.items(), strict=True):
        assert facts.split()[0] == name and origin.licence in facts and f"{origin.megabytes:,} MB" in facts
        assert origin.commit in command and origin.repository in command


@pytest.mark.parametrize(("words", "told"), [
    ([], "convert needs SOURCE, CLONE and OUT, or --list"),
    (["pythia", "x"], "convert needs SOURCE, CLONE and OUT, or --list"),
    (["pithia", "x", "y"], "there is no source 'pithia': take one of all, taskset, "),
    (["pythia", "nowhere", "y"], "there is no folder nowhere: git clone"),
])  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(words, told, complaint):
    assert complaint("convert", *words).startswith(f"curvecast: {told}")


def test_the_doctor_names_versions_and_weights_and_tries_a_forecast(said):
    told = dict(line.split(None, 1) for line in said("doctor").splitlines())
    assert told["torch"] == torch.__version__
    assert "complete" in told["weights"] and "ms" in told["weights"] and "broken" not in told


@pytest.mark.parametrize("error", [ImportError("no libblas.so"), OSError("no libblas.so\nat all"), None])
def test_what_is_broken_is_a_line_with_status_1_and_the_rest_is_said(monkeypatch, tmp_path, capsys, error):
    (tmp_path / "x.safetensors").write_bytes(b"nonsense")
    monkeypatch.setattr(shipped, "PATH", tmp_path / "x.safetensors")
    if error:
        monkeypatch.setattr(shipped, "load", Mock(side_effect=error))
    assert main(["doctor"]) == 1
    said = capsys.readouterr()
    failed = f"check failed: {type(error).__name__}: no libblas.so\n"
    assert (failed if error else "not a whole safetensors file") in said.out
    assert "python" in said.out and not said.err
    assert said.out.splitlines()[-1].split() == ["broken", "weights"]


def test_what_is_missing_is_told_with_its_use_and_only_what_is_needed_is_broken(monkeypatch, capsys):
    missing = Mock(side_effect=doctor.importlib.metadata.PackageNotFoundError)
    monkeypatch.setattr(doctor.importlib.metadata, "version", missing)
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any("not installed; needed for pictures" in line for line in lines)
    assert lines[-1].split(None, 1) == ["broken", "numpy, safetensors"]


@pytest.fixture(scope="module")
def forecasts():
    return forecast([[0.3, 0.4, 0.45], [0.2, 0.3, 0.32]], names=[r"$\foo$", "_hid"], horizon=20)


def test_csv_has_a_row_for_each_run_and_step_and_json_is_what_is_printed(tmp_path, forecasts):
    told = tell(forecasts, None)
    for name in ("x.csv", "x.json"):
        table.write_output(tmp_path / name, forecasts, told)
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert len(rows) == 2 * 17 and rows[0]["run"] == r"$\foo$" and float(rows[0]["step"]) == 4
    assert all(float(row["q05"]) < float(row["median"]) < float(row["q95"]) for row in rows)
    assert json.loads((tmp_path / "x.json").read_text()) == {"runs": told}


@pytest.mark.parametrize(("suffix", "begins"), [(".svg", b"<?xml"), (".png", b"\x89PNG")])
def test_pictures_are_pictures_whatever_the_names(tmp_path, forecasts, suffix, begins):
    for some in (forecasts, type(forecasts)(forecasts[1:])):
        table.write_output(tmp_path / f"x{suffix}", some, [])
        assert (tmp_path / f"x{suffix}").read_bytes().startswith(begins)
    with pytest.raises(UserError, match="too many for one picture"):
        table.write_output(tmp_path / f"y{suffix}", type(forecasts)([forecasts[0]] * 41), [])
    assert not (tmp_path / f"y{suffix}").exists()


@pytest.mark.parametrize("name", ["x.pdf", "x", "no/x.svg", "b.csv", "link.csv"])
def test_what_cannot_be_written_is_said_before_the_work(tmp_path, name):
    (tmp_path / "b.csv").touch()
    (tmp_path / "link.csv").symlink_to("b.csv")
    with pytest.raises(UserError, match=r"suffix|no folder|is one of the files that are read"):
        table.check_output(tmp_path / name, ["-", str(tmp_path / "no.csv"), str(tmp_path / "b.csv")])


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_name_of_a_run_is_a_formula_of_a_spreadsheet(name):
    """Excel and others would compute it: a ' before it makes it text."""
    told = {"name": name, "steps": [1], **{key: [0.5] for key in ["median", "q05", "q25", "q75", "q95"]}}
    (row,) = list(csv.reader(io.StringIO(table.as_csv([told]).decode())))[1:]
    assert row[0] == f"'{name}"


@example('a\\n, quo"te')
@given(st.text())
def test_a_line_of_a_stop_file_gives_its_name_back(name):
    line = watch.escaped(name)
    assert line.isprintable() and json.loads(f'"{line}"') == name
    assert line == name or not name.isprintable() or {*'"\\'} & {*name}, "what needs no mark has none"


@pytest.mark.parametrize(("name", "more", "said"), [
    ("curves", "--seed 1", ""), ("curves.npz", "--seed -1", "negative"), ("no/curves.npz", "--seed 1", "cannot write"),
    ("curves.npz", "-n 0", "curvecast: -n must be at least 1"), ("curves.npz", "--length 1", "curvecast: -n must be"),
])  # fmt: skip
def test_curves_come_as_whole_files_and_the_same_each_time(tmp_path, capsys, curves, name, more, said):
    words = ["sample", "-n", "12", "-o", str(tmp_path / name), *more.split()]
    assert main(words) == (2 if said else 0) and said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ([] if said else ["curves.npz"])
    if not said:
        with np.load(curves) as a, np.load(tmp_path / "curves.npz") as b:
            shapes = {"clean": (12, 100), "noisy": (12, 100), "sigma": (12,)}
            assert {name: a[name].shape for name in a.files} == shapes
            assert all(np.array_equal(a[name], b[name]) for name in a.files)


@pytest.fixture(scope="module")
def weights():
    (path,) = (Path(__file__).parents[3] / "weights" / "published").glob("ours-1x64-*.safetensors")
    return str(path)


@pytest.fixture(scope="module")
def curves(tmp_path_factory):
    path = tmp_path_factory.mktemp("curves") / "curves.npz"
    assert main(["sample", "-n", "12", "--seed", "1", "-o", str(path)]) == 0
    return str(path)


def test_the_version_is_told_and_without_a_word_the_help(capsys):
    """The metrics are written a second time, so that help imports nothing heavy."""
    for words, told in (("--version", f"curvecast {__version__}\n"), ("forecast --help", "examples:")):
        with pytest.raises(SystemExit, match="0"):
            main(words.split())
        assert told in capsys.readouterr().out
    assert main([]) == 2 and capsys.readouterr().out.count("  curvecast forecast ") >= 3
    assert set(options.METRICS) == set(normalise.METRICS)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize(("to", "expected"), [(">/dev/full", "No space left"), (">&-", "output is closed")])
def test_an_output_that_takes_nothing_is_one_sentence(to, expected):
    command = f"{sys.executable} -m curvecast forecast - --bounds -1e3 1 {to}"
    done = subprocess.run(command, shell=True, input="a\n.5\n", capture_output=True, text=True)
    assert done.returncode == 2 and expected in done.stderr and done.stderr.count("\n") == 1


def test_evaluate_prints_the_promised_json(weights, curves, said):
    words = ("evaluate", "--weights", weights, "--curves", curves, "--cutoffs", "5,70", "--json")
    found = json.loads(said(*words))["cutoffs"]
    fields = {"cutoff", "ll", "ll_se", "mse_noisy", "mse_clean", "cover50", "cover90"}
    assert [row["cutoff"] for row in found] == [5, 70] and all(fields <= set(row) for row in found)
    noisy, forecaster = torch.from_numpy(np.load(curves)["noisy"]).float(), train.load(weights)
    x = torch.arange(1.0, 101).expand(12, -1)
    ll = forecaster.predict(x[:, :70], noisy[:, :70], x[:, 70:]).log_density(noisy[:, 70:]).mean(1)
    assert found[1]["ll"] == pytest.approx(ll.mean().item(), abs=1e-5)
    assert torch.allclose(evaluate.likelihood(forecaster, noisy, 70), ll.double(), atol=1e-3)


def test_curves_without_a_clean_version_will_do(weights, tmp_path, said):
    path = tmp_path / "noisy.npz"
    np.savez(path, noisy=np.random.default_rng(0).random((3, 30)))
    words = ["evaluate", "--weights", weights, "--curves", str(path), "--cutoffs", "5"]
    assert json.loads(said(*words, "--json"))["cutoffs"][0]["mse_clean"] is None
    assert main(words) == 0


@pytest.mark.parametrize(("arrays", "cutoffs", "message"), [
    ({"noisy": np.ones((2, 9))}, "0", "cutoff 0"), ({"noisy": np.ones((2, 9))}, "9", "cutoff 9"),
    ({"loss": np.ones((2, 9))}, "5", "no array `noisy`"), ({"noisy": np.ones(9)}, "5", "shape"),
    ({"noisy": np.full((2, 9), np.nan)}, "5", "NaN or infinity in 2 curves"),
    ({"noisy": np.ones((2, 9)), "clean": np.ones((2, 8))}, "5", "`clean`"),
    ({"noisy": np.array([["a", "b"]])}, "1", "want numbers"), ({"noisy": np.ones((0, 9))}, "5", "want numbers"),
    ({"noisy": np.array([[None, 1]], dtype=object)}, "1", "not an npz"),
])  # fmt: skip
def test_bad_curves_get_one_sentence(weights, tmp_path, complaint, arrays, cutoffs, message):
    np.savez_compressed(path := tmp_path / "bad.npz", **arrays)
    assert message in complaint("evaluate", "--weights", weights, "--curves", path, "--cutoffs", cutoffs)
