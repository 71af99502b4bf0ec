"""Runs of the blog that are killed again and again; their rows must be those of a run that nothing disturbed.

    make hard                                       100 kills, half an hour on two cores
    python -m tests.hard_use.kills 20 SEED          20 of them, at other times

All processes of a run are killed at once, at random, as when a machine loses its power. After its share of kills a page is
completed by the same command, and the next one begins in another copy.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import is_gone

from tests.hard_use import copies

PAGES = ("reproduction", "markov-chains", "a-small-tabpfn", "latent-curves")  # of several kinds
LONGEST = 20.0  # seconds until a kill


def killed(run: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """With all that it has started; or it was complete before."""
    try:
        run.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        while not is_gone(run.pid):
            time.sleep(0.05)
        return True


def page_survives(page: str, kills: int, chance: random.Random, folder: Path) -> bool:
    expected = copies.rows_without_disturbance(page, folder / "undisturbed")
    copy, count = copies.copy(folder / "killed"), 0
    arguments = ["blog", "--page", page]
    for _ in range(kills):
        count += killed(copies.start(copy, *arguments), chance.uniform(0.5, LONGEST))
    status = copies.start(copy, *arguments).wait()
    wrong = copies.differences(copies.rows(copy, page), expected)
    told = f"{len(expected)} tables, of which differ: {', '.join(wrong) or 'none'}; status {status}"
    print(f"{page}: {count} of {kills} kills found it at work; {told}", flush=True)
    return not (wrong or status)


def main(kills: int = 100, seed: int = 0) -> int:
    chance = random.Random(seed)
    shares = [kills // len(PAGES) + (i < kills % len(PAGES)) for i in range(len(PAGES))]
    survived = True
    for page, share in zip(PAGES, shares, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            survived &= page_survives(page, share, chance, Path(folder))
    return 0 if survived else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
