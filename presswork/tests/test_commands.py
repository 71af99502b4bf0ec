"""Guards the runner: from a question to answers and claims, and one clear sentence when it cannot."""

import errno
import json
import shutil
from dataclasses import make_dataclass
from types import SimpleNamespace

import pytest
from toys import note, noted, shown

from presswork import __main__, contract, plan, questions
from presswork.answers import freshness
from presswork.ground.errors import UserError
from presswork.ground.plugin import Paused
from presswork.telling import commands, verdict


def test_an_answer_is_its_rows_receipt_figures_tables_and_claims(answered):
    drawn = {"line.light.svg", "ends.table.csv", "claims.json"}
    assert shown(answered.answer("line")) == drawn | {"rows.csv", "receipts.json"}
    parts = {f"{name}.{part}.csv" for name in ("rows", "curve") for part in "ab"}
    tables = {"codes.table.csv", "count.table.csv", "claims.json"}
    assert shown(answered.answer("grid")) == parts | tables | {"receipts.json"}


def test_a_receipt_says_what_made_the_answer(answered):
    receipt = noted(answered.answer("grid"))["a"]
    expected = """question part parts scale script config settings golden inputs commit dirty code hardware versions seconds
        made command files memory_mb"""
    assert set(receipt) == set(expected.split()) and receipt["memory_mb"] > 10
    assert receipt["command"] == "python -m presswork run grid --scale laptop --part a"
    assert receipt["config"] == {"names": ["a", "b"]} and receipt["golden"] == []
    (read,) = noted(answered.answer("line"))["all"]["inputs"]
    assert read.startswith("small-")
    assert freshness.freshness("line", "laptop", answered.root, home="runs/here").state == "up to date"


def test_status_says_what_stands_and_what_is_to_be_done(answered):
    """By the questions as they are now, for a person and for a program; `list` imports none and believes golden numbers."""
    told = answered.run("status").stdout
    assert "laptop, here: up to date" in told and "Nothing is to be done" in told
    answered.edit("reproduce/toys/line.py", '"laptop": Config(3)', '"laptop": Config(4)')
    told = answered.run("status").stdout
    assert "laptop, here: settings have changed" in told and told.endswith("run line\n")
    line = json.loads(answered.run("status", "--json").stdout)[1]
    assert line["question"] == "line" and line["asks"] == "How steep is the line?"
    assert line["answers"] == {"laptop, here": "settings have changed"}
    assert "laptop, here: up to date" in answered.run("list").stdout


def test_status_counts_the_parts_that_a_question_has_today(answered):
    answered.edit("reproduce/toys/grid/question.py", 'PARTS = "{name}"', 'PARTS = ("{name}", "more")')
    told = answered.run("status").stdout
    assert "; there are 2 of 3 parts)" in told and told.endswith("run grid\n")


def test_a_broken_question_hides_no_other(answered):
    """Whether it is no Python, cannot be imported or has no such part: it is told with its line, and is still to be done."""
    file, line = "reproduce/toys/grid/question.py", "laptop, here: up to date"
    answered.edit(file, 'names: tuple = ("a", "b")', "names: float = 1.5")
    told = answered.run("status").stdout
    assert "grid is broken: TypeError: 'float' object is not iterable" in told and line in told
    for old, new, wrong in (
        ('PARTS = "{name}"', 'PARTS = "{nam}"', "question.py:19: PARTS names {nam}, but Config has neither"),
        ("PARTS =", "pd.nothing\nPARTS =", "question.py:19 cannot be imported (AttributeError: module"),
        ("def measure", "def", "question.py:23 is not Python: invalid syntax"),
    ):
        answered.edit(file, old, new)
        told = answered.run("status").stdout
        assert f"reproduce/toys/grid/{wrong}" in told and line in told and told.endswith("run grid\n")
    assert [*json.loads(answered.run("list", "--json").stdout)[0]] == ["question", "wrong"]
    told = answered.run("check", expect=1).stdout
    assert wrong in told and "line             \n    has no golden numbers yet" in told


