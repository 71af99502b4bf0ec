"""Guards `reads` and FETCHED: a question gets the rows of another, made before its own; one that lacks a folder waits."""

import shutil

import pytest

from presswork import questions, smoke

READER = '''"""What do the rows of the others say?"""

from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Config:
    read: tuple = ("line",)


SCALES = {"smoke": Config(), "laptop": Config(), "paper": Config()}
TABLES = {"rows": ("last",)}


def reads(config):
    return list(config.read)


def measure(config, part, read):
    with open("trace", "a") as file:
        file.write("measured NAME\\n")
    return pd.DataFrame({"last": [float(rows.iloc[-1, -1]) for rows in read.values()]})


def draw(rows):
    return {}


def tabulate(rows):
    return {}


def claims(rows):
    return []
'''


def add_reader(project, name: str, *read: str) -> None:
    text = READER.replace('("line",)', repr(read)).replace("NAME", name)
    (project.root / "reproduce" / "toys" / f"{name}.py").write_text(text)


@pytest.fixture
def reader(project):
    """The toys and `beyond`, which reads `line`."""
    add_reader(project, "beyond", "line")
    return project


def test_what_is_read_is_made_first_handed_in_and_not_made_again_as_long_as_it_is_of_today(reader):
    """The value is the last one of the other's rows; a second run measures the reader alone."""
    for done in (["trained small", "measured line", "measured beyond"], ["measured beyond"]):
        reader.run("run", "beyond", "--scale", "laptop")
        assert reader.trace() == done
    last = (reader.answer("line") / "rows.csv").read_text().splitlines()[-1].split(",")[-1]
    assert (reader.answer("beyond") / "rows.csv").read_text() == f"last\n{last}\n"


def test_a_change_at_the_far_end_of_a_chain_reaches_its_beginning(reader):
    """`above` reads `beyond` reads `line`: what lies between is made again although its own code is the same."""
    add_reader(reader, "above", "beyond")
    reader.run("run", "above", "--scale", "laptop")
    reader.trace()
    reader.edit("reproduce/toys/line.py", "slope * x / 7", "slope * x / 8")
    reader.run("smoke", "line", "--keep")
    reader.run("run", "above", "--scale", "laptop")
    assert reader.trace() == ["measured line", "measured beyond", "measured above"]


def states(project, question: str) -> str:
    """What `list` says of a question."""
    told = project.run("list").stdout.splitlines()
    begin = next(number for number, line in enumerate(told) if line.startswith(question))
    return "\n".join(line for line in told[begin + 1 : begin + 3] if line.startswith(" "))


def test_a_changed_answer_shows_at_its_reader_which_is_planned_anew(reader):
    """Here at once, and published once the other is published; the reader's own code is what it was."""
    before = reader.jobs("beyond")["measure-beyond-all"]
    assert before.needs == ("measure-line-all",)
    reader.run("run", "beyond", "--scale", "laptop")
    reader.run("publish", "beyond", "line", "--scale", "laptop")
    assert states(reader, "beyond").count("up to date") == 2
    reader.edit("reproduce/toys/line.py", "slope * x / 7", "slope * x / 8")
    reader.run("run", "line", "--scale", "laptop")
    version = "another version of rows of line than the one that lies here"
    changed = f"settings have changed (it rests on {version})"
    assert states(reader, "beyond").count(changed) == 1
    reader.run("publish", "line", "--scale", "laptop")
    assert states(reader, "beyond").count(changed) == 2
    reader.run("smoke", "line", "--keep")
    assert reader.jobs("beyond")["measure-beyond-all"].key != before.key


def test_an_answer_whose_question_reads_another_one_today_is_made_again(reader):
    """Also where only the code of `reads` says so, and no setting."""
    reader.run("run", "beyond", "grid")
    reader.trace()
    reader.edit("reproduce/toys/beyond.py", "return list(config.read)", 'return ["grid"]')
    told = "settings have changed (it and the question of today do not read the same: rows of line)"
    assert told in reader.run("status").stdout
    reader.edit("reproduce/toys/beyond.py", "for rows in read.values()", "for _ in read")
    reader.edit("reproduce/toys/beyond.py", "float(rows.iloc[-1, -1])", "1.0")
    reader.run("run", "beyond", "--go-on")
    assert reader.trace() == ["measured beyond"]


