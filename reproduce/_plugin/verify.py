"""A printed score that readers make again: the cells of a table, each with a button, and what the published run found.

The page (docs/assets/live/verify.js) scores the same curves with the released model, and compares curve by curve.
"""

import csv
import io
import json
from collections import defaultdict

from presswork.answers.answer import Answer
from presswork.site import provenance
from presswork.site.here import split
from reproduce._plugin.live import FOLDER, Live, megabytes

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


class Verify(Live):
    MACROS = ("verify",)

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


def by_cutoff(answer: Answer, method: str) -> dict[str, list[float]]:
    """The log-likelihoods of a method on whole runs, {cutoff: [the first curve's, the second's, ...]}."""
    scores: dict[str, list[float]] = defaultdict(list)
    rows = answer.rows("rows").decode("utf-8") if "rows" in answer.measured() else ""
    for row in csv.DictReader(io.StringIO(rows)):
        if (row.get("case"), row.get("method")) == ("whole", method):
            scores[row["cutoff"]].append(float(row["ll"]))
    return scores
