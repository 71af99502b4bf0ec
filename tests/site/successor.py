"""What a site loses when another program builds it: `python -m tests.site.successor OLD NEW`, two folders of built pages.

CONTRIBUTING.md says what was found, and the way out for each.
"""

import sys
from pathlib import Path

from bs4 import BeautifulSoup

SHOWN = {"headings": "h1, h2, h3, h4, h5, h6", "numbers": ".cc-number, .cc-val", "legends": ".cc-legend"}
Found = dict[str, set[tuple[str, str]]]


def inventory(site: Path) -> Found:
    """What readers and links of others rely on: (page, what) of each kind."""
    found: Found = {kind: set() for kind in ("pages", "anchors", *SHOWN)}
    for path in sorted(site.rglob("index.html")):
        page = path.parent.relative_to(site).as_posix()
        article = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").article
        assert article is not None, path
        found["pages"].add((page, ""))
        found["anchors"] |= {(page, str(tag["id"])) for tag in article.find_all(id=True)}
        for kind, selector in SHOWN.items():
            found[kind] |= {
                (page, tag.get_text(" ", strip=True).rstrip(" ¶")) for tag in article.select(selector)
            }
    return found


def lost(before: Found, after: Found) -> Found:
    """Pages that are missing, and of those that are there what they lack."""
    gone = {page for page, _ in before["pages"] - after["pages"]}
    return {
        kind: {(p, w) for p, w in before[kind] - after[kind] if kind == "pages" or p not in gone}
        for kind in before
    }


if __name__ == "__main__":
    missing = lost(*(inventory(Path(folder)) for folder in sys.argv[1:3]))
    for kind, places in missing.items():
        print(f"{kind}: {len(places)} missing")
        print("".join(f"  {page}  {what}\n" for page, what in sorted(places)[:20]), end="")
    sys.exit(any(missing.values()))
