"""Guards the way of somebody who writes a blog: begun in three files, broken twice, asked where a number is from."""

import json
import os
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import invented
import pytest

from presswork import Interval, __main__, claim_text
from presswork.answers import claims_file
from presswork.answers.answer import Answers
from presswork.authoring import begin, markers
from presswork.authoring import commands as authoring
from presswork.ground import blog
from presswork.ground.errors import UserError
from presswork.site import build, notebook, pages, reference
from presswork.telling import why

SHOWN = {"fig:one": set(), "table:scores": {("ours", "10 %")}, "claim:best": {("yes",)}}


@pytest.fixture
def root(tmp_path):
    """A published answer, and a page that says its number."""
    invented.answer(tmp_path, "accuracy", "laptop", SHOWN)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text("# A page\n\nIt is {{ found('accuracy/best') }}.\n")
    return tmp_path


@pytest.mark.slow
def test_a_new_blog_is_built_and_stops_when_a_number_moves_or_an_answer_turns(tmp_path, capfd, monkeypatch):
    """`presswork demo`: three files of at most fifty lines, in processes that find nothing else."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    assert begin.demo(tmp_path)
    assert sum(len(path.read_text().splitlines()) for path in begin_files(tmp_path / "demo")) <= 50
    *_, published, moved, _, turned, stopped = capfd.readouterr().out.split("\n$ presswork ")
    assert published.startswith("publish\npublished figures/coin/full\n(exit status 0)")
    assert "check" in moved and "rows.heads: other texts or integers" in moved and "(exit status 1)" in moved
    written = "docs/index.md: line 3: this sentence was written for the answer 'yes' to coin/fair, and the published answer"
    assert f"{written} is 'no'" in turned and "(exit status 0)" in turned
    assert (
        stopped.startswith("build")
        and f"{written} is 'no'" in stopped
        and stopped.endswith("(exit status 2)\n")
    )


def begin_files(folder):
    return [
        path
        for path in folder.rglob("*")
        if path.suffix in (".py", ".md", ".toml") and "site" not in path.parts
    ]


def test_a_new_blog_overwrites_nothing(tmp_path):
    """Its title is made from the name of its folder, whatever that holds."""
    files = begin.new(tmp_path / 'My "blog"_2')
    assert [path.name for path in files] == ["pyproject.toml", "coin.py", "index.md", ".gitignore"]
    assert (
        'name = "my--blog--2"\n' in files[0].read_text() and 'title = "My blog 2"\n' in files[0].read_text()
    )
    files[0].unlink()
    with pytest.raises(UserError, match="is there already: give the name of a folder that is new or empty"):
        begin.new(files[0].parent)
    assert not files[0].exists()


def test_why_says_who_made_a_number_and_which_pages_name_it(root, monkeypatch):
    monkeypatch.setattr(why.contract, "names", lambda _: [])
    told = why.of("accuracy/best", root)
    assert (
        told["found"] == "1.602\u00a0nats [1.580, 1.624]"
        and told["answer"] == "yes"
        and told["named on"] == ["docs/page.md:3"]
    )
    assert told["made by"][0]["command"] == "python -m reproduce run accuracy --scale laptop"
    assert json.loads(why.show(told, as_json=True)) == told
    assert "named on  docs/page.md:3" in why.show(told, as_json=False)
    assert why.of("accuracy/scores", root)["answer"] is None
    for name, wrong in (
        ("acuracy", "no answer in figures/acuracy/"),
        ("foo/bar", "no answer in figures/foo/ .*; there is no such question: .* list names all"),
        ("accuracy/bets", "called 'bets'; did you mean 'best'"),
    ):
        with pytest.raises(UserError, match=wrong):
            why.of(name, root)


TEXT = """Of all <!-- presswork: found('accuracy/best') -->1.5 nats<!-- / --> and
<!--presswork: val("accuracy/scores", "ours", "10 %")-->1.602 ± 0.010<!--/-->.
Good<!-- presswork: answer('accuracy/best', 'yes') --><!-- / -->.
So: `<!-- presswork: found('coin/fair') -->50 %<!-- / -->`, or
```md
<!-- presswork: found('coin/fair') -->50 %<!-- / -->
```
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_stale_number_in_a_readme_is_told_by_its_line_and_put_right(root, capsys, monkeypatch, end):
    """What is right stays to the byte, and a second look finds nothing."""
    monkeypatch.setattr(authoring, "ROOT", root)
    file, text = root / "README.md", TEXT.replace("\n", end)
    file.write_bytes(text.encode())
    given = authoring.argparse.Namespace(names=[str(file)], write=False)
    assert authoring.check(given) == 1 and file.read_bytes() == text.encode()
    said = capsys.readouterr().out
    assert said.startswith(
        f"{file}:1: found('accuracy/best') is '1.602\\xa0nats', and the file says '1.5 nats'"
    )
    given.write = True
    right = text.replace("1.5 nats", "1.602\u00a0nats").encode()
    assert authoring.check(given) == 0 and file.read_bytes() == right
    given.write = False
    assert authoring.check(given) == 0 and "All 3 numbers between markers" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "wrong"), [
    ("\n<!-- presswork: found('accuracy/best') -->1.6", "README.md:2: the marker .* is not closed"),
    ("<!-- presswork: found('accuracy/best') -->1<!-- presswork: found('accuracy/best') -->2<!-- / -->", "is not closed"),
    ("<!-- presswork: fond('accuracy/best') --><!-- / -->", "a marker says found"),
    ("<!-- presswork: found(best) --><!-- / -->", "a marker says found"),
    ("<!-- presswork: found('accuracy/bets') --><!-- / -->", "called 'bets'; did you mean 'best'"),
    ("<!-- presswork: val('accuracy/scores', 'hers', '10 %') --><!-- / -->", "no row of table accuracy/scores called 'hers'"),
    ("<!-- presswork: answer('accuracy/best', 'no') --><!-- / -->", "written for the answer 'no' to accuracy/best"),
])  # fmt: skip
def test_a_marker_that_cannot_be_read_is_one_sentence(root, text, wrong):
    (root / "README.md").write_text(text)
    with pytest.raises(UserError, match=wrong) as error:
        markers.numbers(root / "README.md", root)
    assert "\n" not in str(error.value) and (root / "README.md").read_text() == text


