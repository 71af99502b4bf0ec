"""Make an answer the published one, unless a rule forbids it; keep the last answers of claims that go."""

import shutil
import tempfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from presswork import claim_text, drawing, store
from presswork.answers import claims_file
from presswork.contract import Question, load, names
from presswork.ground.blog import BLOG, HOMES
from presswork.ground.errors import UserError, demand
from presswork.intervals import UNITS
from presswork.telling import verdict
from presswork.telling.verdict import BEST


def publish(question: str, scale: str, root: Path, retire: str = "") -> Path | None:
    """Make the answer that was made here the published one, and draw it again; without one, redraw what is published.

    `retire`: why claims that the question no longer asks become rows of retired.csv."""
    here, published = (root / HOMES[which] / question / scale for which in ("here", "published"))
    if any(receipt.get("dirty") for receipt in store.receipts(here).values()):
        made = f"{question} at {scale} scale was made by code that is not committed: commit it, then make it again"
        raise UserError(f"{made}: {BLOG.command} run {question} --scale {scale}")
    (root / "runs").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="publish-", dir=root / "runs") as trial:
        tried = Path(trial) / question / scale
        store.merge_parts(published, tried)
        store.merge_parts(here, tried)
        asked = load(question, root)
        todays = [one for part, one in store.receipts(tried).items() if part in asked.parts(scale)]
        demand(
            len({receipt.get("settings") for receipt in todays}) < 2,  # no number may be over both
            f"The parts of {question} at {scale} scale were made with different settings: measure again those that are "
            f"not of today: {BLOG.command} run {question} --scale {scale} --go-on",
        )
        if not (drawn := drawing.draw(asked, scale, Path(trial))):
            return None
        old, new = verdict.stated_in(published), verdict.stated_in(tried)
        left = {name: old[name] for name in old.keys() - new.keys()}
        _refuse(asked, tried, [] if retire else left, complete=drawn[0] == drawn[1], root=root)
        better = [published.with_name(one) for one in BEST[: BEST.index(scale)]]
        for figure in tried.glob("*.svg"):  # pages show that of the best scale: of another one it is not kept
            if any((folder / figure.name).is_file() for folder in better):
                figure.unlink()
        if retire:  # from here on nothing can be refused
            retire_claims(question, left, retire, root)
        store.replace(tried, published)
    return published


def _refuse(asked: Question, tried: Path, left: Iterable[str], complete: bool, root: Path) -> None:
    """What may not be published. `left`: claims that are no longer asked; `complete`: all parts are there."""
    name, scale, line = asked.name, tried.name, asked.line("claims")
    stated, retired = verdict.stated_in(tried), claims_file.retired_names(root)
    again = sorted({f"{name}/{claim}" for claim in stated} & retired)
    demand(
        not again,  # it would mean another thing in two editions
        f"{', '.join(again)} was retired and is asked again: a claim's name is permanent. Give the new claim "
        f"another name, or take the row out of {claims_file.RETIRED} if it asks and needs the same as before.",
    )
    # over nothing, or over one of a kind, a sentence may say anything
    for claim in verdict.tested_ones([*stated.values()]):
        demand(
            claim.get("over"),
            f"{line}: {claim['name']} does not say over what its interval is taken. Name the index of its values by "
            f"one of {', '.join(UNITS)}, or by a name of your own that `drawn_from` in pyproject.toml explains, such as "
            '{ date = "days" }; what is counted is `Interval.exactly`.',
        )
        for unit, n in claim["over"]:
            alone = f"{claim['name']} is taken over one of {unit}, which has no interval: measure more."
            demand(n >= 2 or unit == "exact", f"{line}: {alone}")
    gone = sorted(claim for claim in left if f"{name}/{claim}" not in retired)
    demand(
        not gone,
        f"{name} at {scale} scale no longer asks {', '.join(gone)}: a claim is shown whatever its answer, "
        "never dropped in silence. Put it back, or let its last answer be shown among the retired ones: "
        f'{BLOG.command} publish {name} --retire "why"',
    )
    others = [root / HOMES["published"] / name / other for other in BEST if other != scale]
    today = untested([tried, *others]) & stated.keys()  # another scale may still have one that went
    silent = sorted(today - getattr(asked.module, "NOT_TESTED", {}).keys())
    # a misspelt key finds no estimate, which reads as if nothing had been measured
    demand(
        not (silent and complete),
        f"{line}: {', '.join(silent[:1])} is tested at no published scale, though all parts of {scale} scale "
        "are there. Has it two values at least, and is the key of its estimate right? Then say why in NOT_TESTED.",
    )


