"""Guards that Zensical shows what MkDocs shows."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from once import made_once
from toys import TOOL

from presswork.authoring import begin
from presswork.ground import blog

SITE = TOOL / "presswork" / "site"
CONFIGURATION = f"""INHERIT: {json.dumps(str(SITE / "mkdocs.yml"))}
site_name: Coin
theme: {{ custom_dir: {json.dumps(str(SITE / "theme"))} }}
"""
LOST = "plugins: { macros: { modules: [presswork.site.macros, no_such_module] } }\n"
needs_zensical = pytest.mark.skipif(
    not find_spec("zensical"), reason="zensical is not installed; weekly.yml installs it"
)


def python(folder: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """A process that works for the blog of this folder, with the tool as it lies here."""
    environment = os.environ | {"PYTHONPATH": str(TOOL), blog.VARIABLE: str(folder)}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=folder, env=environment, input=given, capture_output=True, encoding="utf-8", timeout=120
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
