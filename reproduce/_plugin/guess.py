"""Draw the rest: a figure that a reader plays, made of published rows; without scripts, and in print, it is a picture."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from presswork.answers.answer import Answer
from presswork.site import blocks, provenance
from presswork.site.here import Here, split

FOLDER = "assets/guess"  # in docs/ and in the site
RUNS = "guess.json"  # what the page fetches, beside the rows
FORECASTS = ("low", "median", "high", "exact")
CONTROLS = Path(__file__).with_suffix(".html")


class Guess(Here):
    MACROS = ("guess",)

    def guess(self, picture: str, alt: str, caption: str) -> str:
        """The runs of a question whose rest a reader draws; where that cannot be, the picture of what came of them."""
        versions = self.drawn("guess", picture, alt, caption)
        still = blocks.block("Draw the rest", "draw-the-rest", caption, versions, "guessed")
        answer = self.answers.of(split(picture, "guess")[0])[0]
        found = runs(answer)
        if not found:
            return still
        data = json.dumps(found, separators=(",", ":"), ensure_ascii=False).encode("utf-8")
        published = provenance.publish(self.place, answer, RUNS, lambda: data)
        controls = CONTROLS.read_text(encoding="utf-8")
        return (
            f'\n<div class="cc-live cc-guess" data-runs="{published}" markdown="block">\n'
            f'<section class="cc-guess-ui" aria-label="Draw the rest" data-search-exclude markdown="0">{controls}</section>\n'
            f"{still}\n</div>\n"
            f'<script type="module" src="{self.place.link(f"{FOLDER}/guess.js")}"></script>\n'
        )


def runs(answer: Answer) -> list[dict[str, Any]]:
    """[{about, seen: accuracies, later, and at each later epoch what FORECASTS names}, ...], in per cent."""
    if not {"rows", "curves"} <= answer.measured().keys():
        return []
    about = {line["curve"]: line["about"] for line in lines(answer, "curves")}
    found: dict[str, dict[str, Any]] = {}
    for line in lines(answer, "rows"):
        empty: dict[str, Any] = {"about": about[line["curve"]]} | {
            name: [] for name in ("seen", "later", *FORECASTS)
        }
        run = found.setdefault(line["curve"], empty)
        run["later" if line["median"] else "seen"].append(percent(line["accuracy"]))
        for name in FORECASTS if line["median"] else ():
            run[name].append(percent(line[name]))
    return [*found.values()]


def lines(answer: Answer, table: str) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(answer.rows(table).decode("utf-8")))


def percent(share: str) -> float:
    return round(100 * float(share), 2)
