"""Guards reproduce/_press/smoke.py: the code of the commits that answers name, run beside the code of today."""

import json
import shutil
import subprocess
from dataclasses import replace

import pytest

from curvecast.ground.errors import UserError
from reproduce._press import smoke
from reproduce._press.answers import sameness
from reproduce._press.answers.sameness import Take
from tests.conftest import Project, fresh_clone


def git(root, *arguments: str) -> str:
    who = ["-c", "user.name=Toy", "-c", "user.email=toy@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(root) -> str:
    git(root, "add", "--all", "curvecast", "reproduce")
    git(root, "commit", "--quiet", "--message", "toy")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def published_once(tmp_path_factory) -> Project:
    project = fresh_clone(tmp_path_factory.mktemp("under-git"))
    git(project.root, "init", "--quiet")
    (project.root / ".gitignore").write_text("__pycache__\n")
    commit(project.root)
    project.run("run", "line", "--scale", "laptop")
    project.run("publish", "line", "--scale", "laptop")
    return project


@pytest.fixture
def published(published_once, tmp_path) -> Project:
    """A toy repository with one published answer, made by its only commit."""
    shutil.copytree(published_once.root, tmp_path / "under-git")
    return Project(tmp_path / "under-git")


def state(project) -> str:
    """What `list` says of the published answer."""
    told = project.run("list").stdout.splitlines()
    return next(line.strip() for line in told if "laptop, published" in line)


def test_the_code_of_a_commit_proves_that_numbers_are_the_same_or_by_how_much_not(published):
    """Other code with the same numbers; other numbers, with the column and the amount."""
    published.edit("reproduce/toys/line.py", "slope * x / 7", "x * slope / 7")
    assert "nobody has compared its smoke rows" in state(published)
    told = published.run("smoke", "line", "--published", "--keep").stdout
    assert "added " in told and "same numbers" in told
    assert state(published).startswith("laptop, published: same numbers since")
    published.edit("reproduce/toys/line.py", "x * slope / 7", "x * slope / 8")
    published.run("smoke", "line", "--keep")
    assert "code changed (the code changed since; at smoke scale rows.y differs by 8.7 %)" in state(published)


def test_a_receipt_that_names_an_unknown_commit_is_told(published):
    """The file, the commit and both ways out."""
    name_commit(published, "0" * 40)
    (told,) = published.run("smoke", "line", "--published", expect=1).stdout.splitlines()
    assert f"figures/line/laptop/receipts.json names the commit {'0' * 40}, which is not here" in told
    assert "git fetch --unshallow" in told and "python -m reproduce run line --scale laptop" in told


def test_a_commit_whose_code_cannot_run_is_told(published):
    """Which commit, and the last line of what it said; no take comes of it."""
    published.edit(
        "reproduce/toys/line.py", "    slope = ", "    raise RuntimeError('no slope')\n    slope = "
    )
    name_commit(published, commit(published.root))
    (told,) = published.run("smoke", "line", "--published", expect=1).stdout.splitlines()
    assert "could not run line at smoke scale: RuntimeError: no slope" in told
    assert not (published.root / "figures" / "line" / sameness.FILE).exists()


def name_commit(project, name: str) -> None:
    path = project.published("line") / "receipts.json"
    content = json.loads(path.read_text())
    for fields in (content["shared"], *content["each"].values()):
        if "commit" in fields:
            fields["commit"] = name
    path.write_text(json.dumps(content))


def test_a_broken_question_hides_nothing_of_the_others(published):
    """It is told in one line with the command that shows more; the others are compared."""
    published.edit("reproduce/toys/grid/question.py", "rows = pd", "rows = 1 / 0 or pd")
    told = published.run("smoke", "--keep", expect=1).stdout.splitlines()
    assert [line.split()[0] for line in told] == ["grid", "line"]
    assert (
        "broken: ZeroDivisionError: division by zero; python -m reproduce run grid --scale smoke" in told[0]
    )
    assert told[1].split(" (")[0].endswith("kept") or "; kept" in told[1]


def test_a_file_that_is_no_python_is_told_with_its_line(published):
    """Every command that lists questions reads them all."""
    published.edit("reproduce/toys/line.py", "def draw(rows):", "def draw(rows:")
    done = published.run("list", expect=2)
    assert done.stderr.startswith("reproduce/toys/line.py:") and done.stderr.count("\n") == 1


# ------------------------------------------------------------------------------------------- which takes stay


def a_take(name: str, *keys: str, value: str = "1.5") -> Take:
    return Take(set(keys), name, "c0ffee", set(), {"rows": {"x": [value]}})


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Puts a take among the committed ones of a question whose published answers have these keys."""

    def keep(published_keys, before, today):
        monkeypatch.setattr(smoke, "published", lambda *_: [{"content_key": key} for key in published_keys])
        path = tmp_path / "figures" / "q" / sameness.FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sameness.write(before))
        smoke.keep("q", today, tmp_path)
        return sameness.read(path)

    return keep


def test_takes_that_no_answer_needs_go(kept):
    """Those of published answers and of today's code on another CPU stay."""
    published, there, old = a_take("here", "p"), a_take("there", "t"), a_take("here", "o")
    today = a_take("here", "t", value="2.5")
    assert kept(["p"], [published, there, old], today) == [published, there, today]


def test_a_take_stays_as_long_as_one_of_its_keys_is_needed(kept):
    """The laptop key is that of today, and the published answer of paper scale has another."""
    both, today = a_take("here", "laptop", "paper"), a_take("here", "laptop", "paper-now", value="2.5")
    assert kept(["laptop", "paper"], [both], today) == [a_take("here", "paper"), today]
    assert kept(["laptop"], [both], today) == [today]


def test_a_take_stays_that_leads_from_one_cpu_to_another(kept):
    """The code b ran on both: without it nobody could say that t gives what the published p gave."""
    there, here = a_take("there", "p", "b"), a_take("here", "b", value="2.5")
    assert kept(["p"], [there, here], a_take("here", "t", value="2.5")) == [
        there, a_take("here", "b", "t", value="2.5")
    ]  # fmt: skip


def test_a_take_of_another_cpu_goes_when_the_rows_that_the_code_reads_are_others(kept):
    """Then the same code gives more rows: whoever compared with the old take would call every machine wrong."""
    there, today = a_take("there", "t"), replace(a_take("here", "t"), rows={"rows": {"x": ["1.5", "2.5"]}})
    assert kept([], [there], today) == [today]


def test_takes_with_the_same_rows_are_one(kept):
    """With the keys of both, so that a file is no larger than what changed."""
    assert kept(["p"], [a_take("here", "p")], a_take("here", "t")) == [a_take("here", "p", "t")]


def test_a_file_of_takes_that_is_cut_off_is_not_written_over(kept, tmp_path):
    """The takes in it would be lost; the sentence tells how to take it back."""
    kept(["p"], [a_take("here", "p")], a_take("here", "t"))
    path = tmp_path / "figures" / "q" / sameness.FILE
    path.write_bytes(path.read_bytes()[:-9])
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"figures/q/smoke\.csv\.xz is cut off .*git checkout -- figures/q"):
        smoke.keep("q", a_take("here", "t"), tmp_path)
    assert path.read_bytes() == before


def test_on_another_cpu_numbers_may_be_others_but_not_their_shape(kept, tmp_path):
    """What cannot be compared is said in words, with the CPU that it was compared with."""
    kept([], [], a_take("there", "t"))
    assert smoke.compare("q", a_take("here", "t", value="9.5"), tmp_path) == (
        True, "as many rows and the same columns, compared with there"
    )  # fmt: skip
    same, words = smoke.compare("q", a_take("here", "t", value=""), tmp_path)
    assert not same and words.startswith("rows.x is not finite in the same rows")
    assert smoke.compare("q", a_take("here", "k"), tmp_path)[0] is False
