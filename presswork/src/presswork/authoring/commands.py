"""The commands of somebody who writes a blog: new, demo, check, why, export, build, serve. They return the exit status."""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from presswork import commands, contract
from presswork.authoring import begin, markers
from presswork.contract import ROOT
from presswork.ground import whole_file
from presswork.ground.errors import UserError, demand
from presswork.telling import verdict
from presswork.telling import why as origin


def new(args: argparse.Namespace) -> int:
    for path in begin.new(args.folder):
        print(path)
    print(f"\ncd {args.folder}; presswork run; presswork publish; presswork serve")
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
        wrong = [line for name in args.names or contract.names() for line in verdict.restated(name, ROOT)]
        wrong += verdict.outdated_sentences(contract.names(), ROOT)
        print(*wrong, sep="\n", end="\n" * bool(wrong))
        return status or int(bool(wrong))
    found = {path: markers.numbers(path, ROOT) for path in files}  # all are read before one is written
    old = {path: markers.stale(path, own) for path, own in found.items()}
    for path in (path for path in files if args.write and old[path]):
        markers.put_right(path, found[path])
    lines = [line for own in old.values() for line in own]
    print(*lines, sep="\n", end="\n" * bool(lines))
    told = "Put right" if args.write else "Stale (--write puts them right)"
    every = f"All {sum(map(len, found.values()))} numbers between markers are those of the published answers."
    print(f"{told}: {len(lines)}." if lines else every)
    return int(bool(lines) and not args.write)


def why(args: argparse.Namespace) -> int:
    print(origin.show(origin.of(args.name, ROOT), args.json))
    return 0


def export(args: argparse.Namespace) -> int:
    from presswork.authoring import export

    text = export.markdown(args.notebook)
    if args.output:
        whole_file.write(args.output, text.encode())
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
