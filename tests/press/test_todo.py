"""Guards reproduce/_press/telling/todo.py: the order of the work, what is skipped, what fits, and what it costs."""

from pathlib import Path

import pytest

from curvecast.training import train
from reproduce._press import contract, plan
from reproduce._press.contract import load
from reproduce._press.telling import todo
from reproduce.reproduction._grid_cells import Cell, training, whole_grid

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """Our questions where nothing was trained and nothing measured."""
    for name in ("reproduce", "curvecast"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)  # weights lie below the working folder
    return tmp_path


def names(works: list[todo.Work]) -> list[str]:
    return [
        f"{work.kind} {work.name.rsplit('-', 1)[0] if work.kind == 'train' else work.name}" for work in works
    ]


def test_each_cell_is_trained_and_then_measured(empty):
    """P1, P2, ours, P3, then the rest; what is trained is scored at once, so that it is kept if minutes end."""
    found = names(todo.missing("paper", ["grid"], empty))
    cells = list(whole_grid())
    assert found == [f"{kind} {cell}" for cell in cells for kind in ("train", "measure")]


def test_what_is_trained_is_only_measured(empty):
    """Weights in the cache are not trained again, whichever question had them trained."""
    first = train.weights_path(whole_grid()["paper-3x128-10M"])
    first.parent.mkdir()
    first.touch()
    assert names(todo.missing("paper", ["grid"], empty))[:2] == [
        "measure paper-3x128-10M",
        "train paper-3x256-10M",
    ]


def test_a_training_that_two_questions_need_is_listed_once(empty):
    """P1 belongs to accuracy as well: it is trained for whichever comes first, and scored for both."""
    found = names(todo.missing("paper", ["accuracy", "grid"], empty))
    assert found[:2] == ["train paper-3x128-10M", "measure P1"]
    assert found.count("train paper-3x128-10M") == 1 and "measure paper-3x128-10M" in found


def test_nothing_is_measured_whose_training_does_not_fit(empty):
    """Measuring it would train it, beyond all minutes."""
    works = todo.missing("paper", ["grid"], empty)
    fits = names(todo.fitting(works, 30))
    assert "train paper-3x128-10M" in fits and "measure paper-3x128-10M" in fits
    assert "train paper-12x512-10M" not in fits and "measure paper-12x512-10M" not in fits
    assert sum(work.minutes or 0 for work in todo.fitting(works, 30)) <= 30


def test_a_cell_waits_for_its_own_training_alone():
    """One training that fails does not keep the others from being measured."""
    job = plan.plan("paper", ["grid"])["measure-grid-paper-3x128-1M"]
    assert job.needs == (f"train-{train.name(whole_grid()['paper-3x128-1M'])}",)
    assert len(plan.needed(load("mcmc"), "paper", "cutoff10")) == 3  # who tells no needs has all its models


def test_a_small_network_costs_starts_and_a_large_one_arithmetic():
    """P1 and P2 take as many steps and as long; of the largest, twice the layers take twice the minutes."""
    minutes = {
        size: todo.estimate(training("paper", Cell(*size, 10_000_000)))
        for size in ((3, 128), (3, 256), (6, 512), (12, 512))
    }
    assert minutes[3, 256] == pytest.approx(minutes[3, 128], rel=0.1)
    assert minutes[12, 512] == pytest.approx(2 * minutes[6, 512], rel=0.05)
    assert todo.estimate(object()) is None


@pytest.mark.parametrize("name", contract.names())
def test_what_a_part_needs_is_among_the_models(name):
    """At each scale; else it would be trained inside measure, without its checkpoint's budget."""
    question = load(name)
    for scale in contract.SCALES:
        models = [train.name(model) for model in question.models(scale) if hasattr(model, "model")]
        for part in question.parts(scale):
            wanted = [train.name(m) for m in plan.needed(question, scale, part) if hasattr(m, "model")]
            assert set(wanted) <= set(models)


def test_without_a_gpu_the_hours_of_two_cores_are_told(empty):
    """The smallest cell took 14 minutes on two cores with the authors' recipe and 2 with ours: right to a factor of three."""
    works = {work.name.rsplit("-", 1)[0]: work for work in todo.missing("paper", ["grid"], empty)}
    for name, minutes in (("paper-3x128-100k", 14.4), ("ours-3x128-100k", 2.2)):
        assert minutes / 3 < 60 * (works[name].hours or 0) < 3 * minutes
    text = todo.show(list(works.values()), "paper", None).splitlines()
    assert text[0].split() == ["on", "a", "GPU", "two", "cores"] and " h  train" in text[1]
    assert not any(" h  measure" in line for line in text)
