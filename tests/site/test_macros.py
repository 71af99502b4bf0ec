"""The macros and what they read: answers, page numbers, citations, printed numbers, named source, prose."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import invented
import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from presswork.answers import claims_file, packed  # after the skip
from presswork.answers.answer import Answers, Table, joined
from presswork.answers.claims_file import lines_of
from presswork.authoring import publishing
from presswork.ground.errors import UserError
from presswork.site import blocks, pages, stated, verdicts  # after the skip
from presswork.site.bibliography import Bibliography
from presswork.site.macros import clearly, site_of
from reproduce._plugin import paper
from tests.site import fake_answers

Site = site_of()
PAGE = """# A page
{{ fig('forecasts/one', alt='a', caption='b') }} {{ ref('table:accuracy/scores') }}
{{ table('accuracy/scores', caption='c') }}
{{ fig('forecasts/two', alt='a', caption='b') }}
"""
SHOWN = {"fig:one": set(), "fig:two": set(), "table:scores": {("ours", "10 %")}, "claim:best": {("yes",)}}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A site of two pages and two answered questions."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "reproduce" / "printed").mkdir(parents=True)
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    (tmp_path / "docs" / "other.md").write_text("# Another page\n")
    (tmp_path / "docs" / "references.bib").write_text(
        '@article{a, author="Ann Lee and Bo Wu", title="T_1", year=2020}'
    )
    (tmp_path / "reproduce" / "printed" / "printed.csv").write_text(
        ",".join(paper.PRINTED) + "\nPaper,S1,T1,P1,10,log-likelihood,1.580\nPaper,S1,T1,P1,,seconds,0.004\n"
    )
    for question in ("forecasts", "accuracy"):
        invented.answer(tmp_path, question, "laptop", SHOWN)
    return on_page(Site(tmp_path, tmp_path / "docs", None), "page")


def test_without_a_bibliography_only_a_citation_is_refused(tmp_path):
    (tmp_path / "docs").mkdir()
    empty = Bibliography(tmp_path / "docs" / "references.bib")
    with pytest.raises(UserError, match=r"cite\('a'\) is not in docs/references.bib, which holds nothing"):
        empty.cite("a")


def on_page(site: Site, slug: str) -> Site:
    conf = {
        "site_dir": str(site.root / "site"),
        "repo_url": "https://example.org/repo",
        "use_directory_urls": True,
    }
    page = SimpleNamespace(url=f"{slug}/", file=SimpleNamespace(src_path=f"{slug}.md", content_string=""))
    site.env = SimpleNamespace(conf=conf, page=page)
    return site


def test_figure_has_both_drawings_and_its_links(site: Site) -> None:
    text = site.fig("forecasts/two", alt="a rising line", caption="It rises.")
    assert text.count('alt="a rising line"') == 2
    assert "cc-only-light" in text and "cc-only-dark" in text and "Figure 2." in text and "It rises." in text
    dark = site.root / "site/answers/forecasts/laptop/two.dark.svg"
    assert "#e6e6e6" in dark.read_text() and "#24292f" not in dark.read_text()
    links = ("rows.csv", "/blob/0123456789abcdef", "receipts.json", "python -m reproduce run forecasts")
    assert all(link in text for link in links) and "up to date" in text
    assert "Laptop scale" in text and "Invented CPU" in text and "21 November 2026" in text
    site.env.conf["repo_url"] = ""
    assert "Script" not in site.fig("forecasts/one", alt="a", caption="b")  # absent, not dead


def test_a_commit_that_the_history_lacks_has_no_link(site: Site) -> None:
    subprocess.run(["git", "init", "--quiet", site.root], check=True)
    assert "Script" not in site.fig("forecasts/two", alt="a rising line", caption="It rises.")


@pytest.mark.parametrize(("call", "says"), [
    (lambda s: s.fig("forecasts/three", alt="a", caption="b"), "it holds .*one.light.svg"),
    (lambda s: s.fig("nothing/one", alt="a", caption="b"), "no answer in figures/nothing/"),
    (lambda s: s.fig("forecasts", alt="a", caption="b"), "question/name"),
    (lambda s: s.fig("forecasts/one", alt="", caption="b"), "needs words"),
    (lambda s: s.fig("forecasts/one", alt="a", caption=" "), "needs words"),
    (lambda s: s.val("accuracy/scores", "theirs", "10 %"), "no row of table accuracy/scores called 'theirs'; "),
    (lambda s: s.val("accuracy/scores", "ours", "11 %"), "no column of table accuracy/scores called '11 %'; "),
    (lambda s: s.found(3), r"found\('3'\) should name a question and what to take"),
    (lambda s: s.found("accuracy/worst"), "no claim of accuracy at .* called 'worst'; .*best"),
    (lambda s: s.shows("accuracy/worst", "yes"), "no claim of accuracy at .* called 'worst'; .*best"),
    (lambda s: s.shows("accuracy/best", "perhaps"), "an answer is yes, no, unclear, not tested"),
    (lambda s: s.turned(s.val("accuracy/scores", "ours", "12 %"), "1"), "no column of table accuracy/scores called '12 %'"),
    (lambda s: s.turn("Epochs", "10", "10"), "each another one"), (lambda s: s.turned("1"), "no turn is before it"),
    (lambda s: s.turn(" ", "1", "2"), "needs words"), (lambda s: s.turn("Epochs", "10"), "two to 6 stops"),
    (lambda s: s.turn("E", *"1234567"), "6"), (lambda s: (s.turn("E", *"12"), on_page(s, "other").turned(*"12")), "no turn"),
    (lambda s: (s.turn("Epochs", "10", "20"), s.turned("1")), "shows 1 things, .* has 2 stops"),
    (lambda s: s.ref("fig:forecasts/three"), "points at nothing"), (lambda s: s.cite("b"), "which holds a"),
    (lambda s: s.printed("P2", 10), "no row has this method"),
    (lambda s: s.printed("P1", 20), "P1 has 10/log-likelihood"),
    (lambda s: claimed(s, "us (score): accuracy/worst"), "no claim of accuracy at .* called 'worst'; .*best"),
    (lambda s: claimed(s, "us (score): nothing/best"), "no answer in figures/nothing/"),
    *((lambda s, ours=ours: claimed(s, ours), r"who tests it \(what is measured\): question/claim")
      for ours in ("accuracy/best", "us: accuracy/best", "us (score): best")),
    (lambda s: s.code("nowhere.py", "f"), "no such file"),
    (lambda s: s.code("reproduce/invented/forecasts.py", "draw"), "has no draw: name a function"),
])  # fmt: skip
def test_a_misspelt_name_is_refused_with_what_there_is(site: Site, call, says: str) -> None:
    with pytest.raises(UserError, match=says):
        call(site)


def test_a_turned_number_takes_what_is_published_at_each_stop(site: Site) -> None:
    site.turn("Epochs observed", "10", "20")
    numbers = site.val("accuracy/scores", "ours", "10 %"), site.found("accuracy/best")
    stops = f"<span>{numbers[0]}</span><span>{numbers[1]}</span>"
    assert site.turned(*numbers) == f'<span class="cc-turned">{stops}</span>'
    assert site.turned("", "✓") == '<span class="cc-turned"><span></span><span> ✓</span></span>'


def test_references_are_numbered_by_kind_and_across_pages(site: Site) -> None:
    assert ">Table 1</a>" in site.ref("table:accuracy/scores")
    assert 'href="#fig-forecasts-two">Figure 2<' in site.ref("fig:forecasts/two")
    on_page(site, "other")
    assert 'href="../page/#fig-forecasts-two">Figure 2 of “A page”<' in site.ref("fig:forecasts/two")


def test_showing_a_figure_twice_on_a_page_is_refused(tmp_path: Path) -> None:
    (tmp_path / "twice.md").write_text(PAGE + "{{ fig('forecasts/one', alt='a', caption='b') }}")
    with pytest.raises(UserError, match="fig:forecasts/one twice"):
        pages.survey(tmp_path)


def test_a_macro_that_is_called_with_other_arguments_says_which_it_has(site, caplog):
    with pytest.raises(SystemExit):
        clearly(site.fig, site.env)("forecasts/one", altt="a")
    assert "docs/page.md: missing a required argument: 'alt'; it is fig(name" in caplog.messages[0]
    site.env.page.file.src_path = "more/deep.md"  # which no survey counts
    with pytest.raises(UserError, match="on pages that lie in docs/ itself"):
        site.fig("forecasts/one", alt="a", caption="b")


def test_examples_in_raw_blocks_are_no_calls() -> None:
    assert list(pages.calls("{% raw %}{{ fig('a/b') }}{% endraw %}{{ val('c/d', 'e', 'f') }}")) == [
        ("val", ("c/d", "e", "f"))
    ]


def test_a_number_in_a_sentence_is_the_cell_as_it_stands_and_carries_its_source(site: Site) -> None:
    """It links to its table and says how to remake it; a number of the paper says where it is printed."""
    text = site.val("accuracy/scores", "ours", "10 %")
    for part in (">1.602 ± 0.010<", 'href="#table-accuracy-scores"', "reproduce run accuracy"):
        assert part in text
    assert ">1.602<" in site.val("accuracy/scores", "ours", "10 %", error=False)
    assert ">1.580<" in site.printed("P1", 10) and "Paper, S1, T1" in site.printed("P1", 10)
    assert ">0.004<" in site.printed("P1", quantity="seconds")


def test_citation_needs_its_list(site: Site) -> None:
    assert "Lee and Wu 2020" in site.cite("a") and "T&#95;1" in site.references()
    site.cite("a")
    with pytest.raises(UserError, match="references"):
        site.bibliography.finish()


def test_code_prints_what_the_file_holds(site: Site) -> None:
    text = site.code("reproduce/invented/forecasts.py", "measure")
    assert 'title="reproduce/invented/forecasts.py" linenums="5"' in text
    assert "def measure(config, part):" in text
    folded = site.code("reproduce/invented/forecasts.py", "measure", fold=True)
    assert folded.startswith('\n??? code "measure in')


def test_the_table_of_claims_has_each_claim_below_its_question_and_leads_to_the_page_that_shows_it(
    site: Site,
) -> None:
    """All in a fold for each page, with the count of answers; of more than one question each has its heading, in words."""
    text = site.claims()
    assert '<details id="claims-page"' in text and "A page <small>4 yes</small>" in text
    assert text.count('<th scope="row">') == 4 and 'href="./#fig-forecasts-one"' in text and ">Found<" in text
    assert ">Needed<" in text and ">≥ 1.585\u00a0nats<" in text
    assert text.count('class="cc-group"') == 2 and "An invented question." in text
    assert "cc-group" not in site.claims("forecasts")


def claims_of_the_paper(site: Site, *rows: str) -> None:
    text = "\n".join(["claim,section,printed,ours", *rows]) + "\n"
    (site.root / "reproduce" / "printed" / "paper_claims.csv").write_text(text, encoding="utf-8")


def claimed(site: Site, ours: str) -> str:
    """A claim of the paper with these tests."""
    claims_of_the_paper(site, f"It is good,S 4.1,1.585,{ours}")
    return site.paper_claims()


def test_claims_of_the_paper_show_what_tests_them(site: Site) -> None:
    """Section, printed number, what was needed, our value with its interval, answer, who tested it, at which scale."""
    tests = "us (score): accuracy/best; them (score): accuracy/invented"
    claims_of_the_paper(site, f"It is good,S 4.1,1.585,{tests}", "It is fast,S 5,2,")
    text = site.paper_claims()
    whole = ('rowspan="2">It is good<', ">S 4.1<", ">1.585<", ">1.602 nats <br>[1.580, 1.624]<")
    for part in (*whole, ">score ≥ 1.585\u00a0nats<", ">us (laptop)<", ">them (laptop)<"):
        assert part in text, part
    assert text.count(">yes<") == 2 and text.count(">not tested<") == 1 and text.count("<tr>") == 4
    assert site.tally("paper") == "2 yes and 1 not tested"


def test_a_sentence_has_its_number_and_its_mark(site: Site) -> None:
    """The number with its unit, on request with its interval; the mark opens the card of the claim, and has its legend."""
    assert "1.602\u00a0nats<" in site.found("accuracy/best")
    assert "1.602\u00a0nats &#91;1.580, 1.624&#93;" in site.found("accuracy/best", interval=True)
    text = site.shows("accuracy/best", "yes")
    mark = 'role="img" aria-label="borne out" title="Is it good? yes">✓<'
    for part in (mark, "<b>Question</b> Is it good?", "<b>Needed</b> ≥ 1.585"):
        assert part in text
    page = f'!!! abstract "Answer"\n\n    It is. \n\nA sentence {text}.\n'
    assert verdicts.with_legend(page).index("    It is.") < verdicts.with_legend(page).index("cc-legend")
    assert verdicts.with_legend(page.replace(text, "")) == page.replace(text, "")


@pytest.mark.parametrize(
    ("answer", "sign"), [("yes", "✓"), ("no", "✓"), ("unclear", "?"), ("not tested", "?")]
)
def test_a_mark_says_whether_its_sentence_is_borne_out(site: Site, answer: str, sign: str) -> None:
    """A decided answer bears out the sentence that was written for it, yes or no alike. A cell of a table has the word."""
    restated(site.root / "figures/accuracy/laptop", answer=answer)
    text = site.shows("accuracy/best", answer)
    assert f">{sign}</span>" in text and "here:" not in text and f"<b>Answer</b> {answer}: " in text
    page = verdicts.words_in_tables(f"A sentence {text}.\n\n| a cell | {text} |\n")
    assert page.count(f">{sign}</span>") == 1 and '| <span class="cc-val cc-shows"' in page
    assert f">{answer}</span>" in page.split("\n| a cell |")[1]


def test_a_sentence_that_its_answer_contradicts_stops_the_build(site: Site) -> None:
    """It is named by its line, with the answer that it was written for and the one that is published."""
    stops = "turned('', shows('accuracy/best', 'unclear'),\nshows('accuracy/best', 'not tested'))"
    text = f"# A page\n\nIt is bad {{{{- shows('accuracy/best', 'no') }}}}. It {{{{ {stops} }}}}.\n"
    (site.docs / "page.md").write_text(text)
    for line, answer in ((3, "no"), (3, "unclear"), (4, "not tested")):
        told = rf"line {line}: .*written for the answer '{answer}' to accuracy/best, .* is 'yes'"
        with pytest.raises(UserError, match=told):
            site.shows("accuracy/best", answer)


def test_what_was_asked_after_its_rows_says_so_on_the_card_and_in_the_list(site: Site) -> None:
    assert verdicts.LATE not in site.claims() + site.shows("accuracy/best", "yes")
    table = "claims,why\naccuracy/best,The bound was too weak.\n"
    (site.root / stated.AFTER_ROWS).write_text(table)
    late = on_page(Site(site.root, site.docs, None), "page")
    assert verdicts.LATE in late.claims() and f"<b>Asked</b> {verdicts.LATE}" in late.found("accuracy/best")


def test_an_answer_made_here_marks_a_sentence_and_stops_nothing(site: Site) -> None:
    restated(made_here(site.root, "accuracy"), answer="no")
    assert "here: no" in site.shows("accuracy/best", "yes")


def test_the_answers_of_the_site_are_explained_on_one_page() -> None:
    assert sum(page.explains for page in pages.survey(fake_answers.ROOT / "docs").values()) == 1


def test_retired_claims_are_shown_behind_the_count_of_their_answers(site: Site) -> None:
    """With their last number, the day and why; of one that asked nothing yet, its name."""
    assert "Retired claims <small>none</small>" in site.retired()
    claims_of_the_paper(site)
    claim = {"name": "lasts", "asks": "Does it < last?", "answer": "no", "unit": "%"}
    claim |= {"value": 0.5, "low": 0.4, "high": 0.6}
    older = {"name": "false_alarms", "answer": "yes"}
    moved = {"name": "best", "asks": "Is it good?", "answer": "unclear"}  # accuracy asks it now
    gone = {"lasts": claim, "false_alarms": older, "best": moved}
    publishing.retire_claims("q", gone, "no sentence names it", site.root)
    text = site.retired()
    for part in ("1 yes and 1 no</small>", "Does it &lt; last?", ">50\u00a0% [40, 60]<", ">false alarms<"):
        assert part in text, part
    assert text.count(">no sentence names it<") == 2 and site.tally("open") == "0 of 6"


def test_a_long_run_without_a_gpu_is_never_called_paper_scale(site: Site) -> None:
    """In the row of links, the receipt, and both tables of claims; with a GPU it is the paper's scale."""
    invented.answer(site.root, "forecasts", "paper", SHOWN)
    claims_of_the_paper(site, "It is good,S 4.1,1.585,us (score): forecasts/best")

    def shown() -> list[str]:
        site.answers = Answers(site.root)
        figure = site.fig("forecasts/one", alt="a", caption="b")
        return [figure, site.claims("forecasts"), site.paper_claims()]

    for text in shown():
        assert re.search("long run, CPU", text, re.IGNORECASE)
        assert "aper scale" not in text and "(paper)" not in text and ">paper<" not in text
    noted(site.root / "figures/forecasts/paper", hardware={"gpu": "a GPU"})
    assert "Paper scale" in shown()[0] and ">paper<" in shown()[1] and "(paper)" in shown()[2]


