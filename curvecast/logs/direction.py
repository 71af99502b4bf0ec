"""Is higher better, or lower, by the names of what was measured? A loss that is read as an accuracy is forecast upside down,
so the user has to say."""

import re

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.columns import listed

# words of names, beside all that end in "loss"
LOSSES = "err error errors merror l1 l2 kl nll perplexity ppl mse rmse rmsle mae mape wer cer bpc entropy"
REWARDS = ("reward", "rewards", "rew")
HELD_OUT = re.compile("val|test", re.IGNORECASE)  # eval too


def ask(names: list[str], runs: list[str] | None = None) -> None:
    """Complain if no metric was given and a name sounds as if lower were better.

    names   of what was measured: columns, keys, tags
    runs    names of the runs, where these are others
    """
    for name in names:
        own = f"'{printable(name)}' has a scale of its own, as rewards do"
        way = "pass --bounds none 500, with the highest that is possible in place of 500, or --metric"
        no_reward = less_is_better(name) or accuracy(name)
        demand(no_reward or not set(_words(name)) & set(REWARDS), f"{own}: {way}")
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
    for_all = "" if any(map(accuracy, others)) else ", or pass --metric for all"
    raise UserError(f"{looks}, and '{other}' does not: choose one, such as --value '{other}'{for_all}")


def ask_one_kind(names: list[str]) -> None:
    """Complain if losses and accuracies, by these names, are to be forecast with one metric, and ranked together."""
    losses, accuracies = list(filter(less_is_better, names)), list(filter(accuracy, names))
    if losses and accuracies:
        looks = f"'{printable(losses[0])}' looks like a loss"
        both = f"{looks}, and '{printable(accuracies[0])}' like an accuracy"
        raise UserError(f"{both}: pass --value with one of {listed([*dict.fromkeys(names)])}")


def accuracy(name: str) -> bool:
    return "acc" in name.lower() and not less_is_better(name)


def less_is_better(name: str) -> bool:
    return any(word in LOSSES.split() or word.endswith(("loss", "losses")) for word in _words(name))


def _words(name: str) -> list[str]:
    """Of letters alone, and with digits: loss1 is a loss, and l2 another one than l."""
    return re.split(r"[^a-z]+", name.lower()) + re.split(r"[^a-z0-9]+", name.lower())
