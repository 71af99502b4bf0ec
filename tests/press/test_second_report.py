"""Guards that the tool needs nothing of the blog it was cut from: the example beside it is a whole blog of its own."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from presswork.ground.blog import VARIABLE
from tests.conftest import ROOT, TOOL

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
    blog = tmp_path / "intervals"
    shutil.copytree(EXAMPLE, blog, ignore=shutil.ignore_patterns("runs", "site", "__pycache__", ".*"))
    published = stated(blog)
    assert sum(path.endswith("claims.json") for path in published) == 2
    environment = os.environ | {"PYTHONPATH": str(TOOL), VARIABLE: str(blog), "PYTHONDONTWRITEBYTECODE": "1"}
    commands = [sys.executable, "-c", COMMANDS, "check", "publish", "build"]
    done = subprocess.run(
        commands, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    said = done.stdout + done.stderr
    assert re.findall(r"exit status (\d+) of (\w+)", said) == [("0", name) for name in commands[3:]], said
    assert stated(blog) == published

    page = (blog / "site" / "index.html").read_text(encoding="utf-8")
    claims = {claim["name"]: claim for claim in json.loads(published["figures/coverage/full/claims.json"])}
    assert f"{100 * claims['wald_average']['value']:.1f}\N{NO-BREAK SPACE}%" in page
    assert "cc-shows" in page and "Figure 3" in page and 'id="ref-brown2001"' in page


def stated(blog):
    """The claims and tables of its published answers, which rest on no library that draws."""
    files = [*blog.glob("figures/*/full/claims.json"), *blog.glob("figures/*/full/*.table.csv")]
    return {path.relative_to(blog).as_posix(): path.read_text(encoding="utf-8") for path in files}
