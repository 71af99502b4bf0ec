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
LEARNT = {
    "digits": "to read handwritten digits",
    "cancer": "to tell malignant tumours from benign ones",
    "wine": "to tell the wines of three growers apart",
    "diabetes_median": "whether a patient’s diabetes gets worse than the median",
    "photo_china": "which pixels of a photograph of a temple are bright",
    "photo_flower": "which pixels of a photograph of a flower are bright",
}
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
    own = Answer("own_curves", "laptop", "published", answer.root)
    trained = {line["run"]: line for line in lines(own, "runs")}
    rows, found = [*lines(answer, "rows")], []
    for curve in lines(answer, "curves"):
        mine = [line for line in rows if line["curve"] == curve["curve"]]
        later = [line for line in mine if line["median"]]
        run = {"seen": percent(mine[: -len(later)], "accuracy"), "later": percent(later, "accuracy")}
        run |= {name: percent(later, name) for name in FORECASTS}
        found.append({"about": in_words(trained[curve["run"]])} | run)
    return found


def in_words(run: dict[str, str]) -> str:
    """What was trained, and what bends its curve: wrong labels, and the learning rate."""
    how = json.loads(run["settings"])
    hidden = how["hidden"]
    layers = f"{len(hidden)} layers of " if len(hidden) > 1 else ""  # all of one width
    wrong = f"{100 * how['wrong']:.0f}\u00a0% of its training labels were wrong, and " if how["wrong"] else ""
    rate = f"{'stayed at' if how['schedule']['shape'] == 'constant' else 'fell from'} {how['rate']:.2g}"
    return f"A network of {layers}{hidden[0]} hidden units learnt {LEARNT[run['task']]}; {wrong}its learning rate {rate}."


def lines(answer: Answer, table: str) -> Iterator[dict[str, str]]:
    return csv.DictReader(io.StringIO(answer.rows(table).decode("utf-8")))


def percent(rows: list[dict[str, str]], column: str) -> list[float]:
    return [round(100 * float(line[column]), 2) for line in rows]
