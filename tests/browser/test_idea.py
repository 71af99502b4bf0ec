"""The idea in one picture changes while its steps pass; on paper, without scripts or without motion it stands still."""

from typing import Any

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from tests.browser.visits import Visit, axe, opened, stands_still, violations  # noqa: E402

TO_STEP = "k => document.querySelectorAll('.cc-idea > ol > li')[k - 1].scrollIntoView({block: 'end', behavior: 'instant'})"
SHOWN = "document.querySelector('.cc-idea').dataset.shown"
LISTEN = f"""new MutationObserver(() => (window.shown ??= []).push(+{SHOWN}))
  .observe(document.querySelector(".cc-idea"), {{ attributeFilter: ["data-shown"] }})"""


@pytest.mark.parametrize(("motion", "width"), [("no-preference", 1280), ("reduce", 390)])
def test_it_changes_while_its_steps_pass(site: str, chromium: Any, motion: str, width: int) -> None:
    scheme = "dark" if width == 390 else "light"
    with opened(chromium, site, visit := Visit(), scheme, width, reduced_motion=motion) as page:
        page.evaluate(LISTEN)
        height, drawn = page.evaluate("document.body.scrollHeight"), set()
        for step, told in ((1, "prior"), (2, "hidden"), (3, "training curves"), (4, "epochs"), (1, "prior")):
            page.evaluate(TO_STEP, step)
            page.wait_for_function(f"{SHOWN} === '{step}'")
            assert page.locator(".cc-idea svg").bounding_box()["y"] > 0, "it stays in view"
            assert page.locator(f".cc-idea li[data-now]:nth-child({step})").count() == 1
            assert page.locator(".cc-idea-title").text_content().endswith(told)
            assert page.locator(".cc-idea-band, .cc-idea-hidden").count() == 2 * (step in (3, 4))
            drawn.add(page.locator(".cc-idea svg").inner_html())
        assert len(drawn) == 4 and page.evaluate("document.body.scrollHeight") == height
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert any(at % 1 for at in page.evaluate("shown")) == (motion != "reduce")
        assert not visit.complaints and (not axe or not violations(page))


def test_on_paper_and_without_scripts_a_figure_stands_there(site: str, chromium: Any) -> None:
    stands_still(chromium, site, "#fig-forecasts-idea .cc-picture", ".cc-idea svg")
