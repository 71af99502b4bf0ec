"""The picture that changes while its text passes is made of published rows, and small."""

import gzip
import json
from itertools import groupby
from operator import itemgetter

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from presswork.answers.answer import Answers
from presswork.contract import ROOT
from reproduce._plugin import idea
from reproduce._plugin.guess import lines

ANSWER = Answers(ROOT).of("forecasts")[0]


def test_the_picture_is_made_of_published_rows_and_small() -> None:
    """Fifty curves, the one that rises most, and what was forecast of it at each epoch that is drawn and not observed."""
    found = idea.picture(ANSWER)
    assert (
        len(gzip.compress(json.dumps(found).encode() + (ROOT / "docs" / idea.SCRIPT).read_bytes())) < 15_000
    )
    rise = [curve[-1] - curve[0] for curve in found["curves"]]
    frames = [[*of] for _, of in groupby(lines(ANSWER, "frames"), itemgetter("trained_on", "cutoff"))]
    assert len(rise) == 50 and {int(frame[0]["curve"]) for frame in frames} == {rise.index(max(rise))}
    for frame, rows in zip(found["frames"], frames, strict=True):
        later = [epoch for epoch in found["epochs"] if epoch > frame["cutoff"]]
        published = {int(row["epoch"]): round(1000 * float(row["median"])) for row in rows}
        assert frame["median"] == [published[epoch] for epoch in later]
        assert len(frame["low"]) == len(frame["high"]) == len(later)
    assert len({str(frame["median"]) for frame in found["frames"]}) == len(frames) == 11
    assert found["loss"] == [
        [int(row["curves"]), round(float(row["loss"]), 3)] for row in lines(ANSWER, "loss")
    ]
