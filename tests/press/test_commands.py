"""Guards the runner: from a question to answers and claims, and one clear sentence when it cannot."""

import errno
import io
import json
import shutil
import tarfile

import pytest

from curvecast.ground.errors import UserError
from reproduce import __main__
from reproduce._press import bundle, commands, plan, run, verdict
from reproduce._press.answers import freshness
from reproduce._press.answers.receipts import of, together
from reproduce._press.telling import todo


def test_an_answer_is_its_rows_receipt_figures_tables_and_claims(answered):
    """One folder per question and scale; rows for each part, one file of receipts; figures in light."""
    line = shown(answered.answer("line"))
    assert line == {
        "rows.csv",
        "receipts.json",
        "line.light.svg",
        "ends.table.csv",
        "claims.json",
    }
    grid = shown(answered.answer("grid"))
    parts = {f"{name}.{part}.csv" for name in ("rows", "curve") for part in "ab"}
    assert grid == parts | {"receipts.json", "codes.table.csv", "count.table.csv", "claims.json"}


def shown(folder):
    """The files of an answer; what begins with a dot is the store's own."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


def contents(folder):
    return {name: (folder / name).read_bytes() for name in shown(folder)}


def noted(folder):
    """The receipts of an answer by part."""
    return {receipt["part"]: receipt for receipt in of(folder)}


def note(folder, receipts):
    (folder / "receipts.json").write_text(json.dumps(together(list(receipts.values()))))


def test_a_receipt_says_what_made_the_answer(answered):
    """Config, settings, golden numbers, inputs, machine, versions and the command that makes just this."""
    receipt = noted(answered.answer("grid"))["a"]
    expected = """question part parts scale script config settings golden inputs commit dirty hardware versions seconds
        made command files"""
    assert set(receipt) == set(expected.split())
    assert receipt["command"] == "python -m reproduce run grid --scale laptop --part a"
    assert receipt["config"] == {"names": ["a", "b"]} and receipt["golden"] == []
    inputs = noted(answered.answer("line"))["all"]["inputs"]
    assert [name.split("-")[0] for name in inputs] == ["small"]
    assert freshness.freshness("line", "laptop", answered.root, home="runs/here").state == "up to date"


def test_smoke_answers_stay_out_of_figures(project):
    """The whole chain at smoke scale leaves nothing that could be committed."""
    project.run("run", "--scale", "smoke")
    assert not (project.root / "figures").exists()
    assert (project.root / "runs/smoke/figures/line/smoke/claims.json").is_file()


def test_drawing_is_a_function_of_the_rows(answered):
    """`draw` needs no training and makes the same bytes; with a part missing it still draws, and says so."""
    before = contents(answered.answer("line"))
    note(answered.answer("grid"), {"a": noted(answered.answer("grid"))["a"]})
    shutil.rmtree(answered.root / "weights")
    answered.trace()
    done = answered.run("draw")
    assert answered.trace() == []
    assert contents(answered.answer("line")) == before
    assert "drew grid at laptop scale from 1 of 2 parts" in done.stdout
    assert (answered.answer("grid") / "count.table.csv").read_text() == "parts\n1 of 2\n"


def test_a_part_that_a_question_has_no_more_stays_until_all_of_todays_are_there(answered):
    """With b missing the old part is left alone; with both there it goes when the answer is drawn."""
    folder = answered.answer("grid")
    now = noted(folder)
    old = now["a"] | {"part": "z", "files": {"rows.z.csv": ""}}
    shutil.copy(folder / "rows.a.csv", folder / "rows.z.csv")
    note(folder, {"a": now["a"], "z": old})
    answered.run("draw")
    assert (folder / "rows.z.csv").is_file()
    note(folder, now | {"z": old})
    answered.run("draw")
    assert not (folder / "rows.z.csv").exists()
    assert noted(folder) == now


def test_rows_that_were_cut_off_are_told_before_anything_is_drawn(answered):
    """Which file it is, and the way out; the figures that stand there stay."""
    rows = answered.answer("line") / "rows.csv"
    rows.write_bytes(rows.read_bytes()[:-3])
    before = contents(answered.answer("line"))
    for arguments in (["draw", "line"], ["bundle", "x.tar", "line", "--scale", "laptop"]):
        done = answered.run(*arguments, expect=2)
        assert done.stderr.startswith(
            "runs/here/line/laptop/rows.csv does not fit its receipt: it is cut off"
        )
        assert "python -m reproduce run line --scale laptop" in done.stderr and done.stderr.count("\n") == 1
    assert contents(answered.answer("line")) == before


def test_a_colour_without_a_dark_form_is_refused(answered):
    """The name of the figure and of the colour; nothing is drawn."""
    before = (answered.answer("line") / "line.light.svg").read_bytes()
    answered.edit("reproduce/toys/line.py", '**style.line("ours")', 'color="#123456"')
    done = answered.run("draw", "line", expect=2)
    assert done.stderr.startswith("line/line is drawn in #123456, which has no dark form")
    assert (answered.answer("line") / "line.light.svg").read_bytes() == before


def test_publishing_what_is_not_there_is_refused(project):
    """The user is told and not left with silence, and no folder comes to be."""
    done = project.run("publish", "line", "--scale", "paper", expect=2)
    assert "no such answer to publish" in done.stderr and not (project.root / "figures").exists()


def test_verify_prints_what_was_published_and_what_was_found_here(answered):
    """The JSON has exactly the promised fields; `publish` alone changes what is published."""
    figures = answered.root / "runs" / "here"
    (claim,) = verdict.claims("laptop", answered.root, figures)
    assert set(claim) == {
        "question", "scale", "name", "asks", "needs", "needed", "unit", "printed", "value", "low", "high", "answer",
        "published", "published_low", "published_high", "published_answer",
    }  # fmt: skip
    assert claim["published"] is None and claim["published_answer"] is None and claim["printed"] == 5.0
    assert (claim["needed"], claim["answer"]) == ("≥ 2", "yes")
    answered.run("publish", "line", "--scale", "laptop")
    (claim,) = verdict.claims("laptop", answered.root, figures)
    assert claim["published"] == claim["value"] == 5.57143 and claim["published_answer"] == "yes"
    assert shown(answered.published("line")) == shown(answered.answer("line"))


def test_a_figure_that_a_better_scale_shows_is_not_published_again(answered):
    """Pages take it from paper scale; the rows and claims of laptop scale are kept."""
    (better := answered.published("line").parent / "paper").mkdir(parents=True)
    (better / "line.light.svg").write_text("<svg/>")
    answered.run("publish", "line", "--scale", "laptop")
    kept = contents(answered.published("line"))
    assert not [name for name in kept if str(name).endswith(".svg")] and "claims.json" in map(str, kept)


def test_a_published_claim_without_rows_here_is_not_tested(answered):
    """It is listed with null, answered neither yes nor no."""
    answered.run("publish", "line", "--scale", "laptop")
    (answered.answer("line") / "claims.json").unlink()
    rows = verdict.claims("laptop", answered.root, answered.root / "runs" / "here")
    assert rows[0]["value"] is None and rows[0]["answer"] == "not tested" and rows[0]["published"] == 5.57143
    assert "0 claims tested at laptop scale: none. 1 of 1 claims were not tested" in verdict.show(
        rows, "laptop"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [("old [", "Expecting value"), ('[{"name": "n", "sentence": "It is."}]', "drawn by earlier code")],
)
def test_claims_that_cannot_be_read_are_told_with_their_file(answered, text, told):
    """Damaged, or of before claims were questions."""
    (answered.answer("line") / "claims.json").write_text(text)
    with pytest.raises(UserError, match=rf"line.laptop.claims\.json cannot be read .*{told}"):
        verdict.claims("laptop", answered.root, answered.root / "runs" / "here")


@pytest.mark.parametrize("macro", ["fig", "table", "val", "found", "shows", "claims"])
def test_a_page_shows_a_question_by_any_macro(tmp_path, macro):
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{{{{ {macro}('grid/x') }}}} and {{{{ ref('fig:limits/y') }}}}\n")
    assert plan.named_on(page, ["grid", "limits"]) == ["grid"]


def test_titles_of_pages_stand_without_their_addresses():
    titles = [plan.title(slug) for slug in plan.pages_of(["exact_bayes", "mcmc"])]
    assert "How close is the network to the exact posterior?" in titles and "{" not in "".join(titles)


def asked(answer, published_answer=None):
    """A line of `verify`."""
    value = None if answer == "not tested" else 1.0
    return {
        "question": "q", "name": "n", "asks": "Is it?", "needs": {"above": 0.0}, "needed": "> 0", "unit": "", "printed": None,
        "value": value, "low": value, "high": value, "answer": answer, "published_answer": published_answer,
        "published": None, "published_low": None, "published_high": None,
    }  # fmt: skip


def test_verify_counts_every_answer():
    """yes, no, unclear and not tested, each with its number; each claim with its question and what it needs."""
    text = verdict.show([asked(answer) for answer in ("yes", "no", "unclear", "not tested")], "laptop")
    assert text.count("q/n: here 1, needed > 0") == 3 and text.count("Is it?") == 4
    assert "3 claims tested at laptop scale: 1 yes, 1 no and 1 unclear." in text
    assert "1 of 4 claims were not tested: most of these need paper scale." in text


def test_what_was_not_tested_never_agrees():
    """A page that tests nothing says so; elsewhere the claims that were not tested are counted apart."""
    assert verdict.told([asked("not tested", "yes")], "laptop") == "nothing tested here (needs paper scale)"
    rows = [asked("yes", "no"), asked("not tested", "yes"), asked("unclear", "yes")]
    assert (
        verdict.told(rows, "laptop") == "1 yes and 1 unclear, of 3 claims; 1 differs from what is published"
    )
    assert verdict.told(rows[2:], "laptop") == "1 unclear; none differs from what is published"


def test_only_opposite_answers_are_unlike_what_is_published():
    """What is unclear here does not contradict a published answer."""
    rows = [asked(here, old) for here in ("yes", "no", "unclear") for old in ("yes", "no", "unclear", None)]
    found = [(row["answer"], row["published_answer"]) for row in verdict.others(rows)]
    assert found == [("yes", "no"), ("no", "yes")]


# ------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run", "acuracy"], "There is no question 'acuracy'"),
        (["run", "--scale", "latop"], "There is no scale 'latop'; did you mean 'laptop'?"),
        (["run", "--part", "a"], "--part names a part of one question"),
        (["blog", "--page", "no-such-page"], "There is no page 'no-such-page'"),
        (["unbundle", "nowhere.tar"], "there is no file"),
    ],
)
def test_bad_input_gets_one_sentence(arguments, sentence, capsys):
    """Exit status 2, one line, no traceback."""
    assert __main__.main(arguments) == 2
    output = capsys.readouterr()
    assert output.err.startswith(sentence) or sentence in output.err
    assert output.err.count("\n") == 1 and not output.out


@pytest.mark.parametrize(
    ("error", "status", "sentence"),
    [
        (
            OSError(errno.ENOSPC, "No space", "figures/x.csv"),
            2,
            "The disk is full: could not write figures/x.csv",
        ),
        (UserError("The file is damaged; copy it again."), 2, "The file is damaged"),
        (KeyboardInterrupt(), 130, "Stopped. What was finished is kept"),
        (type("Paused", (Exception,), {})("Paused after 2 minutes."), 3, "Paused after 2 minutes."),
    ],
)
def test_what_ends_a_run_is_told_in_one_sentence(monkeypatch, capsys, error, status, sentence):
    """A full disk, a complaint, Ctrl-C and a pause each have their exit status."""

    def fail(_):
        raise error

    monkeypatch.setattr(commands, "list_", fail)
    assert __main__.main(["list"]) == status
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [(["trian"], "command 'trian': did you mean 'train'"), (["run", "--sclae", "smoke"], "did you mean '--scale'")],
)  # fmt: skip
def test_a_word_that_is_misspelt_is_told_with_what_was_meant(words, meant, capsys):
    with pytest.raises(SystemExit, match="2"):
        __main__.main(words)
    said = capsys.readouterr().err
    assert meant in said and said.count("\n") == 1


def test_the_beginning_of_a_models_name_is_enough_where_it_fits_one():
    """Of several that fit, all are named; a whole name is never one of several."""
    models = ["ours-3x128-10k-aa", "ours-3x128-10k-ab", "ours-3x128-10k", "lcpfn-1x16"]
    assert plan.one_model("lc", models, "laptop") == "lcpfn-1x16"
    assert plan.one_model("ours-3x128-10k", models, "laptop") == "ours-3x128-10k"
    with pytest.raises(
        UserError, match=r"'ours-3x128-10k-a' fits 2 models of laptop scale: take one of .*-aa, .*-ab"
    ):
        plan.one_model("ours-3x128-10k-a", models, "laptop")
    with pytest.raises(UserError, match="There is no model 'lcfpn-1x16'; did you mean 'lcpfn-1x16'"):
        plan.one_model("lcfpn-1x16", models, "laptop")


def test_every_command_has_help_and_an_example(capsys):
    """`--help` of each command shows a whole line to type, which the command itself understands."""
    for name, (_, example, _) in __main__.COMMANDS.items():
        with pytest.raises(SystemExit, match="0"):
            __main__.main([name, "--help"])
        assert "example: python -m reproduce" in capsys.readouterr().out.replace("\n", " ")
        assert __main__.parser().parse_args(example.split()).command == name


def test_a_page_names_its_questions(project):
    """A page without any says so."""
    assert plan.page_questions("index", project.root) == ["line"]
    assert plan.page_questions("grid", project.root) == ["grid"]
    (project.root / "docs" / "empty.md").write_text("# Nothing")
    with pytest.raises(UserError, match="nothing to reproduce"):
        plan.page_questions("empty", project.root)


# ------------------------------------------------------------------------------------------- minutes and todo


def test_a_budget_runs_out():
    """No minutes are no minutes; none given is for ever."""
    assert run.Budget(0).spent() and not run.Budget(None).spent() and run.Budget(None).left() is None


def test_todo_takes_what_fits():
    """From the first on, whatever the minutes still hold; what has no estimate is tried."""
    works = [
        todo.Work("q", name, "measure", "missing", cost)
        for name, cost in (("a", 5), ("b", 9), ("c", 4), ("d", None))
    ]
    assert [work.name for work in todo.fitting(works, 10)] == ["a", "c", "d"]
    assert todo.fitting(works, None) == works
    assert "(does not fit)" in todo.show(works, "paper", 10)


def test_todo_leaves_fresh_answers_alone(answered):
    """Only what is missing or would come out differently is listed, and done."""
    assert "Nothing is missing" in answered.run("todo", "--scale", "laptop").stdout
    (answered.answer("grid") / "rows.a.csv").unlink()
    answered.edit("reproduce/toys/line.py", '"laptop": Config(3)', '"laptop": Config(4)')
    answered.trace()
    answered.run("todo", "--scale", "laptop", "--run")
    assert answered.trace() == ["measured grid a", "measured line"]


# -------------------------------------------------------------------------------------------------- bundles


@pytest.fixture
def tar(answered):
    """A whole bundle of the toy's answers, made where there is no git."""
    answered.run("bundle", "answers.tar", "--scale", "laptop", "--commit", "abcdef1")
    return answered.root / "answers.tar"


