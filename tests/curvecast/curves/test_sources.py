"""Guards curvecast/curves/sources on made-up clones: which points are read, whose they are, files that stay the same."""

import csv
import gzip
import json
import math
import pickle
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from pybtex.database import parse_file

from curvecast.__main__ import main
from curvecast.command import convert as command
from curvecast.curves import real_table
from curvecast.curves.sources import catalogue, uniform_table
from curvecast.curves.sources.catalogue import ORDER, SOURCES, convert
from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure
from curvecast.ground.errors import UserError
from tests.curvecast.refusals import refuses

ROOT = Path(__file__).resolve().parents[3]
Files = dict[str, str | bytes]  # of a made-up clone, below the folder of its source


def old_torch(*held) -> bytes:
    return b"".join(pickle.dumps(one, protocol=2) for one in held)


def of_nanogpt(*pairs) -> str:
    """A log, which holds its own program: that is no line of a run."""
    lines = [f"step:{s}/500 val_loss:{v} train_time:1.0s\nstep:{s}/500 train_time:2s\n" for s, v in pairs]
    return "        print(f'step:{step}/{steps} val_loss:{loss}')\n" + "".join(lines)


ALGOPERF = "global_step,validation/accuracy,validation/wer\n1,0.1,0.9\n20,,0.8\n30,0.3,0.7\n"
DEEPOBS = json.dumps({
    "optimizer": "AdamOptimizer", "learning_rate": 0.0158489, "random_seed": 43, "batch_size": 8,
    "hyperparams": {"beta1": 0.9}, "test_accuracies": [0.1, 0.6], "train_accuracies": [0.2, 0.7],
})  # fmt: skip
LEARNERS = {
    "Decision Tree": [0.4, 0.3, 0.2, 0.1], "DummyClassifier": [0.4, 0.3, 0.2, 0.1], "KNN": [None, 0.3, 0.2, None],
    "QDA": [0.4, None, 0.2, 0.1],
}  # fmt: skip
SIZES = [[[[9.0, mean, 8.0] for mean in errors], [[7.0] * 3] * 4] for errors in LEARNERS.values()]
ID = (3, 6, 11, 14)  # data sets, of which a hash of the number takes 6 and 11
HASHED = ("20260430_adamh", "20260430_muonh")  # folders, of which it takes the first


def taskset_runs(last: float) -> str:
    runs = [{"hp": {"l1": n}, "train": {"loss": [9.0]}, "valid": {"loss": [0.7, v]}, "test": {"loss": [8.0]}}
            for n, v in enumerate((float("nan"), last))]  # fmt: skip
    return json.dumps(runs)


def checkpoint(value: float, exams: int = catalogue.EXAMS) -> str:
    """Of the exams the odd ones have the value, the others 0."""
    scores = {task: {"acc": value, "acc_norm": 9.0} for task in catalogue.TASKS} | {"other": {"ppl": 3.0}}
    scores |= {f"{catalogue.EXAM}{i}": {"acc": value * (i % 2)} for i in range(exams)}
    return json.dumps({"results": scores})


