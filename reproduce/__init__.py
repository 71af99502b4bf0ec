"""The questions of the blog: one file each, found by its name. This docstring is their contract.

    \"\"\"Are the predicted quantiles honest?\"\"\"              # first line: the question

    @dataclass(frozen=True)
    class Config: ...                                       # seeds, sizes, the models that it needs
    SCALES = {"smoke": Config(...), "laptop": Config(...), "paper": Config(...)}
    def models(config):         # -> [TrainConfig], trained before anything is measured        (optional)
    def parts(config):          # -> [name] of jobs that do not need each other                (optional)
    def needs(config, part):    # -> [TrainConfig], those of `models` that this part waits for (optional)
    def reads(config):          # -> [name] of questions whose rows measure needs              (optional)
    def measure(config, part):  # slow.  -> one tidy DataFrame, or {table: DataFrame}; with `reads` also their rows
    def draw(rows):             # fast.  rows -> {"name": Figure}, in the colours of _site/palette.py
    def tabulate(rows):         # fast.  rows -> {"name": DataFrame of cells, first column = row label}
    def claims(rows):           # fast.  rows -> [Claim(name, sentence, value, low, high, condition)]
    TABLES = {"rows": ("x", "y")}  # columns of what measure returns; the runner refuses others (optional)
    ON_REQUEST = "make bench"   # only this command runs it, `make reproduce` does not         (optional)
    STOPWATCHES = ("rows.seconds",)   # table.column that no two runs have in common            (optional)

The runner (`python -m reproduce --help`) stores each part as soon as it is measured, with its receipt, reads
it back and gives that to draw, tabulate and claims, which may ask for the config as a second argument. `rows`
is the DataFrame or the dict that measure returned, the parts put below one another (column `part` if there
are several); a part that is missing is absent. Numbers are rounded to six significant digits. Nothing but the
runner writes below figures/.

A new question is a new file here and a page in docs/ that names its figures. Questions never import one
another; what several share lies in a file whose name begins with an underscore.

_contract  Claim; find and check a question     _store    read and write answers
_receipt   what is noted beside an answer       _run      train, measure, draw one question
_plan      the jobs of the whole blog           _engine   one run of them on Snakemake
_verdict   verify and publish                   _todo     what is missing, and its cost
_bundle    answers as one checked tar           _style    colours, names, SVG
_commands  what each command does               _machine  what an answer is made on
_interval  a number and its 95 %, by origin     _where    rows by what their columns say
_claim_text  sentence, number, verdict of a claim: terminal, card and page
_show      rows in the terminal
_site      what the site needs, without torch
"""
