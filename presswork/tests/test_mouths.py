"""Guards that other generators of sites show what MkDocs shows: Zensical, and those without notebooks."""

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from once import made_once
from toys import TOOL, python

from presswork import __main__
from presswork.authoring import begin
from presswork.ground import blog
from presswork.ground.errors import UserError
from presswork.site import notebook

SITE = TOOL / "presswork" / "site"
CONFIGURATION = f"""INHERIT: {json.dumps(str(SITE / "mkdocs.yml"))}
site_name: Coin
theme: {{ custom_dir: {json.dumps(str(SITE / "theme"))} }}
"""
LOST = "plugins: { macros: { modules: [presswork.site.macros, no_such_module] } }\n"
needs_zensical = pytest.mark.skipif(
    not find_spec("zensical"), reason="zensical is not installed; weekly.yml installs it"
)


# ------------------------------------------------------------------------------------------------------------ Zensical
@pytest.fixture
def coin(tmp_path, tmp_path_factory):
    """A blog as `presswork new` makes it: run, committed, published, and with a configuration at its root."""

    def make(folder: Path) -> None:
        begin.new(folder / "coin")
        (folder / "coin" / ".gitignore").write_text("runs\nsite\n__pycache__\n")
        git = "git", "-C", str(folder / "coin"), "-c", "user.name=I", "-c", "user.email=i@example.org"
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "A coin"]):
            subprocess.run([*git, *words], check=True)
        for word in ("run", "publish"):
            done = python(folder / "coin", "-m", "presswork", word)
            assert done.returncode == 0, done.stderr
        (folder / "coin" / "mkdocs.yml").write_text(CONFIGURATION)

    return shutil.copytree(made_once(tmp_path_factory, "coin", make) / "coin", tmp_path / "coin")


def zensical(folder: Path) -> subprocess.CompletedProcess[str]:
    return python(folder, "-m", "zensical", "build", "--strict")


@pytest.mark.slow
@needs_zensical
def test_zensical_shows_the_number_the_mark_and_the_figure_of_a_new_blog(coin):
    done = zensical(coin)
    assert done.returncode == 0, done.stderr
    page = (coin / "site" / "index.html").read_text(encoding="utf-8")
    assert "49.9\N{NO-BREAK SPACE}%" in page and "cc-shows" in page and "Figure 1" in page
    assert (coin / "site" / "answers" / "coin" / "full" / "share.light.svg").is_file()


@pytest.mark.slow
@needs_zensical
@pytest.mark.parametrize(("file", "old", "now", "said"), [
    ("docs/index.md", "'yes'", "'no'", "docs/index.md: line 3: this sentence was written for the answer 'no' to coin/fair"),
    ("docs/index.md", "found(", "fond(", "'fond' is undefined"),
    ("mkdocs.yml", "theme:", LOST + "theme:", "No module named 'no_such_module'"),
], ids=["a turned answer", "a misspelt macro", "a lost module of macros"])  # fmt: skip
def test_zensical_ends_with_1_and_says_what_is_wrong(coin, file, old, now, said):
    (coin / file).write_text((coin / file).read_text(encoding="utf-8").replace(old, now), encoding="utf-8")
    done = zensical(coin)
    assert done.returncode == 1 and said in done.stdout + done.stderr


# ------------------------------------------------------------------------------------------------ notebooks as Markdown
def cell(kind: str, source: str, *outputs: dict, tags: tuple[str, ...] = ()) -> dict:
    shown = {"outputs": list(outputs)} if kind == "code" else {}
    metadata = {"tags": list(tags)}
    return {
        "cell_type": kind,
        "id": f"a-{kind}",
        "metadata": metadata,
        "source": source.splitlines(True),
    } | shown


def output(kind: str, text: str) -> dict:
    if kind == "stream":
        return {"output_type": "stream", "name": "stdout", "text": text.splitlines(True)}
    return {"output_type": "execute_result", "data": {"text/plain": "Plain()", kind: text}}


def written(folder: Path, *cells: dict, **metadata: str) -> Path:
    path = folder / "page.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": metadata}), encoding="utf-8")
    return path


def test_a_notebook_becomes_markdown_with_its_description_text_code_and_outputs(tmp_path):
    page = written(
        tmp_path,
        cell("markdown", "# Tosses\n\nOf *all*."),
        cell("code", "toss()", output("stream", "\x1b[31m3\x1b[0m heads\n"), output("text/plain", "0.5")),
        description='Of "coins": all',
    )
    assert notebook.as_markdown(page) == (
        '---\ndescription: "Of \\"coins\\": all"\nrender_macros: false\n---\n\n# Tosses\n\nOf *all*.\n\n'
        "```python\ntoss()\n```\n\n```text\n3 heads\n```\n\n```text\n0.5\n```\n"
    )


def test_code_with_a_tag_is_folded_below_what_the_site_says_of_it(tmp_path):
    page = written(
        tmp_path, cell("code", "import os", tags=("imports",)), cell("code", "x", tags=("parameters",))
    )
    folded = "<details>\n<summary>show the imports</summary>\n\n```python\nimport os\n```\n\n</details>"
    assert notebook.as_markdown(page).endswith(f"---\n\n{folded}\n\n```python\nx\n```\n")


def test_an_output_stays_html_without_styles_and_scripts_and_without_a_line_that_would_end_it(tmp_path):
    """Blank lines of a <pre> are still there for who reads the page."""
    html = "<style scoped>\np {}\n</style><pre>a\n\n    b</pre><script>\nrun()\n</script>"
    only_a_script = output("text/html", "<script>run()</script>")
    page = written(tmp_path, cell("code", "", only_a_script, output("text/html", html)))
    assert notebook.as_markdown(page).endswith("---\n\n<div>\n<pre>a\n&#10;    b</pre>\n</div>\n")


def test_code_that_holds_a_fence_stands_in_a_longer_one(tmp_path):
    page = written(tmp_path, cell("code", 'x = """\n```\n"""'))
    assert '````python\nx = """\n```\n"""\n````\n' in notebook.as_markdown(page)


def test_the_command_writes_a_file_and_ends_with_2_and_a_sentence_at_a_figure_without_words(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(__main__, "BLOG", blog.Blog(tmp_path))
    good, out = written(tmp_path, cell("markdown", "Good.")), tmp_path / "page.md"
    assert __main__.main(["export", str(good), "--output", str(out)]) == 0 and capsys.readouterr().out == ""
    assert __main__.main(["export", str(good)]) == 0 and capsys.readouterr().out == out.read_text()
    without_words = cell("code", "draw()", output("image/png", "iVBO"))
    older = {key: value for key, value in without_words.items() if key != "id"}  # before nbformat 4.5
    for bad, name in ((without_words, "a-code"), (older, "2")):
        page = written(tmp_path, cell("markdown", "Good."), bad)
        assert __main__.main(["export", str(page)]) == 2
        said = capsys.readouterr().err
        assert f"page.ipynb, cell {name}: a figure without alternative text" in said and said.count("\n") == 1


@pytest.mark.parametrize("text", ["{", "{}", '{"cells": [{}], "metadata": {}}', "[]"])
def test_a_file_that_is_no_notebook_is_one_sentence(tmp_path, text):
    (tmp_path / "page.ipynb").write_text(text)
    with pytest.raises(UserError, match=r"page\.ipynb cannot be read .*: name a notebook") as error:
        notebook.as_markdown(tmp_path / "page.ipynb")
    assert "\n" not in str(error.value)