MADE: dict[str, Files] = {
    "adabelief": {
        "vgg-yogi-lr0.001-run0": old_torch(119547037146038801333356, 1001, {}, {"test_acc": [40.0, 62.5]}, []),
    },
    "algoperf": {
        f"mine/study_0/{task}/trial_1/eval_measurements.csv": ALGOPERF
        for task in ("wmt_jax", "librispeech_conformer_pytorch", "wmt_glu_tanh_jax", "wmt_julia")
    },
    "deepobs": {
        f"{problem}/AdamOptimizer/setting/random_seed__43.json": DEEPOBS
        for problem in (*catalogue.PROBLEMS, "quadratic_deep")
    },
    "lcdb11": {
        "meta.json": json.dumps({"learners": list(LEARNERS), "anchors": [16, 18, 20, 21]}),
        "names.json": json.dumps({str(number): f"set {number}" for number in ID}),
        **{f"er/{number}.json": json.dumps(SIZES) for number in ID},
    },
    "modded_nanogpt": {
        f"{HASHED[0]}/deep/a.txt": of_nanogpt((0, 10.8), (125, 5.3)), f"{HASHED[0]}/late.txt": of_nanogpt((125, 5.3)),
        f"{HASHED[0]}/two runs.txt": of_nanogpt((0, 10.8), (125, 5.3), (0, 10.9)),
        f"{HASHED[0]}/every step.txt": of_nanogpt(*((step, 3.0) for step in range(401))),
        f"{HASHED[0]}/none.txt": of_nanogpt(), f"{HASHED[1]}/b.txt": of_nanogpt((0, 10.8)),
        "loose.txt": of_nanogpt((0, 10.8)),
    },
    "pythia": {
        f"pythia-{model}/zero-shot/{model}_step{step}.json": checkpoint(value)
        for model in catalogue.MODELS
        for step, value in ((1000, 0.75), (0, 0.25))
    }, "taskset": {f"{catalogue.FAMILY}{task}.json": taskset_runs(0.5) for task in "ba"},
}  # fmt: skip
EXPECTED = {  # how many curves, and some of them: name, group, points, whether the first of them is untrained
    "adabelief": (1, {"vgg/yogi": ("cifar10/vgg", [(1, 0.4), (2, 0.625)], False)}),
    "algoperf": (2, {
        "v05/external/wmt_jax/mine/study_0/trial_1": ("wmt/mine", [(1, 0.1), (30, 0.3)], True),
        "v05/external/librispeech_conformer_pytorch/mine/study_0/trial_1": (
            "librispeech_conformer/mine", [(1, 0.9), (20, 0.8), (30, 0.7)], True),
    }),
    "deepobs": (4, {
        f"{problem}/AdamOptimizer/lr0.0158/seed43": (f"{problem}/AdamOptimizer", [(0, 0.1), (1, 0.6)], True)
        for problem in catalogue.PROBLEMS
    }),
    "lcdb11": (4, {
        "6/DecisionTree": ("openml-6", [(16, 0.4), (18, 0.3), (20, 0.2), (21, 0.1)], False),
        "11/KNN": ("openml-11", [(18, 0.3), (20, 0.2)], False),
    }),
    "modded_nanogpt": (2, {
        f"t3_optimization/{HASHED[0]}/ef4004ec7b": (f"track_3_optimization/{HASHED[0]}", [(0, 10.8), (125, 5.3)], True),
        f"t3_optimization/{HASHED[0]}/141a6eda06": (f"track_3_optimization/{HASHED[0]}", [(125, 5.3)], False),
    }),
    "pythia": (63, {
        "70m/piqa": ("pythia-70m", [(0, 0.25), (1000, 0.75)], True),
        "1b-deduped/mmlu_macro": ("pythia-1b-deduped", [(0, 0.25 * 28 / 57), (1000, 0.75 * 28 / 57)], True),
    }), "taskset": (4, {name: (name[0], [(0, 0.7), (200, 0.5)], True) for name in ("a/0001", "b/0001")}),
}  # fmt: skip


def clone(name: str, folder: Path, **changed: str | bytes) -> Path:
    """All files of MADE; one whose name ends so holds something else."""
    for place, data in MADE[name].items():
        data = next((other for end, other in changed.items() if place.endswith(end)), data)
        path = folder / SOURCES[name].origin.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


@pytest.mark.parametrize("name", SOURCES)
def test_points_that_are_meant_are_read_and_no_others(tmp_path, name):
    """Validation, not training or test; no other workload, problem, learner or framework; holes at the ends alone."""
    count, expected = EXPECTED[name]
    curves = list(SOURCES[name].read(clone(name, tmp_path)))
    found = {curve.curve_id: curve for curve in curves}
    assert len(found) == len(curves) == count
    for curve_id, (group, points, untrained) in expected.items():
        curve = found[curve_id]
        assert (curve.group, curve.untrained) == (group, untrained)
        assert [step for step, _ in curve.points()] == [step for step, _ in points]
        assert [value for _, value in curve.points()] == pytest.approx([value for _, value in points])


