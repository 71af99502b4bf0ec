"""The live figure: the picture shown until the model runs, the controls, and the curves on offer.

The controls (live.html) are plain HTML over the picture, hidden until the reader starts the model: then nothing moves.
"""

import gzip
import os
from functools import cache
from pathlib import Path

from presswork.ground.errors import UserError
from presswork.site import blocks
from presswork.site.here import Here

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

CONTROLS = Path(__file__).with_suffix(".html")


class Live(Here):
    MACROS = ("live",)

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