def test_numbers_of_the_papers_claims_are_printed_numbers() -> None:
    """Each number in the column `printed` of paper_claims.csv stands in printed.csv, with the same digits."""
    known = {r["value"] for r in lines_of(fake_answers.ROOT / "reproduce" / "printed" / "printed.csv")}
    rows = paper.read(fake_answers.ROOT)
    assert rows and all(row.claim and row.section and row.printed for row in rows)
    numbers = {n for row in rows for n in re.findall(r"\d+(?:\.\d+)?", row.printed.replace(",", ""))}
    assert numbers <= known


def test_only_known_names_may_stand_on_a_page() -> None:
    for text in ("{{ misspelt('x') }}", "{{ misspelt }}"):
        with pytest.raises(UserError, match="no macro 'misspelt'; there are fig, table"):
            pages.no_unknown_names(text, {"fig"}, ("fig", "table"))
    pages.no_unknown_names(
        "{{ fig('a/b') }} {{ range(3) }} {% raw %}{{ misspelt }}{% endraw %}", {"fig"}, ("fig",)
    )


def made_here(root: Path, question: str = "forecasts") -> Path:
    """The published answer, as if it had been made here as well."""
    return Path(shutil.copytree(root / f"figures/{question}/laptop", root / f"runs/here/{question}/laptop"))


