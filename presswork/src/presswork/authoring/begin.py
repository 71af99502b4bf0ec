"""`presswork new`: a blog of one question and one page, which shows all that a blog does; and `demo`, which breaks it."""

import os
import re
import subprocess
import sys
from pathlib import Path

from presswork.ground.blog import VARIABLE
from presswork.ground.errors import demand
from presswork.ground.files import write

SETTINGS = """[project]
name = "{name}"
version = "0"
requires-python = ">=3.11"
dependencies = ["presswork"]

[tool.presswork]
title = "{title}"
drawn_from = {{ toss = "tosses" }}
"""
QUESTION = '''"""Is the coin fair?"""

from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from presswork import Between, Claim, Interval, style


@dataclass(frozen=True)
class Config:
    tosses: int = 10_000
    heads: float = 0.5  # what the coin does
    seed: int = 0


SCALES = {"smoke": Config(tosses=100), "full": Config()}


def measure(config):
    toss = np.random.default_rng(config.seed).random(config.tosses)
    return pd.DataFrame({"toss": range(config.tosses), "heads": (toss < config.heads).astype(int)})


def draw(rows):
    figure, axis = plt.subplots()
    axis.plot(rows["heads"].expanding().mean(), color=style.colour("first"))
    axis.set(xlabel="tosses", ylabel="share of heads")
    return {"share": figure}


def claims(rows):
    share = Interval.wilson(rows.set_index("toss")["heads"])
    return [Claim("fair", "Do 48 to 52 % of the tosses show heads?", share, Between(0.48, 0.52), "%")]
'''
PAGE = """# Is the coin fair?

Of ten thousand tosses {{ found('coin/fair') }} showed heads, so the coin is fair {{ shows('coin/fair', 'yes') }}.

{{ fig('coin/share', alt='A line that settles at one half.', caption='The share of heads settles at one half.') }}
"""


def new(folder: Path) -> list[Path]:
    """The files of a new blog; nothing is written where one of them is there already."""
    title = folder.name.replace("-", " ").replace("_", " ").replace('"', "").capitalize()
    name = re.sub("[^a-z0-9]", "-", folder.name.lower()).strip("-") or "blog"
    files = {
        folder / "pyproject.toml": SETTINGS.format(name=name, title=title),
        folder / "questions" / "coin.py": QUESTION,
        folder / "docs" / "index.md": PAGE,
        folder / ".gitignore": "runs/\nsite/\n__pycache__/\n.lock\n",
    }
    empty = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
    demand(empty, f"{folder} is there already: give the name of a folder that is new or empty.")
    for path, text in files.items():
        write(path, text.encode())
    return list(files)


# ------------------------------------------------------------------------------------------- a report that breaks twice


def demo(folder: Path) -> bool:
    """A new blog is built; then a number moves, and an answer turns.  -> did each step end as it should?"""
    blog = folder / "demo"
    new(blog)
    question = blog / "questions" / "coin.py"

    def edit(old: str, now: str) -> None:
        text = question.read_text(encoding="utf-8")
        assert old in text
        write(question, text.replace(old, now).encode())
        print(f"\n# questions/coin.py: {old} becomes {now}")

    ended: list[bool] = []

    def say(*words: str, status: int = 0) -> None:
        print(f"\n$ presswork {' '.join(words)}", flush=True)
        here = str(Path(__file__).parents[2])  # the same tool, wherever it lies
        path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
        environment = os.environ | {VARIABLE: str(blog), "PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-m", "presswork", *words],
            cwd=blog, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        )  # fmt: skip
        lines = (line for line in done.stdout.splitlines() if line.strip())
        told = [line for line in lines if not line.startswith(("INFO", "["))]
        print(*told, f"(exit status {done.returncode})", sep="\n", flush=True)
        ended.append(done.returncode == status)

    print(f"# A blog of three files in {blog}, measured and published")
    say("run")
    say("publish")
    edit("config.heads).astype", "config.heads + 0.1).astype")
    say("check", status=1)  # the code measures something else than it did: a number moved
    edit("config.heads + 0.1).astype", "config.heads).astype")
    edit("heads: float = 0.5 ", "heads: float = 0.6 ")
    say("run")
    say("publish")  # the answer turned: its sentence is named
    say("build", status=2)  # and stops the site
    return all(ended)
