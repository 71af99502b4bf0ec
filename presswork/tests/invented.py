"""An invented answer, as the store would have left it: for what a page names, without a run."""

import csv
import io
import json
from pathlib import Path

from presswork import questions
from presswork.answers import claims_file, receipts
from presswork.ground.blog import BLOG

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="504pt" height="259pt" viewBox="0 0 504 259">
<rect x="40" y="10" width="450" height="210" fill="none" stroke="#24292f"/>
<path d="M40 200 C90 90 180 60 490 40" fill="none" stroke="#24292f" stroke-width="3"/></svg>
"""
QUESTION = '''"""An invented question."""
SCALES = {"laptop": None}


def measure(config, part):
    return None
'''
ROWS = "curve,value\n0,0.25\n0,0.35\n0,0.4\n"
CLAIM = {"asks": "Is it good?", "needs": {"at_least": 1.585}, "unit": "nats", "printed": 1.585, "answer": "yes",
         "value": 1.602, "low": 1.58, "high": 1.624}  # fmt: skip


def answer(folder: Path, question: str, scale: str, shown: dict[str, set[tuple[str, ...]]]) -> None:
    file = questions.files(folder).get(question, folder / BLOG.questions / "invented" / f"{question}.py")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(QUESTION, encoding="utf-8")
    home = folder / "figures" / question / scale
    home.mkdir(parents=True)
    claims, estimates = [CLAIM | {"name": "invented"}], list[str]()
    for what, cells in shown.items():
        kind, name = what.split(":")
        if kind == "fig":
            (home / f"{name}.light.svg").write_text(SVG, encoding="utf-8")
        estimates += [
            json.dumps([[name, *key], 1.602, 1.592, 1.612, [["curves", 9]]])
            for key in cells
            if kind == "estimate"
        ]
        if kind == "table":
            (home / f"{name}.table.csv").write_text(table(cells), encoding="utf-8")
        if kind == "claim":  # answered as the sentence with its mark says
            answers = [{"answer": answer} for answer, *_ in filter(None, cells)]
            claims.append(CLAIM | {"name": name} | (answers or [{}])[0])
    (home / "rows.csv").write_text(ROWS, encoding="utf-8")
    told = f'{{"format": 1, "estimates": [{", ".join(estimates)}]}}'
    (home / "estimates.json").write_text(told, encoding="utf-8")
    (home / "claims.json").write_bytes(claims_file.as_bytes(claims))
    noted = receipts.together([receipt(question, scale)])
    (home / receipts.RECEIPTS).write_text(json.dumps(noted), encoding="utf-8")


def table(cells: set[tuple[str, ...]]) -> str:
    """A table that has at least these cells."""
    asked = [c for c in cells if len(c) == 2]
    rows = sorted({str(r) for r, _ in asked} | {"last value", "pow3"})
    columns = list(dict.fromkeys([*sorted({str(c) for _, c in asked}), "5 %", "20 %", "80 %"]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["method", *columns])
    writer.writerows([row, *["1.602 ± 0.010" for _ in columns]] for row in rows)
    return out.getvalue()


def receipt(question: str, scale: str) -> dict[str, object]:
    return {
        "question": question, "part": "all", "parts": ["all"], "scale": scale, "settings": "0123456789ab", "golden": [],
        "inputs": {}, "commit": "0123456789abcdef0123456789abcdef01234567", "dirty": False,
        "hardware": {"cpu": "Invented CPU", "cores": 2, "gpu": None}, "versions": {"python": "3.11.7", "numpy": "2.0"},
        "seconds": 61.2, "made": "2026-11-21", "command": f"python -m reproduce run {question} --scale {scale}",
    }  # fmt: skip
