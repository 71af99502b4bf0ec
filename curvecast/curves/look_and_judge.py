"""Which real curves may be looked at, and which judge.

Whatever is chosen with the help of real curves (a prior, a map, a threshold) is chosen on the side *look* and reported on
the side *judge*. A group is on one side as a whole, since its curves are not independent: seeds of one setting, runs of
one folder. A hash of its name decides, so that nobody can choose. Three sources judge alone.
"""

import hashlib

JUDGE_ALONE = ("adabelief_cifar10", "modded_nanogpt", "pythia")


def side(source: str, group: str) -> str:
    """'look' or 'judge'"""
    if source in JUDGE_ALONE:
        return "judge"
    return "look" if hashlib.sha256(f"{source}/{group}".encode()).digest()[0] < 128 else "judge"
