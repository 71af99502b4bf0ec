"""The pages, search, rows and sources in one file that opens from disk, without a network.

A browser that reads from disk neither fetches files nor imports modules: what needs that, the plugin writes in another form.
"""

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

from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError, demand
from presswork.site.build import configuration

HOME, ROOT = Path(__file__).parent, BLOG.root
TARGET = ROOT / "runs" / f"{BLOG.name}.zip"
MOST = 60_000_000  # bytes of the zip
SHIM = "https://unpkg.com/iframe-worker/shim"  # the theme would load it from there
LEFT_OUT = ("404.html", "sitemap.xml", "sitemap.xml.gz")  # what only a server needs
FOLDER = re.compile(r'href="((?:\.\./)*\.\.?)/?"')  # the theme's link to the front page


def main() -> None:
    site = built(ROOT / "runs" / "carried")
    for sentence in BLOG.plugin.notes(ROOT):
        print(f"note: {sentence}")
    sources = git("archive", "--format=tar.gz", f"--prefix={BLOG.name}/", "HEAD")
    files = dict(carried(site)) | {"sources.tar.gz": sources}
    if faults := dead_links(files):
        raise UserError("\n".join(faults))
    pack(TARGET, files, int(git("log", "-1", "--format=%ct")))
    size, name = TARGET.stat().st_size, TARGET.relative_to(ROOT)
    demand(size <= MOST, f"{name} has {size:,} bytes, more than {MOST:,}: make something lighter.")
    print(f"{name}: {size / 1e6:.0f} MB; unpack it and open index.html")


def built(site: Path) -> Path:
    """The site with addresses of files instead of folders; what is missing on a page stops it with a sentence."""
    os.environ |= {"OFFLINE": "true", "SITE_URL": ""}  # before they are read
    given = ["--config-file", str(configuration(ROOT)), "--site-dir", str(site)]
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", *given], cwd=ROOT)
    demand(done.returncode == 0, "The site was not built; the reason stands above.")
    return site


def git(*arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True)
    said = done.stderr.decode().strip()
    demand(done.returncode == 0, f"The sources come from git, which says: {said}")
    return done.stdout


def carried(site: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a built site, {name: content}, each as it opens from disk."""
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        name, data = path.relative_to(site).as_posix(), path.read_bytes()
        if name in LEFT_OUT:
            continue
        if path.suffix == ".html":
            text = data.decode("utf-8").replace(SHIM, "../" * name.count("/") + "assets/iframe-worker.js")
            data = FOLDER.sub(r'href="\1/index.html"', text).encode("utf-8")
        yield from BLOG.plugin.carried(name, data, site).items()
    yield "assets/iframe-worker.js", (HOME / "iframe-worker.js").read_bytes()
    yield from BLOG.plugin.carried_besides().items()


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
            info = zipfile.ZipInfo(f"{BLOG.name}/{name}", time.gmtime(when)[:6])
            info.external_attr = 0o644 << 16
            file.writestr(info, data, zipfile.ZIP_DEFLATED)
    half.replace(target)
