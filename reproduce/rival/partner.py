"""The reference package as a partner that takes turns: a line of JSON to it, a line back (see package.py)."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import IO, Any

from curvecast.ground.errors import UserError, demand
from presswork.contract import ROOT

PYTHON = ROOT / ".bench" / "bin" / "python"
PACKAGE = ("-m", "reproduce.rival.package")


class Rival:
    """with Rival(threads) as rival: rival.ask("prior", curves=1000, batch=100)  # -> {"curves", "seconds"}"""

    def __init__(self, threads: int, python: Path = PYTHON):
        way = "run `make bench`."
        demand(python.exists(), f"The reference package is not installed ({python} is missing): {way}")
        # what the package prints: the last line is shown if it fails
        self.talk: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115 # closed in close()
        command = [str(python), *PACKAGE]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.talk, text=True, bufsize=1, cwd=ROOT
        )  # fmt: skip
        try:
            self.versions = self.ask("hello", threads=threads)
        except BaseException:
            self.close()
            raise

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps({"do": do, **request}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        line = self.process.stdout.readline()
        if not line:
            raise self._ended()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ended(self) -> UserError:
        status = self.process.wait()
        self.talk.seek(0)
        last = ([line.strip() for line in self.talk if line.strip()] or ["it said nothing"])[-1]
        return UserError(f"A measured program stopped with status {status} ({last}); run `make bench` again.")

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.talk.close()

    def __enter__(self) -> "Rival":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