@pytest.mark.parametrize(("old", "new", "wrong"), [
    ("def measure", "def", "line.py:28 is not Python: invalid syntax.\n"),
    ("TABLES =", "pd.nothing\nTABLES =", "line.py:16 cannot be imported (AttributeError: module 'pandas' has"),
    ("    slope =", "    1 / 0\n    slope =", "line is broken: ZeroDivisionError: division by zero; python -m"),
])  # fmt: skip
def test_the_others_are_run_where_one_is_broken(project, old, new, wrong):
    """And it is told in the end; named alone it ends as Python has it, or with the same sentence."""
    shutil.move(project.root / "reproduce/toys/grid", project.root / "reproduce/toys/raster")
    project.edit("reproduce/toys/line.py", old, new)
    done = project.run("run", expect=2)
    assert "raster" in done.stdout and wrong in done.stderr and done.stderr.count("\n") == 1
    assert project.answer("raster").is_dir()


def test_smoke_answers_stay_out_of_figures(project):
    project.run("run", "--scale", "smoke")
    assert not (project.root / "figures").exists()
    assert (project.root / "runs/smoke/figures/line/smoke/claims.json").is_file()


def test_a_laptop_measures_what_settles_a_claim_and_what_is_new(answered):
    """Whatever its answer says, a page or `every=1` measures it."""
    assert verdict.settles("line", answered.root)
    answered.run("publish", "line", "--scale", "laptop")
    assert verdict.settles("line", answered.root)
    path = answered.root / "figures/line/laptop/claims.json"
    path.write_text(path.read_text().replace('"yes"', '"unclear"'))
    assert not verdict.settles("line", answered.root)
    told = answered.run("blog", "--cost").stdout
    assert "only `presswork blog --every` measures them: line" in told
    assert "measures them" not in answered.run("blog", "--cost", "--every").stdout
    note(path.parent, {"all": noted(path.parent)["all"] | {"parts": ["all", "more"]}})
    assert verdict.settles("line", answered.root)


def test_an_answer_that_lacks_parts_is_published_with_a_word(answered):
    note(answered.answer("grid"), {"a": noted(answered.answer("grid"))["a"]})
    told = answered.run("publish", "grid", "--scale", "laptop").stdout
    assert "; there are 1 of 2 parts): python -m presswork run grid --scale laptop --go-on" in told


def test_a_figure_that_a_better_scale_shows_is_not_published_again(answered):
    """Pages take it from paper scale; the rows and claims of laptop scale are kept."""
    (better := answered.published("line").parent / "paper").mkdir(parents=True)
    (better / "line.light.svg").write_text("<svg/>")
    answered.run("publish", "line", "--scale", "laptop")
    assert shown(answered.published("line")) == shown(answered.answer("line")) - {"line.light.svg"}


@pytest.mark.parametrize(("change", "complaint"), [
    ({"__doc__": None}, "docstring"), ({"Config": object}, "frozen dataclass"),
    ({"SCALES": {}}, "smoke, laptop, paper"), ({"measure": None}, "measure is missing"),
    ({"TABLES": {"rows": "x"}}, 'TABLES = {"rows": ("x", "y")}'),
    ({"FILES": "data.csv"}, 'FILES must be a tuple of names, ("data.csv",)'),
    ({"TABLES": ["rows"]}, 'TABLES = {"rows": ("x", "y")}'),
    ({"TOLERANCES": {"rows.x": (0.1, "")}}, 'TOLERANCES["rows.x"] must be (a share or "chaotic", "the reason")'),
    ({"TOLERANCES": {"rows.x": ("loose", "no idea")}}, "a share or"),
])  # fmt: skip
def test_a_broken_question_is_told_what_it_misses(change, complaint):
    config = make_dataclass("Config", [], frozen=True)
    whole = {"__doc__": "Why?", "Config": config, "SCALES": dict.fromkeys(contract.SCALES, config())}
    whole |= dict.fromkeys(("measure", "draw", "tabulate", "claims"), print) | {"TABLES": {"rows": ("x",)}}
    assert contract.broken(SimpleNamespace(**whole)) is None
    about, misses = contract.broken(SimpleNamespace(**(whole | change)))
    assert complaint in misses and about in change


