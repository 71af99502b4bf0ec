"""`make zip`: the pages, search, the live model, rows and sources in one file that opens from disk, without a network.

A browser that reads from disk neither fetches files nor imports modules. So what the live figure fetches becomes scripts
(from_disk.js), and its modules become addresses that contain their own text, which the page lists in an import map.
"""

import base64
import json
import os
import posixpath
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from curvecast.ground.errors import UserError
from reproduce._press.answers.answer import Answers
from reproduce._press.answers.freshness import UP_TO_DATE
from reproduce._site.carried import cited
from reproduce._site.live import FOLDER as LIVE
from reproduce._site.live import NEEDED, absent

HOME, ROOT = Path(__file__).parent, Path(__file__).resolve().parents[3]
TARGET = ROOT / "runs" / "curvecast.zip"
MOST = 60_000_000  # bytes of the zip
SHIM = "https://unpkg.com/iframe-worker/shim"  # the theme would load it from there
*FETCHED, RUNTIME, ENGINE = NEEDED
FETCHED = [*FETCHED, ENGINE, "test_curves.f32", "real_runs.json"]
BY_CURVE = "by_curve.json"  # what the check of a score fetches
LEFT_OUT = ("404.html", "sitemap.xml", "sitemap.xml.gz")  # what only a server needs
FOLDER = re.compile(r'href="((?:\.\./)*\.\.?)/?"')  # the theme's link to the front page
STARTS = re.compile(rf'<script type="module" src="((?:\.\./)*{LIVE}/)(live|verify)\.js"></script>')


def main() -> None:
    site = built(ROOT / "runs" / "carried")
    for sentence in stale(ROOT):
        print(f"note: {sentence}")
    if missing := absent(ROOT / "docs" / LIVE):
        print(f"note: the zip has no live model, since {missing} is not there: make runtime")
    files = dict(carried(site)) | {
        "sources.tar.gz": git("archive", "--format=tar.gz", "--prefix=curvecast/", "HEAD")
    }
    if faults := dead_links(files):
        raise UserError("\n".join(faults))
    pack(TARGET, files, int(git("log", "-1", "--format=%ct")))
    size = TARGET.stat().st_size
    if size > MOST:
        raise UserError(
            f"{TARGET.relative_to(ROOT)} has {size:,} bytes, more than {MOST:,}: make something lighter."
        )
    print(f"{TARGET.relative_to(ROOT)}: {size / 1e6:.0f} MB; unpack it and open index.html")


def built(site: Path) -> Path:
    """The site with addresses of files instead of folders; what is missing on a page stops it with a sentence."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"OFFLINE": "true", "SITE_URL": ""})
    if done.returncode:
        raise UserError("The site was not built; the reason stands above.")
    return site


def stale(root: Path) -> list[str]:
    """A sentence for each published answer on a page that is not up to date."""
    answers, told = Answers(root), []
    for page, named in cited.shown(root / "docs").items():
        for question in dict.fromkeys(name.split("/")[0] for _, name in named):
            state = answers.of(question)[0].freshness
            if state.state != UP_TO_DATE:
                told.append(f"docs/{page} shows {question}, {state.state}")
    return told


def git(*arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)
    if done.returncode:
        raise UserError(f"The sources come from git, which says: {done.stderr.decode().strip()}")
    return done.stdout


def carried(site: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a built site, {name: content}, each as it opens from disk."""
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        name, data = path.relative_to(site).as_posix(), path.read_bytes()
        if name.removeprefix(f"{LIVE}/") in FETCHED or path.name == BY_CURVE:
            yield f"{name}.js", b'carried = "' + base64.b64encode(data) + b'";\n'
        elif path.suffix == ".html" and name not in LEFT_OUT:
            text = data.decode("utf-8").replace(SHIM, "../" * name.count("/") + "assets/iframe-worker.js")
            text = FOLDER.sub(r'href="\1/index.html"', text)
            yield name, with_modules(text, site).encode("utf-8")
        elif name not in LEFT_OUT and not name.startswith(f"{LIVE}/"):
            yield name, data
    yield "assets/iframe-worker.js", (HOME / "iframe-worker.js").read_bytes()
    yield f"{LIVE}/from_disk.js", (HOME / "from_disk.js").read_bytes()


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


def dead_links(files: dict[str, bytes]) -> list[str]:
    """A sentence for each link of a page to a file that is not there, and for each thing loaded from elsewhere."""
    faults = []
    for name in (name for name in files if name.endswith(".html")):
        for kind, link in re.findall(r'\b(href|src)="([^"#?]+)', files[name].decode("utf-8")):
            if re.match(r"[a-z]+:", link):
                if kind == "src" and link.startswith("http"):
                    faults.append(f"{name} loads {link}, which a page from disk should not.")
            elif posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(link))) not in files:
                faults.append(f"{name} links to {link}, which is not in the zip.")
    return faults


def pack(target: Path, files: dict[str, bytes], when: int) -> None:
    """The zip, the same bytes for the same commit; an older one stays until the new one is whole."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".half")
    with zipfile.ZipFile(half, "w") as file:
        for name, data in files.items():
            info = zipfile.ZipInfo(f"curvecast/{name}", time.gmtime(when)[:6])
            info.external_attr = 0o644 << 16
            file.writestr(info, data, zipfile.ZIP_DEFLATED)
    half.replace(target)


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(str(error))
