"""presswork makes a report of questions, answers and pages. A question is a file that keeps this contract:

    \"\"\"Are the predicted quantiles honest?\"\"\"              # first line: the question

    @dataclass(frozen=True)
    class Config: ...                                       # seeds, sizes, the models that it needs
    SCALES = {"smoke": Config(...), "full": Config(...)}    # a Config for each of the blog's `scales`
    def models(config):         # -> [what is made before], if not the fields of Config that are some (optional)
    def parts(config):          # -> [name] of jobs that do not need each other                (optional)
    def needs(config, part):    # -> those of `models` that this part waits for                    (optional)
    def reads(config):          # -> [name] of questions whose rows measure needs; "name/scale": those published (optional)
    def measure(config, part):  # slow.  -> one tidy DataFrame, or {table: DataFrame}; with `reads` a third
                                #           argument, {name: rows}
    def estimates(rows):        # fast.  rows -> {key: Interval}: made here once, handed to all that show it      (optional)
    def draw(rows, found):      # fast.  -> {"name": Figure}, in the colours of presswork.style
    def tabulate(rows, found):  # fast.  -> {"name": DataFrame of cells, first column = row label}
    def claims(rows, found):    # fast.  -> [Claim(name, asks, found, needs, unit, printed)], see presswork/claim.py
    TABLES = {"rows": ("x", "y")}  # what measure returns, `...`: and more columns; the runner refuses others
    ON_REQUEST = "make bench"   # only this command runs it; ("make bench", "file"): tests too, where the file is (optional)
                                # this and the next ones are read without an import: written out as literals
    FETCHED = {"VARIABLE": "what to do where it names no folder"}  # else left out, and told so (optional)
    TIMED = True                # it measures times: trainings of a queue wait                 (optional)
    TIMES_TRAININGS = True      # claims ask for the seconds of its trainings: each has two cores to itself (optional)
    STAND_IN = True             # it reads data that the plugin has a stand-in for, in tests    (optional)
    STOPWATCHES = ("rows.seconds",)   # table.column that no two runs have in common            (optional)
    TOLERANCES = {"rows.loss": ("chaotic", "why")}  # how far golden numbers may move (answers/golden.py) (optional)
    NOT_AT_SMOKE_SCALE = {"field": "why"}  # choices of larger scales that smoke does not name  (optional)
    NOT_TESTED = {"claim": "why"}       # claims that no published answer tests; `publish` refuses others (optional)
    LABEL_FREE = {"claim": "why"}       # claims that stay as found if the labels of all rows are exchanged (optional)

The runner (`presswork --help`) stores each part as soon as it is measured, with its receipt, reads it back
and gives that to these four, which ask for `config` and for `found` by name if they need them. `rows` is the
DataFrame or the dict that measure returned, the parts put below one another (column `part` if there are several). Any
part may be missing: all tables of TABLES are there, some with columns alone. Numbers are rounded to six significant
digits. Nothing but the runner writes answers: a run below runs/here/ (that of tests: runs/smoke/), `publish` below
figures/. `smoke --keep` writes figures/<question>/golden.csv: what the question measures at the scale of tests, to which the
tests hold every later version.

Rooms: ground (which blog this is, its plugin, errors), answers (what is stored; standard library alone), telling (what a
terminal says), site (what pages may call). The engine lies beside them.
"""
