"""The picture that changes while its text passes is made of published rows, and small."""

import gzip
import json

import pytest

pytest.importorskip("mkdocs", reason="the site's tools are not installed: make setup")

from presswork.answers.answer import Answers
from presswork.contract import ROOT
from reproduce._plugin import idea
from reproduce._plugin.guess import lines


def test_the_picture_is_made_of_published_rows_and_small() -> None:
    """Fifty curves, the one that rises most, and at each epoch that is drawn and not observed what was forecast of it."""
    found, rows = idea.picture(answer := Answers(ROOT).of("forecasts")[0]), [*lines(answer, "frames")]
    assert (
        len(gzip.compress(json.dumps(found).encode() + (ROOT / "docs" / idea.SCRIPT).read_bytes())) < 15_000
    )
    rise = [curve[-1] - curve[0] for curve in found["curves"]]
    assert len(rise) == 50 and {int(row["curve"]) for row in rows} == {rise.index(max(rise))}
    for frame in found["frames"]:
        of = {"trained_on": str(frame["trainedOn"]), "cutoff": str(frame["cutoff"])}
        drawn = [row for row in rows if row | of == row and int(row["epoch"]) in found["epochs"]]
        for name in idea.FORECAST:
            assert frame[name] == pytest.approx([1000 * float(row[name]) for row in drawn], abs=0.5)
    prior = [row for row in lines(answer, "prior") if row["curve"] == rows[0]["curve"]]
    noisy, clean = ([round(1000 * float(row[name])) for row in prior] for name in ("noisy", "clean"))
    assert found["one"] == noisy and found["epochs"][-1] == len(noisy) == 100
    assert found["curves"][rise.index(max(rise))][:10] == clean[:10]
    assert idea.picture(Answers(ROOT).of("draw_the_rest")[0]) == {}, "without its tables there is none"
    assert len({str(frame["median"]) for frame in found["frames"]}) == 11, "no forecast comes twice"
