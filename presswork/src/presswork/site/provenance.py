"""Where a picture or a number comes from: the row of links under it, its badge, the card behind it."""

from __future__ import annotations

import datetime
import html
import posixpath
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from presswork.answers.answer import Answer
from presswork.answers.freshness import CHANGED, EARLIER, UP_TO_DATE
from presswork.answers.receipts import RECEIPTS
from presswork.ground.blog import BLOG

MEANS = {  # each badge, when it is pointed at
    UP_TO_DATE: "Today’s code still gives the numbers that it gave when this was made",
    EARLIER: "The code has changed since this was made, and a new run may give other numbers",
    CHANGED: "A new run would use other settings or other trained networks",
}


@dataclass(frozen=True)
class Place:
    """Where a page lies and where its files go: links are relative, so the site opens from any folder."""

    page_url: str
    site_dir: Path
    repo_url: str
    published: set[str]  # the files that this build has already put into the site

    def link(self, target: str) -> str:
        path, _, fragment = target.partition("#")
        relative = posixpath.relpath(path or ".", posixpath.dirname(self.page_url) or ".")
        relative = relative + "/" if path == "" or path.endswith("/") else relative
        return relative + (f"#{fragment}" if fragment else "")

    def publish(self, target: str, data: Callable[[], bytes]) -> str:
        """Put a file into the built site, once however many pages show it; returns its link from this page."""
        if target not in self.published:
            path = self.site_dir / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data())
            self.published.add(target)
        return self.link(target)


def publish(place: Place, answer: Answer, name: str, data: Callable[[], bytes] | None = None) -> str:
    return place.publish(f"{folder(answer)}/{name}", data or (lambda: answer.read(name)))


def folder(answer: Answer) -> str:
    """Where the site has the files of an answer."""
    return f"answers/{answer.question}/{answer.scale}" + ("/here" if answer.origin == "here" else "")


def row(place: Place, answer: Answer, table: str | None = None) -> str:
    """One row: data, script, receipt, the command to remake, badge; and which machine made it when."""
    items = [data_links(place, answer, table), script_link(place, answer), receipt_card(place, answer)]
    items += [fold("Remake", f"<code>{html.escape(command(answer))}</code>"), badge(answer)]
    line = "".join(f"<li>{item}</li>" for item in items if item)
    made = html.escape(made_how(answer))
    links = f'<ul class="cc-links" aria-label="Where this comes from" data-search-exclude>{line}</ul>'
    return f'{links}<p class="cc-made" data-search-exclude>{made}</p>'


def data_links(place: Place, answer: Answer, table: str | None) -> str:
    """The CSV behind a picture: the formatted table itself, if it is one, and the rows that were measured."""
    files = {"this table": publish(place, answer, f"{table}.table.csv")} if table else {}
    for name in answer.measured():
        files[name] = publish(place, answer, f"{name}.csv", partial(answer.rows, name))
    links = []
    for name, url in files.items():
        saved_as = f"{answer.question}-{answer.scale}-{posixpath.basename(url)}"
        label = f"{html.escape(name)} (CSV)" if len(files) > 1 else "Data"
        links.append(f'<a href="{url}" download="{saved_as}">{label}</a>')
    return fold("Data", "<br>".join(links)) if len(links) > 1 else "".join(links)


def script_link(place: Place, answer: Answer) -> str:
    """The script at the commit that made the answer; nothing where repository or commit is unknown."""
    commits = {r.get("commit") for r in answer.receipts} - {None, ""}
    if not place.repo_url or len(commits) != 1 or not in_history(*commits, answer.root):
        return ""
    script = answer.receipts[0].get("script", f"{BLOG.questions}/{answer.question}.py")  # where it once stood
    url = f"{place.repo_url.rstrip('/')}/blob/{commits.pop()}/{script}"
    return f'<a href="{html.escape(url)}">Script</a>'


@cache
def in_history(commit: str, root: Path) -> bool:
    """False where git knows no such commit, as of an answer from a branch that was not merged: its link would be dead."""
    if not shutil.which("git"):
        return True
    ask = ["git", "cat-file", "--batch-check"]
    done = subprocess.run(ask, cwd=root, input=commit, capture_output=True, text=True, check=False)
    return not done.stdout.endswith("missing\n")  # and outside a repository it says nothing


