"""Citations by key from docs/references.bib: the full reference in a hover card and at the end of a page."""

import html
from pathlib import Path

from pybtex.backends.plaintext import Backend
from pybtex.database import Entry, Person, parse_file
from pybtex.richtext import Text

from presswork.ground.errors import UserError
from presswork.site.blocks import aside, inline

PLAIN = Backend()  # `render_as("text")` looks through all installed packages for it, every time


class Bibliography:
    """All works that the pages may cite, and those that the current page has cited so far, in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        there = parse_file(str(path), "bibtex").entries if path.is_file() else {}
        self.entries = dict[str, Entry](there)
        self.cited: list[str] = []

    def cite(self, *keys: str) -> str:
        """(Adriaensen et al. 2023; Domhan et al. 2015), each with its card."""
        for key in keys:
            if key not in self.entries:
                known = ", ".join(sorted(self.entries)) or "nothing"
                raise UserError(f"cite('{key}') is not in docs/{self.path.name}, which holds {known}.")
            if key not in self.cited:
                self.cited.append(key)
        return "(" + "; ".join(self.link(key) for key in keys) + ")"

    def link(self, key: str) -> str:
        entry = self.entries[key]
        text = reference(entry, links=False)
        card = aside(f'<span class="cc-card" role="tooltip" data-search-exclude>{text}</span>')
        label = f"{short_names(entry.persons.get('author', []))} {plain(entry, 'year')}"
        return f'<a class="cc-cite" href="#ref-{key}">{inline(label)}{card}</a>'

    def finish(self) -> None:
        """At the end of a page: whatever it cites it must also have listed."""
        left, self.cited = self.cited, []
        if left:
            raise UserError(f"The page cites {', '.join(left)} but does not end with references().")

    def references(self) -> str:
        """The list at the end of a page; empties the list of what has been cited."""
        items = "".join(f'<li id="ref-{k}">{reference(self.entries[k], links=True)}</li>' for k in self.cited)
        self.cited = []
        return f'\n<ol class="cc-references" markdown="0">{items}</ol>\n'


def reference(entry: Entry, links: bool) -> str:
    people = entry.persons.get("author", [])
    full = (f"{joined(p.rich_first_names + p.rich_middle_names)} {last_name(p)}".strip() for p in people)
    names = ", ".join(full).replace(", others", " et al.")
    venue = plain(entry, "journal") or plain(entry, "booktitle") or plain(entry, "howpublished")
    title = inline(plain(entry, "title"))
    if links and "url" in entry.fields:
        title = f'<a href="{html.escape(entry.fields["url"])}">{title}</a>'
    venue = f" <i>{inline(venue)}</i>," if venue else ""
    return f"{inline(names.removesuffix('.'))}. {title}.{venue} {inline(plain(entry, 'year'))}."


def plain(entry: Entry, name: str) -> str:
    return str(Text.from_latex(entry.fields.get(name, "")).render(PLAIN))


def last_name(person: Person) -> str:
    return joined(person.rich_prelast_names + person.rich_last_names)


def joined(parts: list[Text]) -> str:
    return " ".join(str(part.render(PLAIN)) for part in parts)


def short_names(people: list[Person]) -> str:
    names = [last_name(p) for p in people]
    if len(names) > 2 or names[1:] == ["others"]:
        return f"{names[0]} et al."
    return " and ".join(names) if names else "Anonymous"
