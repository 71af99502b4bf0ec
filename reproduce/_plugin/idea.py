"""The idea in one picture, which changes while its text passes: made of published rows; on paper a figure stands for it."""

import html
import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from presswork.answers.answer import Answer
from presswork.site import blocks
from presswork.site.here import Here
from reproduce._plugin.guess import lines

SCRIPT = "assets/idea/idea.js"  # in docs/ and in the site
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
    """{epochs, curves of the prior, the one of them that is forecast, frames in order, [curves so far, loss]}; values in
    thousandths, at every third epoch after the tenth."""
    if not {"prior", "frames", "loss"} <= answer.measured().keys():
        return {}
    curves = {curve: [*of] for curve, of in groupby(lines(answer, "prior"), itemgetter("curve"))}
    frames = groupby(lines(answer, "frames"), itemgetter("curve", "trained_on", "cutoff"))
    kept = [*frames_of(frames)]
    one = curves[kept[0].pop("curve")]
    return {
        "epochs": [int(line["epoch"]) for line in thinned(one)],
        "curves": [thousandths(curve, "clean") for curve in curves.values()],
        "one": [round(1000 * float(line["noisy"])) for line in one],
        "frames": kept,
        "loss": [[int(line["curves"]), round(float(line["loss"]), 3)] for line in lines(answer, "loss")],
    }


def frames_of(frames: Iterable[tuple[Any, Iterable[dict[str, str]]]]) -> Iterable[dict[str, Any]]:
    for (curve, trained_on, cutoff), of in frames:
        forecast = [*of]
        levels = {name: thousandths(forecast, name) for name in ("low", "median", "high")}
        yield {"curve": curve, "trainedOn": int(trained_on), "cutoff": int(cutoff)} | levels


def thinned(curve: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    return [line for line in curve if int(line["epoch"]) <= 10 or int(line["epoch"]) % 3 == 1]


def thousandths(curve: Sequence[dict[str, str]], name: str) -> list[int]:
    return [round(1000 * float(line[name])) for line in thinned(curve)]
