"""What the commands that tell do, one function each. They return the exit status."""

import argparse
import json
from itertools import product
from typing import Any

from presswork import contract, questions, store
from presswork import run as runner
from presswork.answers import freshness, ledger_file
from presswork.ground.blog import BLOG, HOMES, ROOT, SCALES
from presswork.ground.errors import demand
from presswork.smoke import broken
from presswork.telling import spent, verdict


def status(args: argparse.Namespace) -> int:
    """As `list`, by the questions as they are now; then what is to be done at the usual scale."""
    waiting = _print_states(args.json, imported=True)
    if not args.json:
        print(f"To do: {BLOG.command} run {' '.join(waiting)}" if waiting else "Nothing is to be done.")
    return 0


def list_(args: argparse.Namespace) -> int:
    _print_states(args.json, imported=False)
    return 0


def _print_states(as_json: bool, imported: bool) -> list[str]:
    """Each question and how far its answers are up to date.  -> those of which none of the usual scale is, and whole"""
    told, waiting = [], []
    for name in contract.names():
        try:
            one, lines, done = _told(name, imported)
        except Exception as error:  # one broken question does not hide the others
            lines, done = [broken(name, error)], False
            one = {"question": name, "wrong": lines[0]}
        told.append(one)
        waiting += [] if done else [name]
        if not as_json:
            print(f"{name:<16} " + f"\n{'':<16} ".join(lines))
    if as_json:
        print(json.dumps(told, indent=1, ensure_ascii=False))
    return waiting


def _told(name: str, imported: bool) -> tuple[dict[str, Any], list[str], bool]:
    """What a program and a person are told of a question, and whether nothing is to be done at the usual scale."""
    command, why = questions.on_request(name), questions.lacking(name)
    states = {}
    for origin, scale in product(("published", "here"), SCALES[1:]):
        state = state_of(name, scale, origin, imported)
        if state.state != freshness.MISSING:
            states[f"{scale}, {origin}"] = state
    usual = [states[where] for where in states if where.startswith(f"{BLOG.usual},")]
    done = any(state.state == freshness.UP_TO_DATE and not state.parts for state in usual)
    asks, answers = questions.title(name), {where: state.state for where, state in states.items()}
    lines = [asks + (f"  (only by {command})" if command else "")]
    lines += [f"cannot be measured here: {why}"] * bool(why)
    lines += [f"{where}: {state.state} ({state.detail})" for where, state in states.items()]
    one = {"question": name, "asks": asks, "only by": command, "answers": answers}
    return one, lines, bool(done or command or why)


def state_of(name: str, scale: str, origin: str, imported: bool = True) -> freshness.Freshness:
    """By the settings that the question has now; without importing it, by those that its golden numbers note."""
    asked = contract.load(name) if imported else None
    return freshness.freshness(name, scale, ROOT, HOMES[origin], asked)


def verify(args: argparse.Namespace) -> int:
    demand(args.time or not args.write, "--write needs --time: it keeps the seconds of a quiet run.")
    if args.time:
        lines = spent.today(args.scale, ROOT)
        print(spent.show(lines, ROOT))
        if args.write:
            spent.write(lines, ROOT)
        return 0
    rows = verdict.claims(args.scale, ROOT, runner.home(args.scale))
    as_json = json.dumps({"claims": rows}, indent=1, ensure_ascii=False)
    print(as_json if args.json else verdict.show(rows, args.scale))
    return 0


def ledger(args: argparse.Namespace) -> int:
    rows = verdict.claims(args.scale, ROOT, figures := runner.home(args.scale))
    if args.write:
        content = ledger_file.made(rows, figures, args.scale, ROOT)
        store.write(args.write, ledger_file.as_bytes(content))
    known = {f"{row['question']}/{row['name']}": row for row in rows}
    ledgers = ledger_file.read(args.files or [args.write] * bool(args.write), known, ROOT)
    demand(ledgers, f"There is no ledger in ledger/ yet: name a file, such as runs/{BLOG.usual}/ledger.json.")
    print(ledger_file.show(ledgers, known))
    return 0
