"""How large and how fast is the port, compared with the reference package?"""

import math
from dataclasses import asdict, dataclass

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Above, AtLeast, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.porting.beside import rounds

ON_REQUEST = "make bench"
STOPWATCHES = ("times.value",)


@dataclass(frozen=True)
class Config:
    width: int = 128  # P1 of the paper: one head, as the package's code takes at this width
    layers: int = 3
    batch: int = 100
    cutoffs: tuple[int, ...] = (10, 30, 50, 70, 90)  # of the steps of a turn
    calls: int = 50  # forecasts of a turn
    rounds: int = 15  # the 95 % interval of the median then leaves out three rounds on each side
    threads: int = 1
    alone: bool = False  # without the reference package, where it is not installed


SCALES = {
    "smoke": Config(layers=1, batch=4, cutoffs=(50,), calls=2, rounds=2, alone=True),
    "laptop": Config(),
    "paper": Config(rounds=30),
}


def measure(config: Config, part: str) -> Rows:
    """Minutes: 8 at laptop scale, on one core that has nothing else to do."""
    return rounds.beside(**asdict(config))


PIECES = {"network": ["network"], "network and density": ["network", "density"]}
RATIOS = {  # row of the table: (name of the claim, what is asked, what yes needs)
    "lines, network and density": (
        "shorter", "Does our port, with its density, need fewer lines of code than the reference package?", Above(1),
    ),
    "statements, network and density": (
        "fewer_statements", "Does our port, with its density, need fewer statements than the reference package?", Above(1),
    ),
    "training step, dropout 0.2": (
        "step_no_slower", "Is a training step of our port at least as fast as one of the reference package?", AtLeast(1),
    ),
    "training step, no dropout": (
        "step_without_dropout_no_slower",
        "Is a training step of our port without dropout at least as fast as one of the reference package?", AtLeast(1),
    ),
    "forecast": (
        "forecast_no_slower", "Is a forecast of our port at least as fast as one of the reference package?", AtLeast(1),
    ),
}  # fmt: skip
APART = {  # what is compared as a difference
    "parameters": (
        "same_parameters", "Does our port have exactly as many parameters as the reference package’s network?", Between(0, 0),
    ),
    "logits": (
        "same_logits", "Given the reference package’s weights, does our port give the same logits, up to rounding?",
        Below(0.0001),
    ),
    "means": (
        "same_means", "Given the reference package’s weights, does our port give the same means, up to rounding?",
        Below(0.00001),
    ),
}  # fmt: skip


def values(rows: Rows) -> dict[str, pd.DataFrame]:
    """For each row of the table a column for each program: one number, or one of each round."""
    found: dict[str, pd.DataFrame] = {}
    if "code" in rows:
        for kind in ("lines", "statements"):
            for title, pieces in PIECES.items():
                mine = rows["code"][rows["code"]["piece"].isin(pieces)]
                found[f"{kind}, {title}"] = mine.groupby("program")[kind].sum().to_frame().T
    if "network" in rows:
        mine = rows["network"].query("what == 'parameters' and program != 'both'")
        found["parameters"] = mine.set_index("program")["value"].to_frame().T
    if "times" in rows:
        for what, mine in rows["times"].groupby("what", sort=False):
            found[str(what)] = mine.pivot(index="round", columns="program", values="value")
    return found


def ratio(each: pd.DataFrame) -> Interval | None:
    """The reference by the port, so that more is better: the median with its interval; a count is its own interval."""
    if not {"port", "reference"} <= set(each):
        return None
    ratios = (each["reference"] / each["port"]).tolist()
    if each.index.name != "round":
        return Interval.exactly(ratios[0])
    return Interval.of_median(ratios)


def claims(rows: Rows) -> list[Claim]:
    found, apart = values(rows), {}
    if "network" in rows:
        mine = rows["network"].query("program == 'both'")
        apart = dict(zip(mine["what"], mine["value"], strict=True))
    stated = []
    for what, (name, asks, needs) in APART.items():
        stated.append(Claim(name, asks, Interval.exactly(apart.get(what)), needs))
    for what, (name, asks, needs) in RATIOS.items():
        stated.append(Claim(name, asks, ratio(found.get(what, pd.DataFrame())), needs, "×"))
    return stated


def tabulate(rows: Rows) -> Rows:
    tables = {}
    if found := values(rows):
        tables["beside"] = pd.DataFrame([_line(what, each) for what, each in found.items()])
    if "code" in rows:
        tables["code"] = _code(rows["code"])
    return tables


def _line(what: str, each: pd.DataFrame) -> dict[str, str]:
    timed = each.index.name == "round"
    cell = {"what": f"{what}, milliseconds" if timed else what}
    for program in ("port", "reference"):
        shown = "…"
        if program in each:
            shown = f"{1000 * each[program].median():.1f}" if timed else f"{each[program].iloc[0]:,.0f}"
        cell[program] = shown
    found = ratio(each)
    cell["reference / port"] = "…" if found is None else f"{found.value:.2f}"
    if found and timed and not math.isnan(found.low):
        cell["reference / port"] += f" ({found.low:.2f} to {found.high:.2f})"
    return cell


def _code(code: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for (program, piece, file), mine in code.groupby(["program", "piece", "file"], sort=False):
        names = dict.fromkeys(name.split(".")[0] for name in mine["name"])
        cells.append({
            "counted": f"{program}: {file}", "for the": piece, "of which": ", ".join(names),
            "lines": str(mine["lines"].sum()), "statements": str(mine["statements"].sum()),
        })  # fmt: skip
    return pd.DataFrame(cells)


def draw(rows: Rows) -> dict[str, Figure]:
    """The table says it all."""
    return {}