def restated(folder: Path, **found: object) -> None:
    """Changes what all claims of an answer say."""
    file = folder / "claims.json"
    file.write_bytes(claims_file.as_bytes([claim | found for claim in claims_file.read(file.read_bytes())]))


def test_an_answer_made_here_is_shown_beside_the_published_one(site: Site) -> None:
    """When what was made here has another result than what is published, a figure offers both, each by its name."""
    folder = made_here(site.root)
    assert [a.origin for a in Answers(site.root).of("forecasts")] == ["published"]
    (folder / "receipts.json").write_text((folder / "receipts.json").read_text().replace("61.2", "75.0"))
    assert [a.origin for a in Answers(site.root).of("forecasts")] == ["published"], "seconds are no result"
    restated(folder, value=1.5, low=1.4, high=1.55, answer="no")
    site.answers = Answers(site.root)
    assert [a.origin for a in site.answers.of("forecasts")] == ["published", "here"]
    text = site.fig("forecasts/one", alt="a", caption="b")
    names = ("Published (laptop)", "Made here (laptop)", ">Made here · Laptop scale")
    assert all(name in text for name in (*names, "laptop/here/one.light.svg"))
    assert ">Published<" in site.claims() and ">Here<" in site.claims()


def test_what_a_run_here_has_not_measured_yet_stays_as_published(site: Site) -> None:
    folder, whole = made_here(site.root), site.claims("forecasts").count('<th scope="row">')
    file = folder / "claims.json"
    file.write_bytes(claims_file.as_bytes(claims_file.read(file.read_bytes())[:1]))
    site.answers = Answers(site.root)
    assert len(site.answers.of("forecasts")) == 2
    assert site.claims("forecasts").count('<th scope="row">') == whole


