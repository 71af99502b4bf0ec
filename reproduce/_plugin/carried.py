"""The live model in a copy of the site that opens from disk, where a browser neither fetches files nor imports modules.

What the page’s figures fetch becomes scripts (from_disk.js), and its modules become addresses that contain their own text,
which the page lists in an import map.
"""

import base64
import json
import re
from pathlib import Path

from reproduce._plugin.guess import FOLDER as GUESS
from reproduce._plugin.guess import RUNS
from reproduce._plugin.live import FOLDER as LIVE
from reproduce._plugin.live import NEEDED

*FETCHED, RUNTIME, ENGINE = NEEDED
FETCHED = [*FETCHED, ENGINE, "test_curves.f32", "real_runs.json"]
OF_ANSWERS = ("by_curve.json", RUNS)  # what the check of a score fetches, and the runs whose rest is drawn
STARTS = re.compile(r'<script type="module" src="((?:\.\./)*)assets/((live|guess)/\w+)\.js"></script>')


def of_file(name: str, data: bytes, site: Path) -> dict[str, bytes]:
    if name.removeprefix(f"{LIVE}/") in FETCHED or Path(name).name in OF_ANSWERS:
        return {f"{name}.js": b'carried = "' + base64.b64encode(data) + b'";\n'}
    if name.endswith(".html"):
        return {name: with_modules(data.decode("utf-8"), site).encode("utf-8")}
    return {} if name.startswith((f"{LIVE}/", f"{GUESS}/")) else {name: data}


def with_modules(text: str, site: Path) -> str:
    """A page whose scripts know one another. Inside an address nothing is relative: "./desk.js" becomes "live/desk.js"."""
    if not (first := STARTS.search(text)):
        return text
    known = {}
    for folder in sorted({start[3] for start in STARTS.finditer(text)}):
        for path in sorted((site / "assets" / folder).glob("*.js")):
            script = path.read_text(encoding="utf-8")
            known[f"{folder}/{path.name}"] = re.sub(r'(from |import\()"\./', rf'\1"{folder}/', script)
    home = f"{first[1]}{LIVE}/"
    if (site / LIVE / RUNTIME).is_file():
        known[f"./{home}{RUNTIME}"] = (site / LIVE / RUNTIME).read_text(encoding="utf-8")
    start = "data:text/javascript;base64,"
    addresses = {name: start + base64.b64encode(script.encode()).decode() for name, script in known.items()}
    return (
        f'{text[: first.start()]}<script src="{home}from_disk.js"></script>\n'
        f'<script type="importmap">{json.dumps({"imports": addresses})}</script>\n'
        + STARTS.sub(r'<script type="module">import "\2.js";</script>', text[first.start() :])
    )