@pytest.mark.parametrize(("name", "file", "text"), [
    ("adabelief", "run0", old_torch(1, 2)), ("algoperf", "eval_measurements.csv", ALGOPERF.replace("0.3", "much")),
    ("modded_nanogpt", "deep/a.txt", of_nanogpt((0, "much"))), ("pythia", "step0.json", "{}"),
    ("taskset", "a.json", '[{"hp": {}, "valid": {"loss": ["x"]}}]'), ("taskset", "a.json", "{"),
    ("deepobs", "43.json", DEEPOBS.replace("0.6", "null")),
])  # fmt: skip
def test_another_layout_is_told_with_the_file(tmp_path, name, file, text):
    commit = SOURCES[name].origin.commit[:7]
    spoilt = clone(name, tmp_path, **{file: text})
    refuses(rf"{file} is not laid out as at commit {commit}", lambda: list(SOURCES[name].read(spoilt)))


def test_a_mean_of_fewer_exams_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"160m_step0\.json has 56 of 57 exams"):
        list(SOURCES["pythia"].read(clone("pythia", tmp_path, **{"160m_step0.json": checkpoint(1, 56)})))


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_has_its_notice_and_its_citation(name):
    origin, notice = SOURCES[name].origin, (ROOT / "NOTICE").read_text(encoding="utf-8")
    notes = (" ".join(text.split()) for text in notice.split("\n\n"))
    (note,) = (text for text in notes if text.startswith(f"{origin.source} ({origin.file}):"))
    for due in (f"{origin.address} at commit {origin.commit}", f"; {origin.licence};", origin.copyright):
        assert due in note, due
    assert origin.licence in notice.split("\nLicences\n")[1]
    assert origin.citation in parse_file(str(ROOT / "docs" / "references.bib"), "bibtex").entries
    if name == "lcdb11":  # CC-BY-4.0: authors, title, where it is, and that it was changed
        authors = "C. Yan, F. Mohr, T. Viering, LCDB 1.1"
        assert all(
            due in note for due in (authors, "arXiv:2505.15657", "10.4121/3bd18108", "Changed: 117 of 265")
        )
    assert len({other.origin.source for other in SOURCES.values()}) == len(set(ORDER)) == len(SOURCES)