def noted(folder: Path, **fields: object) -> None:
    """Changes what a receipt says of all parts."""
    file = folder / "receipts.json"
    content = json.loads(file.read_text())
    content["shared"] |= fields
    file.write_text(json.dumps(content))


def test_a_badge_says_how_many_parts_there_are_and_the_receipt_what_moved(site: Site) -> None:
    """Where parts are missing the badge counts them, does not say fresh, and its colour is not that of a whole answer."""
    folder = site.root / "figures/forecasts/laptop"
    noted(folder, parts=["all", "more"], golden=["rows.n,,1,,,,,,,,0"])
    text = site.fig("forecasts/one", alt="a", caption="b")
    both = '"cc-badge cc-made-by-earlier-code cc-partial" tabindex="0" title="[^"]*">1 of 2 parts · made by earlier code<'
    assert re.search(both, text)
    assert re.search(r"golden numbers [^<]*rows\.n: is gone", text)


def pack(folder: Path) -> Path:
    rows, file = folder / "rows.csv", folder / "rows.csv.xz"
    file.write_bytes(packed.packed(rows.read_bytes()))
    rows.unlink()
    return file


def test_packed_rows_are_offered_as_plain_csv_and_are_the_same_answer(site: Site) -> None:
    """A reader downloads what opens in any program. Two machines pack differently; only other rows are another answer."""
    pack(site.root / "figures/forecasts/laptop")
    assert 'href="../answers/forecasts/laptop/rows.csv"' in site.fig("forecasts/one", alt="a", caption="b")
    assert (site.root / "site/answers/forecasts/laptop/rows.csv").read_text() == invented.ROWS
    file = pack(made_here(site.root, "accuracy"))
    assert [a.origin for a in Answers(site.root).of("accuracy")] == ["published"]
    file.write_bytes(packed.packed(b"x\n1\n"))
    assert [a.origin for a in Answers(site.root).of("accuracy")] == ["published", "here"]
    assert joined((("x", b"a\n1\n"), ("y", b"b\n2\n"))) == b"part,a,b\nx,1,\ny,,2\n"
    alike = ("x", b"a,b\n1,2\n"), ("y", b"a,b\n3,4\n5,6\n")  # joined without being read
    assert joined(alike) == b"part,a,b\nx,1,2\ny,3,4\ny,5,6\n"
    assert joined((*alike, ("z", b'a,b\n"7,8",9\n'))) == joined(alike) + b'z,"7,8",9\n'


