"""Guards curvecast/curves/sources on made-up clones: which points are read, which curves are kept, whose they are."""

import gzip
import json
import os
import pickle
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from pybtex.database import parse_file

from curvecast.curves.sources import deepobs, pythia, taskset
from curvecast.curves.sources.catalogue import ORDER, SOURCES, convert
from curvecast.ground.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
CLONES = "CURVECAST_CLONES"  # the folder of the clones, each under the name of its repository
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


def checkpoint(value: float, exams: int = pythia.EXAMS) -> str:
    """Of the exams the odd ones have the value, the others 0."""
    scores = {task: {"acc": value, "acc_norm": 9.0} for task in pythia.TASKS} | {"other": {"ppl": 3.0}}
    scores |= {f"{pythia.EXAM}{i}": {"acc": value * (i % 2)} for i in range(exams)}
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
        for problem in (*deepobs.PROBLEMS, "quadratic_deep")
    },
    "lcdb11": {
        "meta.json": json.dumps({"learners": list(LEARNERS), "anchors": [16, 18, 20, 21]}),
        "names.json": json.dumps({str(number): f"set {number}" for number in ID}),
        **{f"er/{number}.json": json.dumps(SIZES) for number in ID},
    },
    "modded_nanogpt": {
        f"{HASHED[0]}/deep/a.txt": of_nanogpt((0, 10.8), (125, 5.3)),
        f"{HASHED[0]}/late.txt": of_nanogpt((125, 5.3)),
        f"{HASHED[0]}/two runs.txt": of_nanogpt((0, 10.8), (125, 5.3), (0, 10.9)),
        f"{HASHED[0]}/every step.txt": of_nanogpt(*((step, 3.0) for step in range(401))),
        f"{HASHED[0]}/none.txt": of_nanogpt(),
        f"{HASHED[1]}/b.txt": of_nanogpt((0, 10.8)),
        "loose.txt": of_nanogpt((0, 10.8)),
    },
    "pythia": {
        f"pythia-{model}/zero-shot/{model}_step{step}.json": checkpoint(value)
        for model in pythia.MODELS
        for step, value in ((1000, 0.75), (0, 0.25))
    },
    "taskset": {f"{taskset.FAMILY}{task}.json": taskset_runs(0.5) for task in "ba"},
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
        for problem in deepobs.PROBLEMS
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
    }),
    "taskset": (4, {name: (name[0], [(0, 0.7), (200, 0.5)], True) for name in ("a/0001", "b/0001")}),
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


DEEPOBS = """{"optimizer": "SGD", "learning_rate": 0.1, "random_seed": 43, "batch_size": 1, "hyperparams": {},
              "test_accuracies": [0.5, 1.0]}"""
SPOILT = {
    "adabelief": [old_torch(1, 2), old_torch(1, 2, 3, {"train_acc": [9.0]}), old_torch(1, 2, 3, 4)],
    "algoperf": ["global_step\n1\n", *(ALGOPERF.replace(*some) for some in (("0.3", "much"), ("30", ""), ("0.3", "\0")))],
    "modded_nanogpt": [of_nanogpt((0, "much"))],
    "taskset": ['[{"hp": {}, "valid": {"loss": ["x"]}}]',
                '{"valid": 1}', '[{"hp": {}}]', '[{"hp": {}, "valid": {"loss": 3}}]', "{", '{"a": 1', b"\xff"],
    "deepobs": ["{}", "[1]", DEEPOBS.replace("0.5", "null"), DEEPOBS.replace("0.5", "[]")],
    "pythia": ["{}"],
}  # fmt: skip
FILE = {"adabelief": "run0", "algoperf": "eval_measurements.csv", "modded_nanogpt": "deep/a.txt",
        "taskset": "a.json", "deepobs": "43.json", "pythia": "step0.json"}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, some in SPOILT.items() for text in some])
def test_another_layout_is_told_with_the_file(tmp_path, name, text):
    """A word for a number, no step, another shape, a file that is cut off, bytes that are no text."""
    commit = SOURCES[name].origin.commit[:7]
    with pytest.raises(UserError, match=rf"{FILE[name]} is not laid out as at commit {commit}"):
        list(SOURCES[name].read(clone(name, tmp_path, **{FILE[name]: text})))


def test_what_would_run_and_a_mean_of_fewer_exams_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"asks for \w+\.print"):
        list(
            SOURCES["adabelief"].read(
                clone("adabelief", tmp_path, run0=old_torch(1, 2, 3, {"test_acc": print}))
            )
        )
    with pytest.raises(UserError, match=r"160m_step0\.json has 56 of 57 exams"):
        list(SOURCES["pythia"].read(clone("pythia", tmp_path, **{"160m_step0.json": checkpoint(1, exams=56)})))  # fmt: skip


@pytest.mark.parametrize("value", [0.69414912, 2e19, 1e-9, 3.0, 0.1])
def test_no_digit_of_a_float32_is_lost(value):
    single = np.float32(value)
    text = taskset.shortest(float(single))
    assert np.float32(text) == single and len(text) <= 12


@pytest.mark.parametrize("name", SOURCES)
def test_the_published_table_comes_out_of_the_clone(tmp_path, name):
    """Letter by letter, at the commit that the source names."""
    where, repository = os.environ.get(CLONES), SOURCES[name].origin.name
    if not where or not (Path(where) / repository).is_dir():
        pytest.skip(
            f"{CLONES} names no folder with a clone {repository}: curvecast convert --list says how to get it"
        )
    converted = convert(name, Path(where) / repository, tmp_path)
    text = gzip.decompress((tmp_path / converted.origin.file).read_bytes())
    assert converted.as_published and sha256(text).hexdigest() == SOURCES[name].origin.sha256


@pytest.mark.parametrize("name", SOURCES)
def test_each_source_has_its_notice_and_its_citation(name):
    """Repository, commit, licence and whose it is stand together in NOTICE, and the licence is explained there."""
    origin, notice = SOURCES[name].origin, (ROOT / "NOTICE").read_text(encoding="utf-8")
    notes = (" ".join(text.split()) for text in notice.split("\n\n"))
    (note,) = (text for text in notes if text.startswith(f"{origin.source} ({origin.file}):"))
    for due in (f"{origin.address} at commit {origin.commit}", f"; {origin.licence};", origin.copyright):
        assert due in note, due
    assert origin.licence in notice.split("\nLicences\n")[1]
    assert origin.citation in parse_file(str(ROOT / "docs" / "references.bib"), "bibtex").entries
    assert len({other.origin.source for other in SOURCES.values()}) == len(set(ORDER)) == len(SOURCES)


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


def test_a_clone_without_a_file_or_a_curve_to_keep_writes_nothing_and_says_what_to_clone(tmp_path):
    """Curves of two points are too short."""
    commit = SOURCES["taskset"].origin.commit
    with pytest.raises(
        UserError, match=rf"has no data/taskset/{taskset.FAMILY}\*.json: git clone .* checkout {commit}"
    ):
        convert("taskset", tmp_path, tmp_path / "out")
    with pytest.raises(UserError, match="has no curve of taskset to keep"):
        convert("taskset", clone("taskset", tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()
