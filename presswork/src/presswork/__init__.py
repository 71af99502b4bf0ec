"""presswork makes a report of questions, answers and pages. A question is a file of Python. Two things are required of it:

    \"\"\"Are the predicted quantiles honest?\"\"\"              # first line: the question
    def measure(config, part):  # slow.  -> a tidy DataFrame, rows that it yields as dicts, or {table: DataFrame}; it asks
                                # by name for config, part, a value of the part (see PARTS), and by one other name for
                                # {question: rows that it reads}

All else has an answer where it is missing:

    @dataclass(frozen=True)
    class Config: ...                                       # seeds, sizes, the models that it needs
    SCALES = {"smoke": Config(...), "full": Config(...)}    # a Config for each of the blog's `scales`
    def models(config):         # -> [what is made before], if not what parts need, else the fields of Config that are some
    PARTS = ("sum", "{row}-{seed}")  # names of jobs that do not need each other, from config.rows and config.seeds;
                                # measure and needs then ask for row and seed, which are None for the job "sum"
    def parts(config):          # or -> {name: {"row": row, "seed": seed}}
    def needs(config, part):    # -> what is made before for this part; asks by name, as measure does
    def reads(config):          # -> [name] of questions whose rows measure needs; "name/scale": those published
    def estimates(rows):        # fast.  rows -> {key: Interval}: made here once, handed to all that show it
    def draw(rows, found):      # fast.  -> {"name": Figure}, in the colours of presswork.style
    def tabulate(rows, found):  # fast.  -> {"name": DataFrame of cells, first column = row label}
    def claims(rows, found):    # fast.  -> [Claim(name, asks, key, needs, unit, printed)]: of an estimate, or an Interval
    TABLES = {"rows": ("x", "y")}  # what measure returns, `...`: and more columns; the runner then refuses others
    ON_REQUEST = "make bench"   # only this command runs it; ("make bench", "file"): tests too, where the file is;
                                # this and the next ones are read without an import: written out as literals
    FILES = ("data/tosses.csv",)  # that it reads: an answer is up to date while they are the same
    FETCHED = {"VARIABLE": "what to do where it names no folder"}  # else left out, and told so
    TIMED = True                # it measures times: trainings in the background wait
    TIMES_TRAININGS = True      # claims ask for the seconds of its trainings: each has two cores to itself
    STAND_IN = True             # it reads data that the plugin has a stand-in for, in tests
    STOPWATCHES = ("rows.seconds",)   # table.column that no two runs have in common
    TOLERANCES = {"rows.loss": ("chaotic", "why")}  # how far golden numbers may move (answers/golden.py)
    NOT_AT_SMOKE_SCALE = {"field": "why"}  # choices of larger scales that the scale of tests does not name
    NOT_TESTED = {"claim": "why"}       # claims that no published answer tests; `publish` refuses others
    LABEL_FREE = {"claim": "why"}       # claims that stay as found if the labels of all rows are exchanged

The runner (`presswork --help`) stores each part as soon as it is measured, with its receipt, reads it back
and gives that to estimates, draw, tabulate and claims. These ask by name for `config` and for `found`. `rows` is the
table or the dict that measure returned, the parts put below one another (column `part` if there are several). Any
part may be missing: all tables are there, some with columns alone. Numbers are rounded to six significant
digits. Nothing but the runner writes answers: a run below runs/here/ (that of tests: runs/smoke/), `publish` below
figures/. `check --write` writes figures/<question>/golden.csv: what the question measures at the scale of tests, to which the
tests hold every later version.

Rooms: ground (which blog this is, its plugin, errors), answers (what is stored; standard library alone), telling (what a
terminal says), site (what pages may call), authoring (new blogs), guards (pytest --presswork), jobs (runs).
"""

from typing import Any

_FROM = dict.fromkeys(("Above", "AtLeast", "AtMost", "Below", "Between", "Claim"), "claim")
_FROM |= dict.fromkeys(("Interval", "in_cell"), "intervals")
_FROM |= {"later": "ground.config", "file_name": "ground.parts"}
_FROM |= dict.fromkeys(("Estimates", "Rows", "there", "where"), "estimates")


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM, "style"})


def __getattr__(name: str) -> Any:
    """Fetched when somebody asks: who reads pages needs no pandas."""
    import importlib

    if name not in _FROM:
        raise AttributeError(f"module 'presswork' has no attribute {name!r}")
    return getattr(importlib.import_module(f"presswork.{_FROM[name]}"), name)
