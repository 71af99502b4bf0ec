"""The questions of the blog: a file each, or a folder, in its chapter; found by its name. This docstring is their contract.

    \"\"\"Are the predicted quantiles honest?\"\"\"              # first line: the question

    @dataclass(frozen=True)
    class Config: ...                                       # seeds, sizes, the models that it needs
    SCALES = {"smoke": Config(...), "laptop": Config(...), "paper": Config(...)}
    def models(config):         # -> [TrainConfig] to train before, if not the fields of Config that are some (optional)
    def parts(config):          # -> [name] of jobs that do not need each other                (optional)
    def needs(config, part):    # -> [TrainConfig], those of `models` that this part waits for (optional)
    def reads(config):          # -> [name] of questions whose rows measure needs; "name/scale": those published (optional)
    def measure(config, part):  # slow.  -> one tidy DataFrame, or {table: DataFrame}; with `reads` a third
                                #           argument, {name: rows}
    def estimates(rows):        # fast.  rows -> {key: Interval}: made here once, handed to all that show it      (optional)
    def draw(rows, found):      # fast.  -> {"name": Figure}, in the colours of _press/palette.py
    def tabulate(rows, found):  # fast.  -> {"name": DataFrame of cells, first column = row label}
    def claims(rows, found):    # fast.  -> [Claim(name, asks, found, needs, unit, printed)], see _press/claim.py
    TABLES = {"rows": ("x", "y")}  # what measure returns, `...`: and more columns; the runner refuses others
    ON_REQUEST = "make bench"   # only this command runs it; this and the next ones are read without an import, so that they
                                # are written out as literals                                  (optional)
    FETCHED = {"VARIABLE": "what to do where it names no folder"}  # else left out, and told so (optional)
    TIMED = True                # it measures times: trainings of a queue wait                 (optional)
    TIMES_TRAININGS = True      # claims ask for the seconds of its trainings: each has two cores to itself (optional)
    READS_REAL_CURVES = True    # of CURVECAST_DATA; at smoke scale that names made-up ones    (optional)
    STOPWATCHES = ("rows.seconds",)   # table.column that no two runs have in common            (optional)
    TOLERANCES = {"rows.loss": ("chaotic", "why")}  # how far golden numbers may move (answers/golden.py) (optional)
    NOT_AT_SMOKE_SCALE = {"field": "why"}  # choices of larger scales that smoke does not name  (optional)
    NOT_TESTED = {"claim": "why"}       # claims that no published answer tests; `publish` refuses others (optional)
    LABEL_FREE = {"claim": "why"}       # claims that stay as found if the labels of all rows are exchanged (optional)

The runner (`python -m reproduce --help`) stores each part as soon as it is measured, with its receipt, reads it back
and gives that to these four, which ask for `config` and for `found` by name if they need them. `rows` is the
DataFrame or the dict that measure returned, the parts put below one another (column `part` if there are several). Any
part may be missing: all tables of TABLES are there, some with columns alone. Numbers are rounded to six significant
digits. Nothing but the runner writes answers: a run below runs/here/ (smoke scale: runs/smoke/), `publish` below
figures/. `smoke --keep` writes figures/<question>/golden.csv: what the question measures at smoke scale, to which the
tests hold every later version.

A new question is a new file in a chapter, and a page in docs/ that names its figures. What outgrows a file becomes a folder
of its name with question.py and its ideas beside it. Questions never import one another, and no chapter another: what the
questions of a chapter share lies in a file of it whose name begins with an underscore, what chapters share lies below them.

Chapters: reproduction porting encoding limits new_data practice backbones craft latent_curves language priors scaling.
Shared:
pictures    shapes of figures                     protocols  ways of measuring
trainings   those that several questions share    printed    what papers print
rival       other programs, to compare with       _press     the engine: knows no question
_site       what pages need, without torch
"""
