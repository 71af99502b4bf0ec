"""Guards FETCHED: a question whose folder is not here is left out, says what to fetch, and stops nothing else."""

import pytest

from reproduce._press import contract, smoke

LACKS = 'FETCHED = {"TOY_FOLDER": "fetch the toys"}\n\n\nSCALES'
OTHER_FORMS = {
    "annotated": 'FETCHED: dict[str, str] = {"TOY_FOLDER": "fetch the toys"}',
    "put together": 'SHARED = {"TOY_FOLDER": "fetch the toys"}\nFETCHED = SHARED | {}',
    "imported": "from reproduce.toys._shared import FETCHED",
}


@pytest.fixture
def needy(project, monkeypatch):
    """The toys, of which `line` needs a folder that the variable TOY_FOLDER names."""
    monkeypatch.delenv("TOY_FOLDER", raising=False)
    project.edit("reproduce/toys/line.py", "SCALES", LACKS)
    return project


def test_a_run_of_the_blog_leaves_it_out_and_says_what_to_fetch(needy):
    """The other question is measured."""
    told = needy.run("run", "--scale", "laptop").stdout
    assert "line is left out: TOY_FOLDER is not set: fetch the toys" in told
    assert needy.answer("grid").is_dir() and not needy.answer("line").exists()
    assert "line" not in needy.run("todo", "--scale", "laptop").stdout.replace("line is left out", "")


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_it_may_be_written_in_other_ways(project, form):
    """What is not written out is imported."""
    (project.root / "reproduce/toys/_shared.py").write_text(LACKS.removesuffix("SCALES"))
    project.edit("reproduce/toys/line.py", "SCALES", OTHER_FORMS[form] + "\n\nSCALES")
    assert "TOY_FOLDER is not set: fetch the toys" in project.run("list").stdout


def test_a_page_of_which_nothing_can_be_measured_ends_well(needy):
    """It says what to fetch, and measures nothing, least of all the questions of other pages."""
    told = needy.run("blog", "--scale", "laptop", "--page", "index").stdout
    assert "line is left out: TOY_FOLDER is not set: fetch the toys" in told and "Nothing is left" in told
    assert not needy.answer("line").exists() and not needy.answer("grid").exists() and needy.trace() == []


def test_whoever_asks_for_it_is_told_in_one_sentence(needy):
    """Nothing is trained before."""
    told = needy.run("run", "line", "--scale", "laptop", expect=2)
    assert "line cannot be measured here: TOY_FOLDER is not set: fetch the toys." in told.stderr
    assert "Traceback" not in told.stderr and needy.trace() == []


def test_a_folder_that_is_not_there_is_as_good_as_none(needy, monkeypatch):
    """Of a file, too, and the folder is named."""
    monkeypatch.setenv("TOY_FOLDER", str(needy.root / "nowhere"))
    assert "names" in contract.lacking("line", needy.root) and "nowhere" in contract.lacking("line", needy.root)  # fmt: skip
    assert smoke.cannot("line", needy.root) == contract.lacking("line", needy.root)
