"""The live model in a copy of the site that opens from disk, where a browser neither fetches files nor imports modules.

What the live figure fetches becomes scripts (from_disk.js), and its modules become addresses that contain their own text,
which the page lists in an import map.
"""

import base64
import json
import re
from pathlib import Path

from reproduce._plugin.live import FOLDER as LIVE
from reproduce._plugin.live import NEEDED

*FETCHED, RUNTIME, ENGINE = NEEDED
FETCHED = [*FETCHED, ENGINE, "test_curves.f32", "real_runs.json"]
BY_CURVE = "by_curve.json"  # what the check of a score fetches
STARTS = re.compile(rf'<script type="module" src="((?:\.\./)*{LIVE}/)(live|verify)\.js"></script>')


def of_file(name: str, data: bytes, site: Path) -> dict[str, bytes]:
    if name.removeprefix(f"{LIVE}/") in FETCHED or Path(name).name == BY_CURVE:
        return {f"{name}.js": b'carried = "' + base64.b64encode(data) + b'";\n'}
    if name.endswith(".html"):
        return {name: with_modules(data.decode("utf-8"), site).encode("utf-8")}
    return {} if name.startswith(f"{LIVE}/") else {name: data}


def with_modules(text: str, site: Path) -> str:
    """A page whose scripts know one another. Inside an address nothing is relative: "./desk.js" becomes "live/desk.js"."""
    if not (first := STARTS.search(text)):
        return text
    scripts = sorted((site / LIVE).glob("*.js"))
    texts = {f"live/{path.name}": path.read_text(encoding="utf-8") for path in scripts}
    known = {name: re.sub(r'(from |import\()"\./', r'\1"live/', text) for name, text in texts.items()}
    known[f"./{first[1]}{RUNTIME}"] = (site / LIVE / RUNTIME).read_text(encoding="utf-8")
    start = "data:text/javascript;base64,"
    addresses = {name: start + base64.b64encode(text.encode()).decode() for name, text in known.items()}
    return (
        f'{text[: first.start()]}<script src="{first[1]}from_disk.js"></script>\n'
        f'<script type="importmap">{json.dumps({"imports": addresses})}</script>\n'
        + STARTS.sub(r'<script type="module">import "live/\2.js";</script>', text[first.start() :])
    )