def test_a_clone_without_a_file_or_a_curve_to_keep_writes_nothing_and_says_what_to_clone(tmp_path):
    commit = SOURCES["taskset"].origin.commit
    lacks = rf"has no data/taskset/{catalogue.FAMILY}\*.json: git clone .* checkout {commit}"
    refuses(lacks, convert, "taskset", tmp_path, tmp_path / "out")
    with pytest.raises(UserError, match="has no curve of taskset to keep"):
        convert("taskset", clone("taskset", tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_table_that_is_the_published_one_ends_with_0(tmp_path, capsys, monkeypatch):
    source, losses = SOURCES["taskset"], [0.9 - i / 100 for i in range(20)]
    long = json.dumps([{"hp": {}, "valid": {"loss": [first, *losses]}} for first in (0.7, 0.9, math.inf)])
    made = clone("taskset", tmp_path / "DyHPO", **{".json": long.replace("Infinity", "1e999")})
    found = convert("taskset", made, tmp_path / "out")
    published = source._replace(origin=replace(source.origin, sha256=found.sha256))
    for module in (command, catalogue):
        monkeypatch.setattr(module, "SOURCES", {"taskset": published})
    assert main(["convert", "all", str(tmp_path), str(tmp_path / "out")]) == 0
    assert capsys.readouterr().err == ""


LOSS = Measure("loss", higher_is_better=False, step_unit="epochs")
VALUES = [1 / (2 + i) for i in range(25)]
ONE = Curve("one", range(25), VALUES, "t", "g", LOSS, {"b": 1, "a": "ä"}, untrained=True)
ORIGIN = Origin("a.csv.gz", "a", "MIT", "They", "they2020", "them/thing", "c" * 40, "data", 1, "0" * 64)
OTHER = replace(ORIGIN, file="b.csv.gz", source="b")


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_left_out_is_counted_by_reason():
    """Steps are made unique first, the last value counts; equal is what is equal to the last digit that is written."""
    near, other = (replace(ONE, curve_id=str(by), values=[v + by for v in VALUES]) for by in (1e-12, 1e-4))
    short = replace(ONE, curve_id="short", steps=range(19), values=VALUES[:19])
    twice = replace(ONE, curve_id="twice", steps=[i // 2 for i in range(25)])
    hole = replace(ONE, curve_id="hole", values=[*VALUES[:-1], float("nan")])
    left_out = Counter()
    kept = [curve.curve_id for curve in uniform_table.kept([ONE, short, twice, hole, near, other], left_out)]
    assert kept == ["one", "0.0001"]
    assert left_out == {
        "with fewer than 20 points": 2, "with a value that is not finite": 1, "equal to an earlier one": 1,
    }  # fmt: skip
    curve = replace(ONE, steps=[3, 1, 2, 1], values=[0.3, 9.0, 0.2, 0.1])
    assert curve.points() == [(1, 0.1), (2, 0.2), (3, 0.3)]


def test_the_same_curves_give_the_same_bytes(tmp_path):
    order = ["b.csv.gz", "a.csv.gz"]
    for folder, origins in (("x", (ORIGIN, OTHER)), ("y", (OTHER, ORIGIN, ORIGIN))):
        for origin in origins:
            uniform_table.write(tmp_path / folder, origin, [ONE], order)
    for name in (*order, uniform_table.INDEX):
        first = (tmp_path / "x" / name).read_bytes()
        assert first == (tmp_path / "y" / name).read_bytes() and first[4:8] == bytes(4), name
    assert [row["file"] for row in rows(tmp_path / "x" / uniform_table.INDEX)] == order


def test_what_is_written_has_its_source_and_licence_and_can_be_read(tmp_path):
    uniform_table.write(tmp_path, ORIGIN, [ONE, replace(ONE, curve_id="two", untrained=False)], [])
    about, points = rows(tmp_path / uniform_table.INDEX), rows(tmp_path / ORIGIN.file)
    assert {(row["source"], row["licence"]) for row in (*about, *points)} == {("a", "MIT")}
    assert points[1]["value"] == "0.333333" and json.loads(about[0]["config"]) == ONE.config
    first, second = real_table.read(tmp_path)
    assert first.untrained == 0.5 and second.untrained is None and first.minimise
    assert (first.low, first.high) == (0, float("inf")) and list(second.steps) == list(range(25))
    assert second.values == pytest.approx(VALUES, rel=1e-5)


PACKED = [gzip.compress(text, mtime=0) for text in (b"file,source\n" * 99, b"file,source\na,b\n", b"\xff\n")]


@pytest.mark.parametrize("data", [b"no gzip", PACKED[0][:-9], *PACKED[1:]])
def test_an_index_that_is_none_is_told_before_anything_is_written(tmp_path, data):
    (tmp_path / uniform_table.INDEX).write_bytes(data)
    told = r"index\.csv\.gz (cannot be read|is no index of curves).*take it away"
    refuses(told, uniform_table.write, tmp_path, ORIGIN, [ONE], [])
    assert not (tmp_path / ORIGIN.file).exists()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_command_to_clone_brings_the_folder_at_the_commit(tmp_path):
    """Tried on a repository of ours, whose second commit takes the file away."""

    def git(*words):
        named = ["git", "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main", *words]
        return subprocess.run(named, cwd=tmp_path / "ours", check=True, capture_output=True, text=True).stdout

    for name in ("data/a.json", "elsewhere/b.json"):
        (tmp_path / "ours" / name).parent.mkdir(parents=True)
        (tmp_path / "ours" / name).write_text("[1]")
    for words in ("init", "add .", "commit -m first"):
        git(*words.split())
    origin = replace(ORIGIN, commit=git("rev-parse", "HEAD").strip())
    for words in ("rm -r data", "commit -m second"):
        git(*words.split())
    command = origin.to_clone.replace(origin.address, f"file://{tmp_path / 'ours'} thing")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert origin.json(*origin.inside(tmp_path / "thing", "*.json")) == [1]
    assert not (tmp_path / "thing" / "elsewhere").exists()