def test_a_blogs_own_lines_are_laid_over_the_tools(tmp_path):
    """Tables are put together and lists follow one another; a configuration that inherits is taken as it stands."""
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: Mine\ntheme: {icon: {logo: material/dice-5}}\nextra_css: [mine.css]\n"
    )
    made = json.loads(build.configuration(tmp_path).read_text())
    assert (
        made["site_name"] == "Mine"
        and made["theme"]["icon"] == {"logo": "material/dice-5"}
        and made["strict"]
    )
    assert made["extra_css"][-1] == "mine.css" and len(made["extra_css"]) > 1
    assert made["docs_dir"] == str(tmp_path / "docs") and os.path.isdir(made["theme"]["custom_dir"])
    (tmp_path / "mkdocs.yml").write_text("INHERIT: base.yml\n")
    (tmp_path / "base.yml").write_text("site_name: Yours\n")
    assert build.configuration(tmp_path) == tmp_path / "mkdocs.yml"
    (tmp_path / "mkdocs.yml").write_text("site_name: [\n")
    with pytest.raises(UserError, match=r"mkdocs\.yml cannot be read"):
        build.configuration(tmp_path)


def test_an_estimate_is_asked_for_by_its_key_and_a_damaged_file_is_told(root):
    """Settings and tuples within a key are laid out; numbers of the key may be texts on a page."""
    made = dataclass(frozen=True)(type("Cell", (), {"__annotations__": {"size": str, "given": bool}}))
    found = {
        ("ll", made("3x128", True), 10): Interval.around(1.75, 0.02, (("curves", 9),)),
        "b": Interval.exactly(3),
    }
    path = root / "figures/accuracy/laptop" / claims_file.ESTIMATES
    path.write_bytes(data := claims_file.estimates_as_bytes(found))
    assert claims_file.same_estimates(data, data.replace(b"1.75,", b"1.7500001,"))
    for other in (b"1.76,", b"1.74,"):
        assert not claims_file.same_estimates(data, data.replace(b"1.75,", other))
    assert not claims_file.same_estimates(data, data.replace(b"curves", b"seeds"))
    answer = Answers(root).of("accuracy")[0]
    one = answer.estimate("ll", "3x128", True, "10")
    assert one == (1.75, 1.73, 1.77, [["curves", 9]]) == answer.estimate("ll", "3x128", "True", 10)
    assert claim_text.estimate(one, "", "", error=True) == "1.750 ± 0.020"
    assert claim_text.estimate(one, ".1f", "%", error=False) == "175.0\u00a0%"
    (root / "README.md").write_text("<!-- presswork: val('accuracy/ll', '3x128', True, 10) --><!-- / -->")
    assert "1.750 ± 0.020" in markers.stale(root / "README.md", markers.numbers(root / "README.md", root))[0]
    with pytest.raises(UserError, match=r"no estimate in .* called 'll \| 3x12'; did you mean 'll \| 3x128"):
        answer.estimate("ll", "3x12")
    for text, wrong in (("{", "cannot be read"), ('{"format": 2}', "it has format 2, and this code reads 1")):
        path.write_text(text)
        with pytest.raises(UserError, match=wrong):
            Answers(root).of("accuracy")[0].estimates  # noqa: B018


