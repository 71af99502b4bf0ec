"""What the commands that make something do, one function each. They return the exit status."""

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from presswork import contract, drawing, plan, store
from presswork import run as runner
from presswork.answers import ledger_file
from presswork.ground import machine
from presswork.ground.blog import BLOG, ROOT, SCALES
from presswork.ground.errors import UserError, demand, known
from presswork.ground.plugin import Paused
from presswork.jobs import engine
from presswork.questions import pages_of, title_of
from presswork.smoke import broken, cannot, compare
from presswork.telling import cost, verdict

PAUSED = 3  # exit status: not an error, but not done either


def run(args: argparse.Namespace) -> int:
    if args.part and len(args.questions) != 1:
        raise UserError("--part names a part of one question: give that question, too.")
    budget = runner.Budget(args.minutes)
    figures, start = runner.home(args.scale), time.monotonic()
    _tell_left_out(args.questions)
    names = asked_for(args.questions)
    if args.cost:
        jobs = cost.of_run(names, _parts(args), args.scale, figures, ROOT, _goes_on(args))
        return cost.tell(jobs, args.scale, 1, ROOT)

    def one(name: str) -> bool:
        question = contract.load(name)
        if not args.part:
            runner.run(question, args.scale, figures, budget, go_on=_goes_on(args))
            return budget.spent()
        for other in [] if args.go_on else contract.in_order(args.scale, [name]):
            runner.copy_published(contract.load(other), args.scale, figures, ROOT)
        runner.train_needed(question, parts := _parts(args) or [], args.scale, budget)
        runner.measure(question, parts, args.scale, figures, budget)
        return budget.spent()

    wrong = one_by_one(names, args.scale, one)
    if budget.spent():
        return PAUSED
    if not args.part:
        print(f"answers are in {store.shown(figures)} ({time.monotonic() - start:.0f} s)")
    demand(not wrong, wrong)
    return 0


def one_by_one(names: list[str], scale: str, do: Callable[[str], object]) -> str:
    """Each question, until one says that it is enough; of several a broken one hides no other.  -> what is wrong"""
    wrong: dict[str, None] = {}
    for name in names:
        try:
            if do(name):
                break
        except Exception as error:
            if len(names) == 1 or isinstance(error, Paused):
                raise
            wrong[broken(name, error, scale)] = None
    return "\n".join(wrong)


def _goes_on(args: argparse.Namespace) -> bool:
    """The same command with --minutes continues later."""
    return args.go_on or args.minutes is not None


def _parts(args: argparse.Namespace) -> list[str] | None:
    """What --part names; of a run that goes on without those that are up to date; None where it names nothing."""
    if not args.part:
        return None
    question = contract.load(asked_for(args.questions)[0])
    kind, every = f"part of {question.name}", question.parts(args.scale)
    parts = [known(kind, part, every) for part in args.part.split(",")]
    figures = runner.home(args.scale)
    return [p for p in parts if not _goes_on(args) or not runner.is_current(question, p, args.scale, figures)]


def train(args: argparse.Namespace) -> int:
    args.scale = args.scale or BLOG.usual
    models = plan.models(args.scale, args.name)
    if args.cost:
        return cost.tell(cost.of_train([*models], ROOT), args.scale, 1, ROOT)
    budget = runner.Budget(args.minutes)
    for name, config in models.items():
        runner.train_one(name, config, budget)
        print(f"trained {name}", flush=True)
    return 0


def draw(args: argparse.Namespace) -> int:
    scales = [args.scale] if args.scale else list(SCALES)
    drawn, failed = 0, list[Exception]()
    for name, scale in product(asked_for(args.questions, on_request=True), scales):
        figures = runner.home(scale)
        if not (figures / name / scale).is_dir():
            continue
        try:
            question = contract.load(name)
            store.check(figures / name / scale, question.parts(scale))
            done = drawing.draw(question, scale, figures)
        except Exception as error:  # the other answers of a page are drawn all the same
            print(f"{name} at {scale} scale cannot be drawn: {error}")
            failed.append(error)
            continue
        if done:
            drawn += 1
            count = f" from {done[0]} of {done[1]} parts" if done[0] < done[1] else ""
            print(f"drew {name} at {scale} scale{count}")
    if failed:
        raise failed[0]
    if args.questions and not drawn:
        raise UserError(f"No rows to draw {', '.join(args.questions)} from; make them: {BLOG.command} run …")
    return 0


