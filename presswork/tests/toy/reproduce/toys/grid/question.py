"""What do two parts and two tables give?"""

from dataclasses import dataclass

import pandas as pd
from lib.scores.metrics import score

TABLES = {"rows": ("letter", "code"), "curve": ("t", "v")}


@dataclass(frozen=True)
class Config:
    names: tuple = ("a", "b")


SCALES = {"smoke": Config(("a",)), "laptop": Config(), "paper": Config(("a", "b", "c"))}


PARTS = "{name}"


def measure(config, name):
    with open("trace", "a") as file:
        file.write(f"measured grid {name}\n")
    rows = pd.DataFrame({"letter": [name], "code": [score(ord(name))]})
    return {"rows": rows, "curve": pd.DataFrame({"t": [1, 2], "v": [0.123456789, 1e-9]})}


def draw(rows):
    return {}


def tabulate(rows, config):
    table = rows["rows"][["part", "code"]].astype(str) if "part" in rows["rows"] else rows["rows"][["letter"]]
    return {"codes": table, "count": pd.DataFrame({"parts": [f"{len(rows['rows'])} of {len(config.names)}"]})}


def claims(rows):
    return []
