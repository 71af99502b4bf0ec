"""Is higher better, or lower? A loss that is read as an accuracy is forecast upside down, so the user has to say."""

import re

from curvecast.ground.errors import UserError, demand, printable

# words of names, beside all that end in "loss"
LOSSES = "err error errors nll perplexity ppl mse rmse mae mape wer cer bpc entropy".split()  # noqa: SIM905
HELD_OUT = re.compile("val|test", re.IGNORECASE)  # eval too


def ask(names: list[str], runs: list[str] | None = None) -> None:
    """Complain if no metric was given and a name sounds as if lower were better.

    names   of what was measured: columns, keys, tags
    runs    names of the runs, where these are others
    """
    losses = [name for name in names if less_is_better(name)]
    which = "pass --metric loss or --metric error, or --metric accuracy if higher is better"
    if not losses:
        for run in filter(less_is_better, runs or []):
            sounds = f"the run '{printable(run)}' sounds like a metric where lower is better"
            otherwise = "pass --metric accuracy if higher is better, or --metric loss or error"
            raise UserError(f"{sounds}: {otherwise}")
        return
    looks = f"'{printable(losses[0])}' looks like a metric where lower is better"
    others = [name for name in names if name not in losses]
    demand(others, f"{looks}: {which}")
    chosen = next((name for name in others if HELD_OUT.search(name)), others[0])
    other = printable(chosen, 200)  # whole, to be pasted
    choose = f"choose one, such as --value '{other}', or pass --metric for all"
    raise UserError(f"{looks}, and '{other}' does not: {choose}")


def less_is_better(name: str) -> bool:
    words = re.split(r"[^a-z]+", name.lower())
    return any(word in LOSSES or word.endswith(("loss", "losses")) for word in words)
