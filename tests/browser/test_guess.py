"""A reader draws the rest of runs: with the mouse, with the keyboard alone, badly, without storage and without scripts. And
the idea in one picture changes while its steps pass; on paper, without scripts or without motion it stands still."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytestmark = pytest.mark.browser
pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from tests.browser.visits import Visit, axe, opened, stands_still, violations  # noqa: E402

EDGE = 22  # pixels around the area in which a finger may begin
HEAD = "document.querySelector('[data-guess=head]').textContent"
# for our key alone: the theme does not bear it
FORBIDDEN = """for (const name of ["getItem", "setItem"]) {
  const allowed = Storage.prototype[name];
  Storage.prototype[name] = function (key, ...more) {
    if (key.startsWith("curvecast/")) throw new DOMException("forbidden", "SecurityError");
    return allowed.call(this, key, ...more);
  };
}"""
STROKES = """async () => {
  const { Stroke } = await import(new URL("assets/guess/stroke.js", location.href));
  const told = lines => { const s = new Stroke(50, 5); lines.forEach(([a, b]) => s.line(a, b)); return s.whole(); };
  const { afterAll, afterOne, share } = await import(new URL("assets/guess/words.js", location.href));
  const said = afterAll([[1, 2, 0, 0.5], [3, 2, 0, 0.7, 0.2], [3, 2, 0, 0.9, 0.4]]);
  const run = [{ about: "A.", seen: [10], later: [20, 30, 20, 30] }, { empty: true, wide: 5 }];
  return [told([]), told([[[1, 60], [1, 60]]]), told([[[0, 10], [4, 50]], [[3, 90], [1, 70]]]),
    share([1, 1, 1, 1], [0, 1, 2, 3], [2, 2, 2, 2]), said, afterOne([3, 2, 0, 0.5, 0.25], ...run)];
}"""
ONE = (
    "The accuracy rose from 10 % to 30 %, swinging between 20 % and 30 %. A. You drew nothing, so we scored a flat line. "
    "Release came closer on average. The 90 % interval of Release holds 2 of the 4 epochs, your ± 5 points 1."
)
LINE = """async () => {
  await new Promise(requestAnimationFrame);
  const {x, y, width, height} = document.querySelector('.cc-guess-area').getBBox();
  const places = document.querySelector('.cc-guess-you').getAttribute('d').slice(1).split('L').map(p => p.split(' '));
  return places.map(p => [(p[0] - x) / width, (p[1] - y) / height]);
}"""


class Game:
    """What a reader does, and sees. Places are shares of the area in which one draws, from above."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def text(self, name: str) -> str:
        return str(self.page.locator(f'[data-guess="{name}"]').text_content())

    def to(self, x: float, y: float) -> None:
        area = self.page.locator(".cc-guess-area")
        area.scroll_into_view_if_needed()
        box = area.bounding_box()
        left, top, across, down = (
            box["x"] + EDGE,
            box["y"] + EDGE,
            box["width"] - 2 * EDGE,
            box["height"] - 2 * EDGE,
        )
        self.page.mouse.move(left + x * across, top + y * down, steps=5)

    def stroke(self, *places: tuple[float, float]) -> "Game":
        self.to(*places[0])
        self.page.mouse.down()
        for place in places[1:]:
            self.to(*place)
        self.page.mouse.up()
        return self

    def heights(self, begin: float, end: float) -> list[float]:
        return [y for x, y in self.page.evaluate(LINE) if begin < x < end]

    def press(self) -> None:
        self.page.locator('[data-guess="next"]').click()


@contextmanager
def played(site: str, chromium: Any, **how: Any) -> Iterator[Game]:
    with opened(chromium, site, report := Visit(), **how) as page:
        page.wait_for_function(HEAD)
        yield Game(page)
    assert not report.complaints and not report.elsewhere(site)


def test_a_run_is_drawn_with_the_mouse_and_its_errors_are_told(site: str, chromium: Any) -> None:
    with played(site, chromium) as game:
        game.page.locator('[data-guess="wide"]').fill("40")
        game.stroke((0.1, 0.5), (0.9, 0.5)).press()
        ask = "fetch(document.querySelector('.cc-guess').dataset.runs).then(answer => answer.json())"
        run = game.page.evaluate(ask)[0]
        off = [abs(median - value) for median, value in zip(run["median"], run["later"], strict=True)]
        assert game.text("network") == game.text("network-mean") == f"{sum(off) / len(off):.1f}"
        inside = sum(a <= y <= b for a, y, b in zip(run["low"], run["later"], run["high"], strict=True))
        assert run["about"] in game.text("said") and game.page.locator('[data-guess="wide"]').is_disabled()
        assert game.text("said").endswith(f"holds {inside} of the 80 epochs, your ± 40 points 80.")
        drawn = ".cc-guess-band, .cc-guess-truth, .cc-guess-exact, .cc-guess-width[d^=M]"
        assert game.page.locator(drawn).count() == 4 and game.text("sure").endswith("interval: ± 40")
        game.press()
        assert game.text("head").startswith("Run 2 of 6") and not game.page.locator(".cc-guess-truth").count()
        assert game.page.locator('[data-guess="wide"]').is_enabled()
        game.page.reload()
        game.page.wait_for_function(f"{HEAD}.startsWith('Run 2 of 6')")


