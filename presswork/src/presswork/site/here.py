"""Where a macro is: the answers and pages that there are, the page that is being built, and links from it."""

from pathlib import Path
from typing import Any

from presswork.answers.answer import Answer, Answers
from presswork.ground.errors import UserError
from presswork.site import blocks, pages, provenance
from presswork.site.provenance import Place
from presswork.site.verdicts import VOCABULARY


def file_of(page: Any) -> str:
    """The file of a page, below docs/: Zensical, which may follow MkDocs, keeps it elsewhere."""
    return str(page.file.src_path if hasattr(page, "file") else page.path)


class Here:
    def __init__(self, root: Path, docs: Path, env: Any) -> None:
        self.root, self.docs, self.env = root, docs, env
        self.answers = Answers(root)
        self.pages = pages.survey(docs)
        self.published: set[str] = set()

    @property
    def slug(self) -> str:
        return Path(file_of(self.env.page)).stem

    @property
    def place(self) -> Place:
        conf = self.env.conf
        return Place(self.env.page.url, Path(conf["site_dir"]), conf["repo_url"] or "", self.published)

    def questions(self) -> list[str]:
        """Questions that have an answer: in the order in which the pages show them, then the others."""
        shown = [key.split(":")[1].split("/")[0] for page in self.pages.values() for key in page.numbers]
        stored = sorted(path.name for path in (self.root / "figures").glob("*") if path.is_dir())
        return [name for name in dict.fromkeys([*shown, *stored]) if self.answers.find(name)]

    def link_to(self, key: str) -> str | None:
        """The link to a figure or table, if a page shows it."""
        try:
            page = pages.find(self.pages, self.slug, key)
        except UserError:
            return None
        anchor = pages.anchor(key)
        return f"#{anchor}" if page.slug == self.slug else self.page_link(page.slug, anchor)

    def shown_on(self, question: str) -> tuple[str, str] | None:
        """The page of a question's first figure or table, and that figure; the front page only if no other shows one."""
        for slug in sorted(self.pages, key=lambda slug: slug == "index"):
            for key in self.pages[slug].numbers:
                if key.split(":")[1].startswith(f"{question}/"):
                    return slug, key
        return None

    def link_to_question(self, question: str) -> str:
        shown = self.shown_on(question)
        return self.page_link(shown[0], pages.anchor(shown[1])) if shown else ""

    def link_to_words(self) -> str:
        """The link to what the answers mean, if a page says it."""
        slug = next((slug for slug, page in self.pages.items() if page.explains), None)
        return "" if slug is None else self.page_link(slug, VOCABULARY)

    def page_link(self, slug: str, fragment: str) -> str:
        if not self.env.conf["use_directory_urls"]:  # from disk: a folder would show a list of files
            return self.place.link(f"{slug}.html#{fragment}")
        return self.place.link(f"{'' if slug == 'index' else f'{slug}/'}#{fragment}")

    def drawn(self, macro: str, name: str, alt: str, caption: str) -> list[tuple[Answer, str, str]]:
        """The versions of a figure: both drawings of each, and its row of links."""
        if not alt.strip() or not caption.strip():
            raise UserError(f"{macro}('{name}') on {self.slug} needs words in both alt and caption.")
        question, figure = split(name, macro)
        answers = having(self.answers.of(question), f"{figure}.light.svg")
        place = self.place
        return [(a, blocks.figure(place, a, figure, alt), provenance.row(place, a)) for a in answers]


def split(name: str, macro: str) -> tuple[str, str]:
    question, slash, rest = str(name).partition("/")
    if not (question and slash and rest):
        raise UserError(f"{macro}('{name}') should name a question and what to take: 'question/name'.")
    return question, rest


def having(answers: list[Answer], file: str) -> list[Answer]:
    """The answers that hold a file; the first one must."""
    answers[0].read(file)
    return [answer for answer in answers if file in answer.files]
