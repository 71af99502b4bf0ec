"""The list of what a site loses when another program builds it."""

from pathlib import Path

from tests.site import successor

PAGE = '<article><h1 id="{id}">A title<a href="#a">¶</a></h1><span class="cc-number">Figure {figure}.</span></article>'


def test_what_another_build_lacks_is_listed_by_page(tmp_path: Path) -> None:
    """A page that is missing is named once; another id and another number are named on the page that is there."""
    for site, slug, name, figure in (("old", "a", "x", 1), ("old", "b", "y", 1), ("new", "a", "z", 2)):
        (tmp_path / site / slug).mkdir(parents=True)
        page = PAGE.format(id=name, figure=figure)
        (tmp_path / site / slug / "index.html").write_text(page, encoding="utf-8")
    missing = successor.lost(*(successor.inventory(tmp_path / site) for site in ("old", "new")))
    expected = {"pages": {("b", "")}, "anchors": {("a", "x")}, "numbers": {("a", "Figure 1.")}}
    assert {kind: places for kind, places in missing.items() if places} == expected