@pytest.mark.parametrize(("promised", "says"), [
    ("import sys; sys.exit(3)", "reproduce/toys/line.py:16 cannot be imported (SystemExit: 3)"),
    ("import gone", "reproduce/toys/line.py:16 cannot be imported (No module named 'gone'): install what it needs"),
    ("TABLES = {}", "line.py:16 does not keep the contract: TABLES must name what `measure` returns"),
    ('TABLES = {"rows": ("x", "z")}', "line.py:16: `measure` did not return what TABLES promises of the table 'rows' "
                                      "(missing: z; not promised: y)"),
    ('TABLES = {"curve": ("x", "y")}', "'rows' (missing: none; not promised: x, y)"),
])  # fmt: skip
def test_a_file_that_cannot_be_imported_or_breaks_its_promise_is_told(project, promised, says):
    project.edit("reproduce/toys/line.py", 'TABLES = {"rows": ("x", "y")}', promised)
    assert says in project.run("run", "line", "--scale", "smoke", expect=2).stderr
    assert not list(project.root.glob("runs/smoke/**/*.csv"))


def test_no_minutes_end_a_run_before_its_first_part(project):
    """With a status of its own; the same command goes on later."""
    told = project.run("run", "grid", "--minutes", "0", expect=3).stdout
    assert told == "grid: the minutes are over before part a; the same command continues there.\n"
    assert project.trace() == []


def test_a_run_with_minutes_leaves_out_what_is_up_to_date(answered):
    answered.trace()
    answered.run("run", "--minutes", "9")
    assert answered.trace() == []


def test_the_training_of_one_part_ends_with_the_minutes(project):
    """`measure` asks for the network and would train it to its end."""
    known = "    if not is_trained(config):"
    ends = "from presswork.ground.plugin import Paused; raise Paused('paused')"
    pauses = f"    if minutes == 0:\n        {ends}\n{known}"
    project.edit("lib/training/train.py", known, pauses)
    assert "paused" in project.run("run", "line", "--part", "all", "--minutes", "0", expect=3).stderr
    assert project.trace() == []


def test_a_training_whose_time_is_asked_for_has_two_cores_and_waits_for_the_quickest_page_alone():
    jobs = plan.plan("laptop", ["prior_belief", "told_schedule", "two_cores"])
    timed = {f"train-{name}" for name in contract.model_names(contract.load("two_cores").models("laptop"))}
    assert timed == {name for name, job in jobs.items() if job.threads == 2}
    least = min(jobs[name].priority for name in timed)
    before = {name for name, job in jobs.items() if job.priority > least} - timed
    # which trains nothing
    assert {"measure-prior_belief-all"} == {name for name in before if not name.startswith("draw-")}
    # Snakemake adds up what runs side by side
    assert least > sum(sorted(job.priority for name, job in jobs.items() if name not in timed | before)[-2:])


@pytest.mark.parametrize("command", ["run", "publish", "check"])
def test_a_blog_without_questions_is_told_where_they_are_looked_for(project, command):
    shutil.move(project.root / "reproduce", project.root / "elsewhere")
    assert "There is no question in reproduce/: " in project.run(command, expect=2).stderr