def test_answers_travel_in_a_bundle(answered, tar, project, tmp_path):
    """What is unpacked elsewhere is the same answer, up to date, with the commit that was named."""
    assert bundle.unbundle(tar, project.root) == [
        "figures/grid/laptop: up to date; python -m reproduce publish grid",
        "figures/line/laptop: up to date; python -m reproduce publish line",
    ]
    for question in ("grid", "line"):
        ours, theirs = (contents(where.answer(question)) for where in (answered, project))
        assert ours.pop("receipts.json") and theirs.pop("receipts.json") and ours == theirs
    assert noted(project.answer("line"))["all"]["commit"] == "abcdef1"
    assert list((project.root / "weights").iterdir())
    spoil_all(tar, project, tmp_path)


def test_without_git_a_bundle_asks_for_the_commit(answered):
    """An answer that nobody can trace back is not bundled."""
    done = answered.run("bundle", "answers.tar", "--scale", "laptop", expect=2)
    assert "--commit SHA" in done.stderr and not (answered.root / "answers.tar").exists()


def spoil_all(tar, project, tmp_path):
    """Damage, missing files, other places, links and strangers: one sentence each, and nothing is written."""
    shutil.rmtree(project.root / "runs" / "here")
    row = "figures/line/laptop/rows.csv"
    outside = {
        "../evil.csv": b"x",
        "/etc/evil.csv": b"x",
        "reproduce/toys/line.py": b"x",
        "figures/line/paper/rows.csv": b"x",
    }
    spoilt = [
        (tar.read_bytes()[: tar.stat().st_size // 2], "damaged|not in both"),
        (b"not a tar", "not a bundle"),
        (again(tar, change={row: b"x,y\n1,1\n"}), "sha256 differs"),
        (again(tar, drop=row), "not in both"),
        (again(tar, link=row), "not a plain file"),
        (again(tar, link=row, kind=tarfile.GNUTYPE_SPARSE), "not a plain file"),
        (again(tar, change={row: b"x,y\n1,1\n"}, resign=True), "does not fit the rows"),
        (again(tar, drop="figures/line/laptop/receipts.json", resign=True), "does not fit the rows"),
        (again(tar, change={f"{row}.gz": b"cut off"}, resign=True), "holds a table that is damaged"),
        (
            again(tar, change={"figures/line/laptop/receipts.json": b"[1]"}, resign=True),
            "does not fit the rows",
        ),
        *((again(tar, change={name: data}, resign=True), "not a place") for name, data in outside.items()),
        (
            again(tar, change={"figures/stranger/laptop/rows.csv": b"x"}, resign=True),
            "no question 'stranger'",
        ),
    ]
    for data, complaint in spoilt:
        (tmp_path / "spoilt.tar").write_bytes(data)
        with pytest.raises(UserError, match=complaint):
            bundle.unbundle(tmp_path / "spoilt.tar", project.root)
        assert not (project.root / "figures").exists()


def again(tar, change=None, drop=None, link=None, kind=tarfile.SYMTYPE, resign=False) -> bytes:
    """The tar with a member changed, dropped or made a link, or of another kind; `resign` makes the manifest fit."""
    from hashlib import sha256

    with tarfile.open(tar) as old:
        files = {member.name: old.extractfile(member).read() for member in old}
    files |= change or {}
    files.pop(drop, None)
    if resign:
        manifest = json.loads(files.pop("manifest.json"))
        manifest["files"] = {name: sha256(data).hexdigest() for name, data in files.items()}
        files["manifest.json"] = json.dumps(manifest).encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as new:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = 0 if name == link else len(data)
            if name == link:
                member.type, member.linkname = kind, "/etc/passwd"
            new.addfile(member, io.BytesIO(data))
    return buffer.getvalue()
