"""The commands of somebody who writes a blog: new, demo, check, publish, why, export, build, serve. Each returns a status."""

import argparse
import shlex
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from presswork import commands, contract, questions, smoke, store
from presswork.answers import freshness, golden
from presswork.authoring import begin, markers, publishing
from presswork.ground.blog import BLOG, HOMES, ROOT
from presswork.ground.errors import UserError, demand
from presswork.ground.files import write
from presswork.telling import verdict
from presswork.telling import why as origin
from presswork.telling.commands import state_of


def new(args: argparse.Namespace) -> int:
    for path in begin.new(args.folder):
        print(path)
    print(f"\ncd {shlex.quote(str(args.folder))}; presswork run; presswork publish; presswork serve")
    return 0


def demo(args: argparse.Namespace) -> int:
    with TemporaryDirectory() as folder:
        return int(not begin.demo(Path(folder)))


def check(args: argparse.Namespace) -> int:
    """Golden numbers of questions, and sentences on pages; or numbers in Markdown files."""
    files = [Path(name) for name in args.names if name.endswith(".md")]
    alike = len(files) in (0, len(args.names))
    demand(alike, "check takes questions, or Markdown files, but not both at once.")
    if not files:
        status = commands.smoke(argparse.Namespace(questions=args.names, keep=args.write))
        wrong = [line for name in args.names or contract.names() for line in publishing.restated(name, ROOT)]
        wrong += publishing.outdated_sentences(contract.names(), ROOT)
        print(*wrong, sep="\n", end="\n" * bool(wrong))
        return status or int(bool(wrong))
    found = {path: markers.numbers(path, ROOT) for path in files}  # all are read before one is written
    old = {path: markers.stale(path, own) for path, own in found.items()}
    for path in (path for path in files if args.write and old[path]):
        markers.put_right(path, found[path])
    lines = [line for own in old.values() for line in own]
    bare = [f"{path} has no number between markers." for path, own in found.items() if not own]
    print(*lines, *bare, sep="\n", end="\n" * bool(lines or bare))
    told = "Put right" if args.write else "Stale (--write puts them right)"
    every = f"All {sum(map(len, found.values()))} numbers between markers are those of the published answers."
    print(f"{told}: {len(lines)}.\n" if lines else f"{every}\n" * any(found.values()), end="")
    return int(bool(lines) and not args.write)


def publish(args: argparse.Namespace) -> int:
    done: list[str] = []
    gone = [name for name in args.questions if args.retire and name not in contract.names()]
    for name in gone:
        publishing.retire_question(name, args.retire, ROOT)
        print(f"retired {name}")
    asked = [name for name in args.questions if name not in gone]

    def one(name: str) -> None:
        for scale in [args.scale] if args.scale else verdict.BEST:
            if path := publishing.publish(name, scale, ROOT, args.retire):
                print(f"published {store.shown(path)}")
                done.append(name)
                _keep_first_golden_numbers(name)
                _note_settings(name)
                now = state_of(name, scale, "published")
                if now.state != freshness.UP_TO_DATE or now.parts:
                    print(f"  though {now.state} ({now.detail}): {BLOG.command} {_way_out(name, scale, now)}")

    names = commands.asked_for(asked, on_request=True) if asked or not gone else []
    wrong = commands.one_by_one(names, args.scale or BLOG.usual, one)
    for sentence in publishing.outdated_sentences(done, ROOT):
        print(sentence)
    demand(done or gone or wrong, f"There is no such answer to publish yet: `{BLOG.command} run` makes it.")
    demand(not wrong, wrong)
    return 0


def _way_out(name: str, scale: str, now: freshness.Freshness) -> str:
    """What makes a published answer whole, or up to date."""
    run = f"run {name} --scale {scale}"
    if now.state == freshness.UP_TO_DATE:
        return f"{run} --go-on"
    others = contract.load(name).waits_for(scale) if "rows of" in now.detail else []
    return f"publish {' '.join(others)}, " * bool(others) + run


def _keep_first_golden_numbers(name: str) -> None:
    """Of a question that has none yet: from now on it is seen when they move."""
    if freshness.of(name, ROOT).lines or questions.outside_the_tests(name) or smoke.cannot(name):
        return
    with TemporaryDirectory() as folder:
        try:
            smoke.compare(name, keep=True, folder=Path(folder))
        except Exception as error:
            raise UserError(f"{name} has no golden numbers yet: {smoke.broken(name, error)}") from error


def _note_settings(name: str) -> None:
    """Beside golden numbers, today's of each scale: what they are measured with has to be as before."""
    kept, question = freshness.of(name, ROOT), contract.load(name)
    now = {scale: question.settings(scale) for scale in kept.settings}
    if kept.lines and kept.settings[BLOG.smoke] == now[BLOG.smoke]:
        path = ROOT / HOMES["published"] / name / golden.FILE
        store.write_if_other(path, golden.write(name, replace(kept, settings=now)))


def why(args: argparse.Namespace) -> int:
    print(origin.show(origin.of(args.name, ROOT), args.json))
    return 0


def export(args: argparse.Namespace) -> int:
    from presswork.site import notebook

    text = notebook.as_markdown(args.notebook)
    if args.output:
        write(args.output, text.encode())
    else:
        print(text, end="")
    return 0


def build(args: argparse.Namespace) -> int:
    from presswork.site import build

    demand(not (args.zip and args.pdf), "build makes one at a time: --zip or --pdf.")
    if args.zip:
        from presswork.site.carried import edition

        edition.main()
        return 0
    if args.pdf:
        try:
            from presswork.site.carried import book
        except ImportError as error:
            raise UserError(f"--pdf needs {error.name}: pip install 'presswork[pdf]'") from None
        book.main()
        return 0
    return build.mkdocs("build", "--strict")


def serve(args: argparse.Namespace) -> int:
    from presswork.site import build

    return build.mkdocs("serve", *(["--dev-addr", args.address] if args.address else []))
