"""Guards that the tool needs nothing of the blog it was cut from: the example beside it is a whole blog of its own."""

import re
import shutil

import pytest
from toys import ROOT, python

from presswork.answers import claims_file

EXAMPLE = ROOT / "presswork" / "examples" / "intervals"
COMMANDS = """
import sys
from presswork.__main__ import main
for command in sys.argv[1:]:
    print("exit status", main([command]), "of", command, flush=True)
"""


@pytest.mark.slow
def test_the_second_report_says_what_it_says_today(tmp_path):
    """In a copy with nothing but the tool, golden numbers have not moved, what it states of its published rows is what
    is published, and its site shows a number, its mark, all three figures and the work that it cites.
    """
    blog = copied(tmp_path)
    published = stated(blog)
    assert sum(path.endswith("claims.json") for path in published) == 2
    said = said_by(blog, "-c", COMMANDS, "check", "publish", "build")
    assert re.findall(r"exit status (\d+) of (\w+)", said) == [
        ("0", name) for name in ("check", "publish", "build")
    ], said
    assert stated(blog) == published

    page = (blog / "site" / "index.html").read_text(encoding="utf-8")
    claims = claims_file.by_name(published["figures/coverage/full/claims.json"].encode())
    assert f"{100 * claims['wald_average']['value']:.1f}\N{NO-BREAK SPACE}%" in page
    assert "cc-shows" in page and "Figure 3" in page and 'id="ref-brown2001"' in page


@pytest.mark.slow
def test_the_guards_of_a_blog_pass_and_each_fails_on_what_it_guards(tmp_path):
    """With the pytest plugin alone: a question that measures other numbers, an edited table, a stray file."""
    blog = copied(tmp_path)
    guards = "-m", "pytest", "-q", "-p", "presswork.guards.plugin", "-p", "no:cacheprovider", "--presswork"
    assert (
        re.search(r"^\d+ passed", said := said_by(blog, *guards), flags=re.MULTILINE) and "failed" not in said
    ), said
    question, table = blog / "questions" / "coverage.py", next(blog.glob("figures/coverage/full/*.table.csv"))
    question.write_text(
        question.read_text("utf-8").replace("(kind, n, p, share)", "(kind, n, p, share / 2)"), "utf-8"
    )
    table.write_text(table.read_text("utf-8").replace("1", "2"), "utf-8")
    (blog / "figures" / "stray").mkdir()
    (blog / "figures" / "stray" / "claims.json").write_text("[]")
    failed = re.findall(r"^FAILED \S*::(\w+)", said := said_by(blog, *guards), flags=re.MULTILINE)
    assert [*dict.fromkeys(failed)] == [
        "test_numbers_at_the_scale_of_tests_are_the_golden_ones", "test_tables_and_claims_follow_from_the_rows",
        "test_only_answers_lie_below_figures",
    ], said  # fmt: skip


def copied(folder):
    """The blog, with nothing of what it has made here."""
    ignored = shutil.ignore_patterns("runs", "site", "__pycache__", ".*")
    return shutil.copytree(EXAMPLE, folder / "intervals", ignore=ignored)


def said_by(blog, *arguments):
    """All that a process says that finds the tool, this blog, and no plugin of pytest that is installed."""
    done = python(blog, *arguments, PYTHONDONTWRITEBYTECODE="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    return done.stdout + done.stderr


def stated(blog):
    """The claims and tables of its published answers, which rest on no library that draws."""
    files = [*blog.glob("figures/*/full/claims.json"), *blog.glob("figures/*/full/*.table.csv")]
    return {path.relative_to(blog).as_posix(): path.read_text(encoding="utf-8") for path in files}
