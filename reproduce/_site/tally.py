"""How many claims are answered yes, no, unclear and not tested: tests of what the paper claims first, then ours."""

from __future__ import annotations

import math
from collections.abc import Iterable

from reproduce._press import claim_text
from reproduce._press.claim_text import Claim
from reproduce._site.pages import PageError
from reproduce._site.paper import OWN_TABLE, STAND_IN, PaperClaim

TAIL = 40  # where the truth lies right at a bound, one 95 % interval in forty lies wholly on the wrong side


def tally(of: str, told: list[PaperClaim], claims: dict[str, Claim], gone: list[Claim]) -> str:
    """`told`: what the paper claims; `claims`: every claim of ours, by question/name; `gone`: those that are retired."""
    # each once: one test may serve two sentences of the paper
    tests = dict.fromkeys((by, name) for row in told for by, _, name in row.tests)
    reread = [name for by, name in tests if by == OWN_TABLE]
    stand_ins = [name for by, name in tests if by.startswith(STAND_IN)]
    straight = [name for by, name in tests if not by.startswith(STAND_IN)]
    untested = sum(not row.tests for row in told)
    ours = set(claims) - {name for _, name in tests}
    drawn = [name for name in claims if name not in reread and not claim_text.exact(claims[name])]
    every = [claim_text.answer(one) for one in (*claims.values(), *gone)]
    exact = [one for one in claims.values() if claim_text.exact(one) and not claim_text.missing(one["value"])]

    def words(names: Iterable[str], more: int = 0) -> str:
        return claim_text.counted([claim_text.answer(claims[name]) for name in names] + ["not tested"] * more)

    counted = {
        "paper": words(straight, untested),
        "own table": words(reread),  # of these, those that only read the paper's own table again
        "stand-ins": words(stand_ins),  # of curves or of a network of ours in place of theirs
        "ours": words(ours),
        "all": words(claims),
        "open": f"{sum(answer in ('unclear', 'not tested') for answer in every)} of {len(every):,}",
        "intervals": str(len(drawn)),
        "no interval": str(len(exact)),
        "false": str(math.ceil(len(drawn) / TAIL)),  # so many wrong answers are to be expected, at most
    }
    if of not in counted:
        raise PageError(f"There is no tally {of!r}; there are {', '.join(counted)}.")
    return counted[of]