@pytest.mark.parametrize(("command", "read", "sentence"), [
    ("run", "beyond", "beyond reads itself: take 'beyond' out of its `reads`."),
    ("run", "lime", "There is no question that beyond could read, 'lime'; did you mean 'line'?"),
    ("run", "above", "beyond reads above reads beyond: a circle has no beginning"),
    ("blog", "lime", "There is no question that beyond could read, 'lime'; did you mean 'line'?"),  # of its reader as well
])  # fmt: skip
def test_what_cannot_be_read_is_told_in_one_sentence(reader, command, read, sentence):
    add_reader(reader, "beyond", read)
    add_reader(reader, "above", "beyond")
    done = reader.run(command, "--cost" if command == "blog" else "beyond", expect=2)
    assert done.stderr.startswith(sentence) and done.stderr.count("\n") == 1
    assert reader.trace() == []


def test_a_part_without_the_rows_that_it_reads_names_the_command(reader):
    add_reader(reader, "beyond", "grid")
    reader.run("run", "grid", "--part", "a", "--scale", "laptop")
    done = reader.run("run", "beyond", "--part", "all", "--scale", "laptop", expect=2)
    there, command = "1 of 2 parts are there", "python -m presswork run grid --scale laptop"
    assert done.stderr == f"beyond reads the rows of grid, of which {there}; make them: {command}\n"


def test_what_is_published_is_read_as_it_stands(project):
    """At a scale that the reader names, at whatever scale it runs itself; nothing of it is made again."""
    add_reader(project, "beyond", "line/paper")
    done = project.run("run", "beyond", "--scale", "laptop", expect=2)
    lacks = "beyond reads the rows of line/paper, of which 0 of 1 parts are there"
    assert done.stderr == f"{lacks}; make and publish them: python -m presswork run line --scale paper\n"
    project.run("run", "line", "--scale", "paper")
    project.run("publish", "line", "--scale", "paper")
    shutil.rmtree(project.root / "runs")
    project.trace()
    project.run("run", "beyond", "--scale", "laptop")
    assert project.trace() == ["measured beyond"]
    project.run("publish", "beyond", "--scale", "laptop")
    assert states(project, "beyond").count("up to date") == 2
    before = project.jobs("beyond")["measure-beyond-all"]
    project.edit("reproduce/toys/line.py", "slope * x / 7", "slope * x / 8")
    project.run("run", "line", "--scale", "paper")
    assert states(project, "beyond").count("up to date") == 2
    project.run("publish", "line", "--scale", "paper")
    changed = "settings have changed (it rests on another version of rows of line/paper"
    assert states(project, "beyond").count(changed) == 2
    assert project.jobs("beyond")["measure-beyond-all"].key != before.key


LACKS = 'FETCHED = {"TOY_FOLDER": "fetch the toys"}\n\n\nSCALES'


@pytest.fixture
def needy(project, monkeypatch):
    """The toys, of which `line` needs a folder that the variable TOY_FOLDER names."""
    monkeypatch.delenv("TOY_FOLDER", raising=False)
    project.edit("reproduce/toys/line.py", "SCALES", LACKS)
    return project


def test_a_run_of_the_blog_leaves_it_out_and_says_what_to_fetch(needy):
    told = needy.run("run", "--scale", "laptop").stdout
    assert "line is left out: TOY_FOLDER is not set: fetch the toys" in told
    assert needy.answer("grid").is_dir() and not needy.answer("line").exists()
    assert "line" not in needy.run("status").stdout.splitlines()[-1]


def test_a_page_of_which_nothing_can_be_measured_ends_well(needy):
    told = needy.run("blog", "--scale", "laptop", "--page", "index").stdout
    assert "line is left out: TOY_FOLDER is not set: fetch the toys" in told and "Nothing is left" in told
    assert not needy.answer("line").exists() and not needy.answer("grid").exists() and needy.trace() == []


def test_whoever_asks_for_it_is_told_in_one_sentence(needy):
    told = needy.run("run", "line", "--scale", "laptop", expect=2)
    assert "line cannot be measured here: TOY_FOLDER is not set: fetch the toys." in told.stderr
    assert "Traceback" not in told.stderr and needy.trace() == []


def test_a_folder_that_is_not_there_is_as_good_as_none(needy, monkeypatch):
    monkeypatch.setenv("TOY_FOLDER", str(needy.root / "nowhere"))
    assert all(word in questions.lacking("line", needy.root) for word in ("names", "nowhere"))
    assert smoke.cannot("line", needy.root) == questions.lacking("line", needy.root)
