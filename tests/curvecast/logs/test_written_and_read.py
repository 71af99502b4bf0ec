"""Guards that whatever is written is read, whatever the names and the numbers, and that any text is runs or a sentence."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curvecast.ground.errors import UserError
from curvecast.logs import runs
from curvecast.logs.checked_points import Run
from curvecast.logs.columns import STEPS

finite = st.floats(allow_nan=False, allow_infinity=False)
step_lists = st.lists(st.floats(0, 1e9), min_size=1, max_size=8, unique=True).map(sorted)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
names = texts.map(str.strip).filter(lambda name: name and name.lower() not in ("run", *STEPS))


@st.composite
def some_runs(draw) -> list[Run]:
    found = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower)):
        steps = draw(step_lists)
        found.append(Run(name, steps, draw(st.lists(finite, min_size=len(steps), max_size=len(steps)))))
    return found


def records(found: list[Run]) -> list[dict]:
    pairs = ((run.name, *point) for run in found for point in zip(run.steps, run.values, strict=True))
    return [dict(zip(("run", "step", "value"), point, strict=True)) for point in pairs]


def columns(found: list[Run], hole: object) -> list[list]:
    """A header and a row for each step."""
    tables = [dict(zip(run.steps, run.values, strict=True)) for run in found]
    steps = sorted({step for run in found for step in run.steps})
    return [["step", *(run.name for run in found)]] + [[s, *(one.get(s, hole) for one in tables)] for s in steps]  # fmt: skip


def rows(table: list) -> str:
    quoted = ([str(cell).replace('"', '""') for cell in cells] for cells in table)
    return "".join(",".join(f'"{cell}"' for cell in cells) + "\r\n" for cells in quoted)


WRITERS = {
    "wide": lambda found: rows(columns(found, "")),
    "long": lambda found: rows([("run", "step", "value"), *(one.values() for one in records(found))]),
    "lines": lambda found: "\n".join(map(json.dumps, records(found))),
    "records": lambda found: json.dumps(records(found)),
    "trainer": lambda found: json.dumps({"best_metric": None, "log_history": records(found)}, indent=2),
    "lists": lambda found: json.dumps({head: own for head, *own in zip(*columns(found, None), strict=True)}),
}


@pytest.mark.parametrize("write", WRITERS)
@given(found=some_runs())
def test_what_is_written_is_read(write, found):
    assert runs.parse(WRITERS[write](found), "log") == found


pieces = [*",;|:\t\n\r {}[]\"a1\0\ufeff", "step", "run", "value", "0.5", "0,5", "nan", "1e999", "null",
          '{"step": 1, "value": 2}', "\n1,2", "\n2,3"]  # fmt: skip
garbage = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(pieces), max_size=30).map("".join))


@given(text=garbage, sep=st.sampled_from([None, ",", ";", " ", "|", "\t"]), decimal=st.sampled_from(".,"))
def test_any_text_is_runs_or_a_sentence(text, sep, decimal):
    """Never another exception, and both keep what they promise."""
    said, found = "a sentence", [Run("a", [1], [1])]
    try:
        found = runs.parse(text, "log", sep=sep, decimal=decimal)
    except UserError as error:
        said = str(error)
    assert said.isprintable()
    for run in found:
        assert len(run.steps) == len(run.values) > 0 and run.steps == sorted(set(run.steps))