def test_the_keyboard_alone_draws_six_runs_and_the_next_visit_has_others(site: str, chromium: Any) -> None:
    with played(site, chromium) as game:
        game.page.locator('[data-guess="hand"]').focus()
        heads = set()
        for _ in range(6):
            heads.add(game.text("head").partition(":")[2])
            for key in ("Shift+ArrowRight", "ArrowUp", "End", "PageDown", "Enter"):
                game.page.keyboard.press(key)
            told = game.text("sum")
            assert "your ±" not in game.text("said"), "nobody moved the slider"
            game.page.keyboard.press("Enter")  # the focus is on the button, and then on the next guess
            assert game.page.locator('[data-guess="said"]').bounding_box()["y"] < 850  # without scrolling
        assert told.startswith("All 6 runs: you came closer than Release") and "yours" not in told
        game.page.reload()
        game.page.wait_for_function(f"{HEAD}.startsWith('Run 1 of 6')")
        assert game.text("head").partition(":")[2] not in heads


def test_strokes_overwrite_keep_to_the_axes_and_survive_another_size(site: str, chromium: Any) -> None:
    with played(site, chromium) as game:
        *strokes, half, said, one = game.page.evaluate(STROKES)
        assert strokes == [[50] * 5, [55, 60, 60, 60, 60], [10, 70, 80, 90, 50]] and half == 0.5
        assert "Release 1 of 3 times" in said and one.replace("\u00a0", " ") == ONE
        assert said.endswith("held 70\u00a0% of the epochs; yours, on 2 runs, 30\u00a0%.")
        assert game.stroke((0.5, 0.3)).heights(0.51, 1.1) == pytest.approx([0.3] * 40, abs=0.01)  # one point
        game.stroke((0.9, 0.2), (0.3, 0.2))  # backwards
        assert game.heights(0.31, 0.89) == pytest.approx([0.2] * 47, abs=0.01)
        assert game.stroke((0.5, 0.5), (0.7, -0.3), (1.2, -0.3)).heights(0.99, 1.1) == pytest.approx(
            [0], abs=1e-3
        )
        game.to(0.2, 0.6)
        game.page.mouse.down()
        game.to(0.4, 0.6)
        game.page.set_viewport_size({"width": 900, "height": 900})
        game.to(0.6, 0.6)
        game.page.mouse.up()
        assert game.heights(0.21, 0.34) == pytest.approx([0.6] * 11, abs=0.02)
        assert game.heights(0.595, 0.605) == pytest.approx([0.6], abs=0.02)


def test_it_is_accessible_on_a_phone_and_needs_no_storage(site: str, chromium: Any) -> None:
    how = {"scheme": "dark", "width": 390, "prepare": lambda page: page.add_init_script(FORBIDDEN)}
    with played(site, chromium, **how) as game:
        area = game.page.locator(".cc-guess-area")
        area.scroll_into_view_if_needed()
        finger = game.page.context.new_cdp_session(game.page)

        def steep_stroke() -> float:
            box, before = area.bounding_box(), game.page.evaluate("scrollY")
            steep = [[{"x": box["x"] + EDGE / 2 + 4 * k, "y": box["y"] + 200 - 8 * k}] for k in range(20)]
            for kind, places in [("Start", steep[0]), *(("Move", place) for place in steep), ("End", [])]:
                finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": places})
            return float(before)

        assert steep_stroke() == game.page.evaluate("scrollY") and game.heights(0.1, 1.1)[-1] < 0.3
        game.press()
        game.page.wait_for_function(f"scrollY > {steep_stroke()}")  # what is drawn holds no finger
        assert float(game.text("you")) > 0
        assert game.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not axe or not violations(game.page)


def test_without_scripts_in_print_and_without_its_runs_a_picture_stands_there(
    site: str, chromium: Any
) -> None:
    stands_still(chromium, site, ".cc-guess .cc-picture", ".cc-guess-ui")
    with opened(
        chromium, site, Visit(), prepare=lambda page: page.route("**/guess.json", lambda r: r.abort())
    ) as page:
        page.locator(".cc-guess .cc-picture").wait_for(state="visible")
        assert not page.locator(".cc-guess-ui").is_visible()


# ---------------------------------------------------------------------------------------------- the idea in one picture

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