@pytest.mark.parametrize("macro", ["fig", "table", "val", "found", "shows", "claims"])
def test_a_page_shows_a_question_by_any_macro_and_each_counts_once(project, macro):
    """On the page that names it most often; a title is told without its address, and a page may show none."""
    docs = project.root / "docs"
    (project.root / "mkdocs.yml").write_text("nav: [grid.md, index.md]")
    grid, line = (f"{{{{ {macro}('{name}/x') }}}} " for name in ("grid", "line"))
    text = f"# A grid {{: #there}}\n\n{grid * 2}{line} and {{{{ ref('fig:line/y') }}}}\n"
    (docs / "grid.md").write_text(text)
    (docs / "index.md").write_text(f"# A toy\n\n{line * 2}{grid}\n")
    assert questions.pages_of(["line", "grid"], project.root) == {"grid": ["grid"], "index": ["line"]}
    assert questions.title_of("grid", project.root) == "A grid"
    (docs / "empty.md").write_text("# Nothing")
    with pytest.raises(UserError, match="nothing to reproduce"):
        plan.questions_of("empty", project.root)
    project.edit("reproduce/toys/line.py", "TABLES =", 'ON_REQUEST = "make bench"\nTABLES =')
    (docs / "grid.md").write_text(f"# Times\n\n{line}\n")
    with pytest.raises(UserError, match="shows answers that make bench alone makes: line"):
        plan.questions_of("grid", project.root)


@pytest.mark.parametrize(("arguments", "sentence"), [
    (["run", "acuracy"], "There is no question 'acuracy'; did you mean 'accuracy'?"),
    (["run", "--scale", "latop"], "There is no scale 'latop'; did you mean 'laptop'?"),
    (["verify", "--write"], "--write needs --time"),
    (["run", "--part", "a"], "--part names a part of one question"), (["train", "ours-3x128"], "; did you mean 'ours-3x128-"),
    (["blog", "--page", "no-such-page"], "There is no page 'no-such-page'"),
    (["unbundle", "nowhere.tar"], "there is no file"), (["trian"], "There is no command 'trian'; did you mean 'train'?"),
    (["run", "--sclae", "smoke"], "There is no option '--sclae'; did you mean '--scale'?"),
])  # fmt: skip
def test_bad_input_gets_one_sentence(arguments, sentence, capsys):
    assert __main__.main(arguments) == 2
    output = capsys.readouterr()
    assert sentence in output.err and output.err.count("\n") == 1 and not output.out


def test_publishing_what_is_not_there_is_refused(project):
    done = project.run("publish", "line", "--scale", "paper", expect=2)
    assert "no such answer to publish" in done.stderr and not (project.root / "figures").exists()


@pytest.mark.parametrize(("error", "status", "sentence"), [
    (OSError(errno.ENOSPC, "No space", "figures/x.csv"), 2, "The disk is full: figures/x.csv stays"),
    (OSError(errno.EEXIST, "File exists", "runs"), 2, "File exists: runs stays as it was."),
    (UserError("The file is damaged; copy it again."), 2, "The file is damaged"),
    (KeyboardInterrupt(), 130, "Stopped. What was finished is kept"),
    (Paused("Paused after 2 minutes."), 3, "Paused after 2 minutes."),
])  # fmt: skip
def test_what_ends_a_run_is_told_in_one_sentence(monkeypatch, capsys, error, status, sentence):

    def fail(_):
        raise error

    monkeypatch.setattr(commands, "list_", fail)
    assert __main__.main(["list"]) == status
    assert sentence in capsys.readouterr().err


def test_every_command_has_help_and_an_example(capsys):
    for name, (_, example, _) in __main__.COMMANDS.items():
        with pytest.raises(SystemExit, match="0"):
            __main__.main([name, "--help"])
        assert "example: python -m reproduce" in capsys.readouterr().out.replace("\n", " ")
        assert __main__.parser().parse_args(example.split()).command == name


def test_who_goes_on_trains_before_it_measures_and_leaves_fresh_answers_alone(answered):
    """And says before what that would cost."""
    go_on = "run", "--go-on", "--scale", "laptop"
    answered.trace()
    answered.run(*go_on)
    assert answered.trace() == [] and "Everything is up to date" in answered.run(*go_on, "--cost").stdout
    (answered.answer("grid") / "rows.a.csv").unlink()
    shutil.rmtree(answered.root / "weights")
    answered.edit("reproduce/toys/line.py", '"laptop": Config(3)', '"laptop": Config(4)')
    told = answered.run(*go_on, "--cost").stdout
    assert all(step in told for step in ("measure-grid", "train-small", "measure-line"))
    answered.run(*go_on)
    assert answered.trace() == ["measured grid a", "trained small", "measured line"]