def smoke(args: argparse.Namespace) -> int:
    differ = 0
    with TemporaryDirectory() as folder:
        for name in asked_for(args.questions, on_request=True):
            start = time.monotonic()
            end = "kept" if args.keep else f"not kept: {BLOG.command} check {name} --write keeps them"
            try:
                if why := cannot(name):
                    print(f"{name:<16} skipped: {why}", flush=True)
                    continue
                moved = compare(name, args.keep, Path(folder))
                differ += bool(moved) and not args.keep
            except Exception as error:  # one broken question does not hide the results of the others
                moved, end = [broken(name, error)], "nothing was measured"
                differ += 1
            said = "\n    ".join(["", *moved, end] if moved else ["same numbers"])
            print(f"{name:<16} {said} ({time.monotonic() - start:.1f} s)", flush=True)
    return int(differ > 0)


def bundle(args: argparse.Namespace) -> int:
    from presswork import bundle

    files = bundle.bundle(args.out, asked_for(args.questions), args.scale, args.commit, ROOT)
    print(f"{args.out}: {len(files)} files, {args.out.stat().st_size / 1e6:.1f} MB")
    return 0


def unbundle(args: argparse.Namespace) -> int:
    from presswork import bundle

    print(*bundle.unbundle(args.tar, ROOT), sep="\n")
    return 0


def blog(args: argparse.Namespace) -> int:
    every = list[str]()

    def look(name: str) -> None:
        for one in contract.in_order(args.scale, [name]):
            plan.batches(contract.load(one), args.scale, ROOT)
        every.append(name)

    wrong, status = one_by_one(plan.questions_of(args.page or ""), args.scale, look), _blog(args, every)
    demand(not wrong, wrong)
    return status


def _blog(args: argparse.Namespace, every: list[str]) -> int:
    whole = args.scale != BLOG.usual or bool(args.page) or args.every
    asked = every if whole else [name for name in every if verdict.settles(name, ROOT)]
    questions = asked if whole else contract.in_order(args.scale, asked)  # with what these read
    if idle := ", ".join(name for name in every if name not in questions):
        settled = f"No claim of these is settled at {args.scale} scale"
        print(f"{settled}, so only `{BLOG.whole_with('every')}` measures them: {idle}")
    _tell_left_out([], args.page)
    if not questions:
        print("Nothing is left to measure here; the published answers stay as they are.")
        return 0
    if args.cost:
        jobs = cost.of_blog(questions, args.scale, args.again, ROOT)
        return cost.tell(jobs, args.scale, machine.cores(), ROOT)
    if args.again:
        runner.forget(args.scale, questions, ROOT)
    print(f"{args.scale} scale: {', '.join(questions)}", flush=True)
    told = partial(_verdict, args, questions)
    if status := engine.run(args.scale, questions, args.profile, told, ROOT):
        print("The run did not finish; finished work is kept. Run it again to go on.", file=sys.stderr)
        return status
    print(f"The site is in {store.shown(ROOT / 'site')}; read it with: {BLOG.serve}")
    print(_keep_ledger(args.scale))
    print(f"To see whether edited code still measures the same: {BLOG.command} check")
    return 0


def _keep_ledger(scale: str) -> str:
    """Write what all answers here say beside what is published."""
    path, figures = ROOT / "runs" / scale / "ledger.json", runner.home(scale)
    try:
        content = ledger_file.made(verdict.claims(scale, ROOT, figures), figures, scale, ROOT)
    except UserError as error:
        return f"There is no ledger of this run: {error}"
    store.write(path, ledger_file.as_bytes(content))
    return f"The ledger of this run is in {store.shown(path)}; read it with: {BLOG.command} ledger {store.shown(path)}"


def _verdict(args: argparse.Namespace, questions: list[str]) -> str:
    claims = verdict.claims(args.scale, ROOT, runner.home(args.scale))
    rows = [row for row in claims if row["question"] in questions]
    pages = {title_of(slug, ROOT): names for slug, names in pages_of(questions, ROOT).items()}
    return verdict.show(rows, args.scale) if args.all else verdict.by_page(rows, pages, args.scale)


def _tell_left_out(wanted: list[str], page: str | None = None) -> None:
    """Of all questions of the blog or of a page: those that cannot be measured here, and what to fetch."""
    for name, why in ({} if wanted else plan.why_not(page or "")).items():
        if why:
            print(f"{name} is left out: {why}", flush=True)


def asked_for(wanted: list[str], on_request: bool = False) -> list[str]:
    """The named questions; without a name all, or all that belong to a run of the blog."""
    if not wanted:
        way_out = f"write one, or name its folder in {BLOG.where}"
        demand(contract.names(), f"There is no question in {BLOG.questions}/: {way_out}.")
        return contract.names() if on_request else plan.questions_of()
    return [known("question", name, contract.names()) for name in wanted]
