"""Which real curves belong to the tuning set, and which to the test set.

Whatever is chosen with the help of real curves (a prior, a map, a threshold) is chosen on the tuning set and reported on
the test set. The curves of a group (the seeds of one setting, the runs of one folder) are not independent, so a whole
group is on one side. A hash of its name decides. Three sources are in the test set only.
"""

import hashlib

TUNING, TEST = "look", "judge"  # as rows call them; stored names stay
TEST_ONLY = ("adabelief_cifar10", "modded_nanogpt", "pythia")


def side(source: str, group: str) -> str:
    """TUNING or TEST"""
    if source in TEST_ONLY:
        return TEST
    return TUNING if hashlib.sha256(f"{source}/{group}".encode()).digest()[0] < 128 else TEST
