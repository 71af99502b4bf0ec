"""What a header says: how its cells are separated, and which column holds runs, steps and values."""

import re
from dataclasses import dataclass

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import printable

STEPS = (
    "step", "steps", "epoch", "epochs", "iteration", "iterations", "iter", "global_step", "training_iteration", "_step",
)  # fmt: skip
SEPARATORS = (",", "\t", ";")
DOWNLOAD = {"wall time", "step", "value"}  # columns of TensorBoard's own CSV: one run, and no name of it
STEPS_OF_RUNS = (" - _step", " - _step__MIN", " - _step__MAX")  # columns of Weights & Biases
NUMERIC = re.compile(r"[-+]?(nan|inf|infinity)|[-+.\d][-+.,_'e\d]*%?", re.IGNORECASE)


@dataclass(frozen=True)
class Options:
    """Names of columns or keys where they are not obvious, and how cells and numbers are written.

    growing    the log is being written, so that a last line without its end is no line yet
    """

    run: str | None = None
    step: str | None = None
    value: str | None = None
    sep: str | None = None
    decimal: str = "."
    growing: bool = False

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise UserError(f"--decimal '{printable(self.decimal)}' is not known: take . or ,")
        sep = self.sep
        if sep is not None and (len(sep) != 1 or sep.isalnum() or sep in '"\r\n\0.+-' or sep == self.decimal):
            raise UserError(
                f"--sep '{printable(sep)}' cannot separate numbers: take one character such as , or ; or tab"
            )


def the_one(names: list[str], told: str | None, where: str, what: str) -> str:
    """Of several values that a log holds the one that is read: it was told, or there is no other."""
    if told is None and len(names) > 1:
        raise UserError(f"{where} holds {len(names)} {what}s: pass --value with one of {listed(names)}")
    if told is not None and told not in names:
        raise UserError(
            f"{where} has no {what} '{printable(told)}': pass --value with one of {listed(names)}"
        )
    return told or names[0]


def exact(names: list[str], taken: tuple[str, str, str], options: Options, where: str) -> None:
    """Further columns are left out only if there is no doubt about the three that are read."""
    if len(set(taken)) < 3:
        raise UserError(f"{where}: run, step and value must be three columns: choose others")
    rest = listed([name for name in names if name not in taken])
    for option, name in zip(("run", "step", "value"), taken, strict=True):
        if rest and name.lower() != option and getattr(options, option) is None:
            raise UserError(
                f"{where} has further columns ({rest}): pass --{option} {printable(name)} to leave them out"
            )


def known(names: list[str], chosen: str | None, option: str, where: str) -> None:
    """What was chosen has to be there."""
    if chosen is not None and chosen not in names:
        raise UserError(f"{where} has no '{printable(chosen)}': pass --{option} with one of {listed(names)}")


def step_name(names: list[str], chosen: str | None, where: str) -> str:
    """The name of the steps: chosen, or 'step' (so written, or else in large letters), or the only one that means a step."""
    found = [name for name in names if name.lower() in STEPS]
    if chosen is not None:
        return chosen
    for name in sorted(found, key=lambda name: name != "step"):
        if name.lower() == "step" or len(found) == 1:
            return name
    if found:
        raise UserError(f"{where} has several kinds of steps ({listed(found)}): pass --step with one of them")
    raise UserError(f"{where} has no 'step': pass --step NAME with one of {listed(names)}")


def without_spread(names: list[str]) -> list[str]:
    """Weights & Biases writes a__MIN and a__MAX beside a, and the steps of each run: they are no runs of their own."""
    beside = {f"{name}__{end}" for name in names for end in ("MIN", "MAX")}
    return [name for name in names if name not in beside and not name.endswith(STEPS_OF_RUNS)]


def two_steps(step: str, further: str, options: Options) -> str:
    """Steps are no run, unless --value asks for them."""
    if options.step:
        return (
            f"a further column of steps, '{printable(further)}': pass --value NAME, or take that column away"
        )
    both = f"'{printable(step)}' and '{printable(further)}'"
    return f"two columns of steps, {both}: pass --step NAME and --value NAME"


def header(cells: list[str], place: str) -> list[str]:
    """The names of the columns without white space around them: all there, and different in more than their case."""
    names = [cell.strip() for cell in cells]
    seen: dict[str, str] = {}
    for i, name in enumerate(names, 1):
        if not name:
            raise UserError(f"{place}: column {i} has no name: give it one (in pandas: index_label='step')")
        if name.lower() in seen:
            both = dict.fromkeys([seen[name.lower()], name])
            called = " and ".join(f"'{printable(one)}'" for one in both)
            raise UserError(f"{place}: two columns are called {called}: rename one of them")
        seen[name.lower()] = name
    return names


def bare(first: str, place: str, options: Options) -> bool:
    """Is this the first number of a column without a header? Several numbers would be a table without one."""
    text = first.replace('"', "").strip()
    cells = re.split(r"[;|\s]+" if options.decimal == "," else r"[,;|\s]+", text)
    if not any(cells) or not all(NUMERIC.fullmatch(cell) for cell in cells if cell):
        return False
    if len(cells) > 1:
        raise UserError(
            f"{place}: '{printable(text)}' has numbers where names of columns should be: write a header such as "
            f"step,a above it, and decimals with a point (or pass --decimal ,)"
        )
    chosen = options.run or options.step or options.value
    if chosen:
        raise UserError(
            f"{place} is a number, so that no column is called '{printable(chosen)}': write a header"
        )
    return True


def separator(first: str, options: Options, where: str) -> str:
    """The character that separates the cells, by the header: text in quotes does not count."""
    text = re.sub(r'"[^"]*("|$)', "", first)
    found = [sep for sep in SEPARATORS if sep in text]
    if len(found) > 1:
        wanted = {options.step.lower()} if options.step else set(STEPS)
        found = [sep for sep in found if wanted & {cell.strip(' "\r\n').lower() for cell in first.split(sep)}]
        if len(found) != 1:
            raise UserError(
                f"{where} has several separators in its header: pass --sep with the one that counts"
            )
    if options.decimal == "," and found == [","]:
        raise UserError(
            f"{where} is separated by commas, so that numbers cannot have one: leave --decimal away, or pass --sep"
        )
    return found[0] if found else ";"  # a single column: not the comma, which may be a decimal one


def listed(names: list[str]) -> str:
    """At most twelve names for a complaint."""
    more = f" and {len(names) - 12:,} more" if len(names) > 12 else ""
    return ", ".join(printable(name) for name in names[:12]) + more


def shown(sep: str) -> str:
    return {",": "','", ";": "';'", "\t": "tabs", " ": "spaces"}.get(sep, repr(sep))