def receipt_card(place: Place, answer: Answer) -> str:
    """The receipt in words, with the file itself one click further."""
    versions = [receipt.get("versions") or {} for receipt in answer.receipts]
    software = {", ".join(f"{name} {version}" for name, version in one.items()) for one in versions}
    facts = {
        "Scale": answer.size,
        "Parts": answer.freshness.parts or (str(len(answer.receipts)) if len(answer.receipts) > 1 else ""),
        "Settings": " ".join(sorted({str(r.get("settings", ""))[:12] for r in answer.receipts})),
        "Commit": " ".join(sorted({commit_of(r) for r in answer.receipts} - {""})),
        "Machine": machine(answer),
        "Software": ", ".join(sorted(software)),
        "Took": took(answer),
        "Made": made_when(answer),
        "State": f"{stands(answer)}: {answer.freshness.detail}",
    }
    shown = "".join(f"<dt>{k}</dt><dd>{html.escape(v)}</dd>" for k, v in facts.items() if v)
    file = f'<a href="{publish(place, answer, RECEIPTS)}">{RECEIPTS}</a>'
    return fold("Receipt", f"<dl>{shown}<dt>File</dt><dd>{file}</dd></dl>")


def badge(answer: Answer) -> str:
    state = answer.freshness
    partial = " cc-partial" if state.parts else ""  # and then never green
    whole = "" if partial and state.state == UP_TO_DATE else f" cc-{state.state.replace(' ', '-')}"
    kinds = f"cc-badge{whole}{partial}"
    missing = ". Some parts of a long run are still to come" if state.parts else ""
    means = f"{MEANS.get(state.state, state.detail)}{missing}. To make it again: {command(answer)}"
    return f'<span class="{kinds}" tabindex="0" title="{html.escape(means)}">{html.escape(stands(answer))}</span>'


def stands(answer: Answer) -> str:
    """How an answer stands to the code of today; one that lacks parts is so many of N instead of up to date."""
    state = answer.freshness
    if not state.parts:
        return state.state
    return state.parts if state.state == UP_TO_DATE else f"{state.parts} · {state.state}"


def fold(title: str, inside: str) -> str:
    content = f"<summary>{title}</summary><div>{inside}</div>"
    return f'<details class="cc-fold" data-search-exclude>{content}</details>'


def command(answer: Answer) -> str:
    """The command that makes just this answer; several parts share it but for --part."""
    commands = {str(r.get("command") or "") for r in answer.receipts} - {""}
    return commands.pop() if len(commands) == 1 else answer.command


def made_how(answer: Answer) -> str:
    here = "Made here" if answer.origin == "here" else ""
    facts = [here, scale(answer), machine(answer), made_when(answer), took(answer)]
    return " · ".join(f for f in facts if f)


def scale(answer: Answer) -> str:
    return answer.size[0].upper() + answer.size[1:] + ("" if answer.size != answer.scale else " scale")


def machine(answer: Answer) -> str:
    """The hardware in words. A GPU says it all; otherwise cores and processor."""
    names = []
    for receipt in answer.receipts:
        hardware = receipt.get("hardware") or {}
        cores, cpu = hardware.get("cores"), hardware.get("cpu") or "CPU"
        plain = f"{cores} core{'' if cores == 1 else 's'} of {cpu}" if cores else str(cpu)
        names.append(str(hardware.get("gpu") or plain))
    return ", ".join(dict.fromkeys(names))


def commit_of(receipt: dict[str, Any]) -> str:
    commit = str(receipt.get("commit") or "")[:10]
    return f"{commit} with changes" if commit and receipt.get("dirty") else commit


def took(answer: Answer) -> str:
    seconds = sum(float(r.get("seconds") or 0) for r in answer.receipts)
    if seconds < 100:
        return f"{seconds:.0f} seconds" if seconds >= 1.5 else "about a second" * (seconds > 0)
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def made_when(answer: Answer) -> str:
    days = sorted({str(r.get("made", ""))[:10] for r in answer.receipts} - {""})
    dates = (datetime.date.fromisoformat(day) for day in days[:1] + days[-1:])
    return " to ".join(dict.fromkeys(f"{date.day} {date:%B} {date.year}" for date in dates))