def untested(answers: list[Path]) -> set[str]:
    stated = [claim for answer in answers for claim in verdict.stated_in(answer).values()]
    return {claim["name"] for claim in stated} - {claim["name"] for claim in verdict.tested_ones(stated)}


def outdated_sentences(questions: list[str], root: Path) -> list[str]:
    """Sentences on pages, by page and line, that were written for another answer than the one published."""
    told = []
    for mark in claims_file.marks(root / "docs"):
        question, _, name = mark.claim.partition("/")
        folder = root / HOMES["published"] / question
        stated = verdict.published_at(folder, BEST[0]) if question in questions else {}
        if name in stated and (now := claim_text.answer(stated[name])) != mark.answer:
            told.append(f"{mark.page}: {mark.contradicts(now)}")
    return told


def restated(question: str, root: Path) -> list[str]:
    """Which tables and claims the code of today would not make of the published rows, such as after a bound was changed."""
    told = []
    for scale in BEST:
        folder = root / HOMES["published"] / question / scale
        if not (folder / store.RECEIPTS).is_file():
            continue
        try:
            if old := _other_ones(load(question, root), scale, folder, root):
                way_out = f"{BLOG.command} publish {question}"
                told.append(f"{store.shown(folder)}: {', '.join(old)} would be other ones; {way_out}")
        except Exception as error:  # a damaged file, a question that fails: the others are told as well
            told.append(f"{store.shown(folder)} cannot be stated again: {error or type(error).__name__}")
    return told


def _other_ones(asked: Question, scale: str, folder: Path, root: Path) -> list[str]:
    """The names of the files that would be other ones."""
    store.check(folder, asked.parts(scale))
    rows, _ = drawing.rows_on_disk(asked, scale, root / HOMES["published"])
    files, claims = drawing.stated(asked, rows, scale)
    there = [*folder.glob("*.table.csv"), *folder.glob(claims_file.ESTIMATES)]
    lies = {path.name: path.read_bytes() for path in there}
    old = sorted(files.keys() ^ lies.keys())
    for name in files.keys() & lies.keys():
        same = claims_file.same_estimates if name == claims_file.ESTIMATES else bytes.__eq__
        old += [] if same(files[name], lies[name]) else [name]
    stands = verdict.stated_in(folder) == {claim["name"]: claim for claim in claims}
    return old if stands else [*old, claims_file.FILE]


def retire_claims(question: str, gone: dict[str, dict[str, Any]], why: str, root: Path) -> None:
    """Keep the last answers of these claims in retired.csv."""
    day = date.today().isoformat()
    more = [claims_file.retired_row(question, claim, day, why) for claim in gone.values()]
    store.write_if_other(root / claims_file.RETIRED, claims_file.with_retired(root, more))


def retire_question(question: str, why: str, root: Path) -> None:
    """Of a question that is gone: its claims become rows of retired.csv, and its answers go."""
    folder = root / HOMES["published"] / question
    gone = folder.is_dir() and question not in names(root)
    demand(gone, f"{question} is still asked, or never was published.")
    retire_claims(question, verdict.published_at(folder, BEST[0]), why, root)
    shutil.rmtree(folder)
