"""The live figure: the picture shown until the model runs, the controls, and the curves on offer. And a printed score that
readers make again: the cells of a table, each with a button, and what the published run found.

The controls (live.html) are plain HTML over the picture, hidden until the reader starts the model: then nothing moves. For a
score the page (docs/assets/live/verify.js) scores the same curves with the released model, and compares curve by curve.
"""

import csv
import gzip
import io
import json
import os
from collections import defaultdict
from functools import cache
from pathlib import Path

from presswork.answers.answer import Answer
from presswork.ground.errors import UserError
from presswork.site import blocks, provenance
from presswork.site.here import Here, split

FOLDER = "assets/live"  # in docs/ and in the site
NEEDED = ("model.onnx", "meta.json", "ort/ort.wasm.bundle.min.mjs", "ort/ort-wasm-simd-threaded.wasm")

START = """
<div class="cc-live-start" markdown="0">
<p data-live="shared" class="cc-live-said"></p>
<button type="button" class="cc-live-button cc-live-main" data-live="start">Start the model</button>
<span class="cc-live-size">about {size} MB compressed, runs in your browser, nothing is uploaded</span>
<p data-live="progress" class="cc-live-said" role="status"></p>
<noscript>
<p>The live figure needs JavaScript, which is switched off here. The picture below shows what it draws.</p></noscript>
</div>
"""

CELL = """<tr data-cutoff="{cutoff}"><th scope="row">{cutoff}</th><td>{printed}</td>
<td data-verify="found">–</td>
<td><button type="button" class="cc-live-button" aria-label="Score after {cutoff} epochs">Score</button></td></tr>"""
PANEL = """
<section class="cc-live cc-verify" aria-label="Check a printed score" data-home="{home}" data-published="{published}"
data-search-exclude markdown="0">
<table class="cc-table"><thead><tr><th scope="col" class="cc-broken">Epochs observed</th><th scope="col">Published</th>
<th scope="col">Found here</th><th scope="col">Check</th></tr></thead><tbody>{cells}</tbody></table>
<p class="cc-live-said" data-verify="said" role="status">The first click on Score loads the model and the test curves,
about {size} MB compressed; nothing is uploaded. Scores are in nats per point.</p>
<noscript>
<p>Scoring in the page needs JavaScript, which is switched off here.</p></noscript>
</section>
<script type="module" src="{script}"></script>
"""

CONTROLS = Path(__file__).with_suffix(".html")


class Live(Here):
    MACROS = ("live", "verify")

    def live(self, picture: str, alt: str, caption: str, examples: str = "real_runs") -> str:
        """The model in the page; until the reader starts it, and wherever it cannot run, a picture of forecasts."""
        versions = self.drawn("live", picture, alt, caption)
        still = blocks.block("Without the model", "live-picture", caption, versions, "fig")
        if without := self.without_model():
            return without + still
        menu = (
            f"{FOLDER}/{examples}.json"  # the curves on offer; without them a reader draws, or brings a file
        )
        offered = (self.docs / menu).is_file()
        examples_link = f' data-examples="{self.place.link(menu)}"' if offered else ""
        start = START.format(size=megabytes(self.docs / FOLDER))
        controls = CONTROLS.read_text(encoding="utf-8")
        base, script = self.place.link(f"{FOLDER}/"), self.place.link(f"{FOLDER}/live.js")
        return (
            f'\n<div class="cc-live" data-state="still" data-base="{base}"{examples_link} markdown="block">\n'
            f'<div class="cc-live-still" data-live="still" markdown="block">\n{start}\n{still}\n</div>\n'
            # a section, since it contains none: where one element of the same kind ends, the search reads on
            f'<section class="cc-live-ui" data-live="ui" inert data-search-exclude markdown="0">{controls}</section>\n'
            "</div>\n"
            f'<script type="module" src="{script}"></script>\n'
        )

    def verify(self, name: str, column: str, method: str) -> str:
        """The cells of one column, which the released model, in the rows `method`, makes again in the page."""
        if without := self.without_model():
            return without
        question, table = split(name, "verify")
        answer = self.answers.of(question)[0]
        printed, scores = answer.table(table), by_cutoff(answer, method)
        there = [row[0] for row in printed.rows if row[0] in scores]
        if not there:
            return '\n<p class="cc-live-said">This copy has no published score of each curve to compare with.</p>\n'
        data = json.dumps(scores, separators=(",", ":")).encode("utf-8")
        return PANEL.format(
            home=self.place.link(f"{FOLDER}/"),
            script=self.place.link(f"{FOLDER}/verify.js"),
            published=provenance.publish(self.place, answer, "by_curve.json", lambda: data),
            cells="".join(CELL.format(cutoff=label, printed=printed.cell(label, column)) for label in there),
            size=megabytes(self.docs / FOLDER),
        )

    def without_model(self) -> str:
        """What stands where the model should be, if it is not there; where the site is published, an error."""
        missing = absent(self.docs / FOLDER)
        if missing and os.environ.get("CURVECAST_LIVE") == "required":
            raise UserError(f"The live model is required here and lacks {missing}: make runtime.")
        why = f"The model is not part of this copy: {missing} was not there when the site was built."
        return f'\n<p class="cc-live-said">{why}</p>\n' if missing else ""


def absent(folder: Path) -> str | None:
    """The first thing that the model needs and that is not there."""
    return next((f"docs/{FOLDER}/{name}" for name in NEEDED if not (folder / name).is_file()), None)


@cache
def megabytes(folder: Path) -> int:
    """What a start transfers from a server that compresses: runtime and network, rounded up to whole megabytes."""
    size = sum(len(gzip.compress((folder / name).read_bytes(), 6)) for name in NEEDED)
    return -(-size // 1_000_000)


def by_cutoff(answer: Answer, method: str) -> dict[str, list[float]]:
    """The log-likelihoods of a method on whole runs, {cutoff: [the first curve's, the second's, ...]}."""
    scores: dict[str, list[float]] = defaultdict(list)
    rows = answer.rows("rows").decode("utf-8") if "rows" in answer.measured() else ""
    for row in csv.DictReader(io.StringIO(rows)):
        if (row.get("case"), row.get("method")) == ("whole", method):
            scores[row["cutoff"]].append(float(row["ll"]))
    return scores
