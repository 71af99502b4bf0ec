"""Names in tables lead to where they are explained, and say what they are; terms are marked once in a section."""

from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from mkdocs.exceptions import BuildError

from presswork.answers.answer import Table
from presswork.ground.errors import UserError
from presswork.site import blocks, pictures
from presswork.site.names import Names
from presswork.site.provenance import Place
from tests.site import fake_answers
from tests.site.test_site import html_pages, read


def test_a_name_leads_to_its_place_and_one_without_stops_the_build(tmp_path: Path) -> None:
    """A variant has the line of the name before its comma. Tables of other kinds, and made here, may name what they like."""
    lines = "[backbone; forecaster]\nLSTM = page#lstm\nLSTM, all states = page#all | All states.\n"
    (tmp_path / "names.txt").write_text(lines, encoding="utf-8")
    with pytest.raises(UserError, match=r"'LSTM': needs page#place, and words"):
        Names(tmp_path)
    (tmp_path / "glossary.txt").write_text("*[LSTM]: With gates.\n", encoding="utf-8")
    names = Names(tmp_path)
    table = Table(
        "q/t", ["forecaster", "LSTM, both ways"], [["LSTM, both ways", "1"], ["**LSTM, all states**", "2"]]
    )
    links = names.links(table, complete=True)
    assert list(links.values()) == [("page#lstm", "With gates."), ("page#all", "All states.")]
    assert 'href="page#all" title="All states."><strong>LSTM' in blocks.table(table, links=links)
    for head, complete in [("backbone", False), ("curves", True)]:
        assert names.links(Table("q/t", [head, "n"], [["GRU", "1"]]), complete) == {}
    with pytest.raises(UserError, match=r"Table q/t names 'GRU', and docs/names\.txt has no line for it"):
        names.links(Table("q/t", ["backbone", "n"], [["LSTM", "1"], ["GRU", "2"]]), complete=True)


def test_a_table_by_hand_links_its_names_too(tmp_path: Path) -> None:
    """A link or an anchor stays as it is, a name without a line stops the build, and other tables are left alone."""
    lines = "[rule]\npatience = page#p | Waits.\nδ = page#d | A bound.\n"
    (tmp_path / "names.txt").write_text(lines, encoding="utf-8")
    names = Names(tmp_path)
    page = "Text.\n\n| {head} | n |\n|---|---|\n| [oracle](a.md) | 1 |\n| own {{: #own }} | 2 |\n| {name} | 3 |\n"

    def shown(head: str, name: str) -> str:
        return names.in_markdown(page.format(head=head, name=name), lambda slug, place: f"../{slug}/#{place}")

    for name, link in {"patience 5, tuned": 'p" title="Waits.', "δ = 0.1": 'd" title="A bound.'}.items():
        plain = page.format(head="Rule", name=name)
        assert shown("Rule", name) == plain.replace(
            name, f'<a class="cc-name" href="../page/#{link}">{name}</a>'
        )
    assert shown("number", "luck") == page.format(head="number", name="luck")
    for head in ("Rule", "name"):
        with pytest.raises(UserError, match=rf"below the head '{head.lower()}' names 'luck': make it a link"):
            shown(head, "luck")


@pytest.mark.slow
def test_each_address_is_a_place_of_the_site(tmp_path_factory: pytest.TempPathFactory) -> None:
    site = fake_answers.whole_site(tmp_path_factory) / "site"
    there = {
        f"{p.parent.relative_to(site).as_posix()}#{i}" for p in html_pages(site.parent) for i in read(p).ids
    }
    names = Names(fake_answers.ROOT / "docs").of
    lost = [f"{head}: {name}" for head in names for name, (to, _) in names[head].items() if to not in there]
    assert not lost


def test_a_word_shows_its_picture_and_a_wrong_line_stops_the_build(tmp_path: Path) -> None:
    def read(line: str) -> None:
        (tmp_path / "pictures.txt").write_text(line, encoding="utf-8")
        pictures.read(tmp_path)
        pictures.none_missing(tmp_path)

    (tmp_path / "glossary.txt").write_text("*[LSTM]: With gates.\n", encoding="utf-8")
    wrong = {
        "LSTM = a/b | A": "write word =",
        "GRU = a/b 0 1 2 3 | A": "not have GRU",
        'LSTM; LSTM = a/b 0 1 2 3 | A "gate"': "no page",
    }
    for line, says in wrong.items():
        with pytest.raises(BuildError, match=rf"docs/pictures\.txt.* {says}"):
            read(line)
    plain, place = '<abbr tabindex="0" title="Gates.">GRU</abbr>', Place("page/", tmp_path, "", set())
    page = pictures.in_page(plain + plain.replace("GRU", "LSTM").replace("0", "-1"), place)
    assert page.startswith(f'{plain}<span class="cc-val cc-term" tabindex="-1">LSTM') and ">Gates.<" in page
    assert 'a/b.dark.svg#svgView(viewBox(0,1,2,3))" alt="A &quot;gate&quot;" style="width: 2px;' in page