def test_packed_rows_that_were_cut_off_end_the_build_with_a_sentence(site: Site) -> None:
    file = pack(site.root / "figures/forecasts/laptop")
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(
        UserError, match=r"laptop/rows\.csv\.xz cannot be unpacked .*git checkout .*run forecasts"
    ):
        site.fig("forecasts/one", alt="a", caption="b")


def test_the_best_scale_is_shown(site: Site) -> None:
    """Of several scales the paper's is shown; smoke never is."""
    invented.answer(site.root, "forecasts", "paper", SHOWN)
    invented.answer(site.root, "forecasts", "smoke", SHOWN)
    assert [a.scale for a in Answers(site.root).of("forecasts")] == ["paper"]
    invented.answer(site.root, "other", "smoke", SHOWN)
    with pytest.raises(UserError):
        Answers(site.root).of("other")


def test_cells_are_plain_text_but_for_bold() -> None:
    assert blocks.cell("a < b & **c**") == "a &lt; b &amp; <strong>c</strong>"


def test_printed_numbers_are_found_by_one_key() -> None:
    rows = lines_of(fake_answers.ROOT / "reproduce" / "printed" / "printed.csv")
    keys = {(r["method"], r["cutoff"], r["quantity"]) for r in rows}
    assert list(rows[0]) == paper.PRINTED and len(keys) == len(rows)
    assert all(float(r["value"]) > 0 for r in rows)


def test_each_row_of_one_name_is_shown_and_what_nothing_is_measured_of_takes_no_room() -> None:
    """A column or a row of ellipses alone is left out; one among numbers stays."""
    rows = [["a", "1", "…", "…"], ["a", "…", "…", "2"], ["c", "…", "…", "…"]]
    table = Table("q/t", ["what", "10 %", "70 %", "80 %"], rows)
    shown = blocks.table(table)
    assert all(f">{n}</td>" in shown for n in (1, 2)) and shown.count("…") == 2
    assert "70 %" not in shown and ">c<" not in shown
    with pytest.raises(UserError, match=r"no column of .* called 'm'; there are: what, 10 %"):
        blocks.table(table, columns=["m"])


def test_a_bad_ledger_stops_the_build_in_one_sentence(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    (site.root / "ledger").mkdir()
    (site.root / "ledger" / "cut.json").write_text('{"ledger": 1, "cla')
    with pytest.raises(SystemExit):
        clearly(site.reproductions, site.env)()
    (told,) = caplog.messages
    assert told.startswith("docs/page.md: ") and "cut.json is not a ledger" in told and "\n" not in told
