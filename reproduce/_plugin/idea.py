"""The idea in one picture, which changes while its text passes: made of published rows; on paper a figure stands for it."""

import html
import json
from collections.abc import Container
from itertools import groupby
from operator import itemgetter
from typing import Any

from presswork.answers.answer import Answer
from presswork.site import blocks
from presswork.site.here import Here
from reproduce._plugin.guess import lines

SCRIPT = "assets/idea/idea.js"  # in docs/ and in the site
TABLES = {"prior": ("curve",), "frames": ("trained_on", "cutoff", "curve"), "loss": ("curves", "loss")}
EPOCHS = (*range(1, 11), *range(11, 100, 5), 100)  # early ones all, since curves bend there
FORECAST = ("low", "median", "high")
KEYS = {"seen": "observed", "truth": "hidden", "median": "median", "90": "90 % interval"}


class Idea(Here):
    MACROS = ("idea",)

    def idea(self, question: str, alt: str) -> str:
        """The picture that stands beside the numbered steps below it; nothing where the answer lacks its rows."""
        found = picture(self.answers.of(question)[0])
        if not found:
            return ""
        keys = "".join(f'<li class="cc-live-key-{key}">{words}</li>' for key, words in KEYS.items())
        stage = (
            f'<div class="cc-idea-stage"><svg class="cc-live-svg" role="img" aria-label="{html.escape(alt)}"></svg>'
            f'<ul class="cc-live-legend" aria-hidden="true">{keys}</ul></div>'
            f'<script type="application/json">{json.dumps(found, separators=(",", ":"))}</script>'
            f'<script defer src="{self.place.link(SCRIPT)}"></script>'
        )
        return f'<div class="cc-idea-picture" data-search-exclude markdown="0">{blocks.aside(stage)}</div>'


def picture(answer: Answer) -> dict[str, Any]:
    """{epochs, curves of the prior, all epochs of the one that is forecast, its forecasts in order, [curves so far, loss]}"""
    if not set(TABLES) <= answer.measured().keys():
        return {}
    prior, frames, loss = (
        {key: [*of] for key, of in groupby(lines(answer, table), itemgetter(*keys))}
        for table, keys in TABLES.items()
    )
    forecasts = [
        {"trainedOn": int(trained_on), "cutoff": int(cutoff)} | {name: drawn(of, name) for name in FORECAST}
        for (trained_on, cutoff, _), of in frames.items()
    ]
    one = drawn(prior[next(iter(frames))[-1]], "noisy", range(1, 101))
    curves = [drawn(curve, "clean") for curve in prior.values()]
    falling = [[int(count), round(float(value), 3)] for count, value in loss]
    return {"epochs": EPOCHS, "curves": curves, "one": one, "frames": forecasts, "loss": falling}


def drawn(curve: list[dict[str, str]], column: str, epochs: Container[int] = EPOCHS) -> list[int]:
    """In thousandths."""
    return [round(1000 * float(line[column])) for line in curve if int(line["epoch"]) in epochs]
