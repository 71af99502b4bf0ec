"""How large and how fast is the port beside the reference package?"""

import math
from dataclasses import asdict, dataclass

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.contract import Claim, claim
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
RATIOS = {  # row of the table: (name of the claim, sentence, condition)
    "lines, network and density": (
        "shorter", "The port and its density take fewer lines than the reference package’s: {value:.2f} times as "
                   "many.", "< 1",
    ),
    "statements, network and density": (
        "fewer_statements", "With a line for each statement it is fewer, too: {value:.2f} times as many.", "< 1",
    ),
    "training step, dropout 0.2": (
        "step_no_slower", "A training step of the port takes no longer than one of the reference package: {value:.2f} "
                          "times as long.",
        "<= 1",
    ),
    "training step, no dropout": (
        "step_without_dropout_no_slower", "With dropout switched off in both it takes no longer: {value:.2f} times as long.",
        "<= 1",
    ),
    "forecast": ("forecast_no_slower", "A forecast of the port takes no longer: {value:.2f} times as long.", "<= 1"),
}  # fmt: skip
APART = {  # what is compared as a difference
    "parameters": ("same_parameters", "The two networks have equally many parameters: they differ by {value:.0f}.",
                   "between 0 and 0"),
    "logits": (
        "same_logits",
        "With the reference package’s weights the port’s logits differ by less than {most}: by {value:.1e} at most.",
        "< 0.0001",
    ),
    "means": (
        "same_means", "The means of their forecasts differ by less than {most}: by {value:.1e} at most.", "< 0.00001",
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
    """The port by the reference: the median with its interval; what is counted is its own interval."""
    if not {"port", "reference"} <= set(each):
        return None
    ratios = (each["port"] / each["reference"]).tolist()
    if each.index.name != "round":
        return Interval.exactly(ratios[0])
    return Interval.of_median(ratios)


def claims(rows: Rows) -> list[Claim]:
    found, apart = values(rows), {}
    if "network" in rows:
        mine = rows["network"].query("program == 'both'")
        apart = dict(zip(mine["what"], mine["value"], strict=True))
    stated = []
    for what, (name, sentence, condition) in APART.items():
        stated.append(claim(name, sentence, Interval.exactly(apart.get(what)), condition))
    for what, (name, sentence, condition) in RATIOS.items():
        stated.append(claim(name, sentence, ratio(found.get(what, pd.DataFrame())), condition))
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
    cell["port / reference"] = "…" if found is None else f"{found.value:.2f}"
    if found and timed and not math.isnan(found.low):
        cell["port / reference"] += f" ({found.low:.2f} to {found.high:.2f})"
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