def test_a_file_that_a_question_reads_is_an_input_and_a_changed_bound_is_told(project):
    """An answer is up to date while the file is the same; `check` restates tables and claims of published rows."""
    (project.root / "data.csv").write_text("1")
    project.edit("reproduce/toys/line.py", "TABLES =", 'FILES = ("data.csv",)\nTABLES =')
    project.run("run", "line")
    project.run("publish", "line")
    assert project.run("check", "line", expect=0) and "up to date" in project.run("list").stdout
    (project.root / "data.csv").write_text("2")
    assert "another version of file data.csv than the one that lies here" in project.run("list").stdout
    (project.root / "other.csv").write_text("1")
    project.edit("reproduce/toys/line.py", '("data.csv",)', '("other.csv",)')
    assert "do not read the same: file data.csv, file other.csv" in project.run("list").stdout
    project.edit("reproduce/toys/line.py", '("other.csv",)', '("data.csv",)')
    (project.root / "data.csv").unlink()
    assert "do not read the same: file data.csv" in project.run("list").stdout
    assert "FILES names data.csv, which is not there" in project.run("run", "line", expect=2).stderr
    (project.root / "data.csv").write_text("1")
    project.edit("reproduce/toys/line.py", "AtLeast(2)", "AtLeast(9)")
    for _ in range(2):
        told = project.run("check", "line", expect=1).stdout
        assert (
            "figures/line/laptop: claims.json would be other ones; python -m presswork publish line" in told
        )
        (project.root / "figures/line/laptop/claims.json").unlink(missing_ok=True)


def test_a_server_outlives_a_page_that_cannot_be_built():
    """What is wrong there has been said; MkDocs goes on after an exception, and would end with a SystemExit alone."""
    server = SimpleNamespace(builder=lambda: sys.exit(2))
    notebook.on_serve(server)
    with pytest.raises(Exception, match="save the page again"):
        server.builder()


def test_code_that_is_not_python_and_pages_that_are_not_utf8_are_told(root):
    (root / "cut.py").write_text("x = 1\ndef")
    with pytest.raises(UserError, match=r"code\('cut.py', 'x'\): cut.py:2 is not Python: invalid syntax"):
        reference.section(root, "cut.py", "x")
    (root / "docs" / "page.md").write_bytes("Größe".encode("latin-1"))
    for read in (claims_file.marks, pages.survey, lambda docs: markers.numbers(docs / "page.md", root)):
        with pytest.raises(UserError, match=r"page.md cannot be read .*: save it as UTF-8"):
            assert [*read(root / "docs")]


def test_where_there_is_no_blog_commands_say_how_to_begin_one(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(__main__, "BLOG", blog.Blog(tmp_path, there=False))
    assert __main__.main(["list"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("There is no blog here") and "presswork new" in said and said.count("\n") == 1
