"""Three properties of the simulator's noise left out together: it is as large as on the paper's prior, does not shrink by
itself, and is not autocorrelated. Left out one by one, none of thirteen properties clearly mattered.
"""

from dataclasses import replace

import pandas as pd

from curvecast.training.train import TrainConfig
from presswork import Above, Claim, Estimates, Interval, there
from reproduce.new_data.prior_features import beliefs

THREE = ("quiet noise", "falling noise", "memory")
SCORES = ("seed", "row", "curve", "seen", "crps", "in90")


def without_three(new: TrainConfig, seed: int) -> TrainConfig:
    return replace(new, seed=seed, prior=replace(new.prior, without=THREE))


def estimates(rows: pd.DataFrame, loud: pd.DataFrame, seeds: dict[str, int]) -> Estimates:
    """By the names of the claims, what the three bring: points of coverage, and the CRPS without them over that with them;
    and what the new prior brings without them, beside the paper's. Seeds and sources vary."""
    full = rows[rows["method"].isin([*seeds])]
    old = rows[rows["method"] == "old"].assign(seed=0, network="old")
    if full.empty or loud.empty or old.empty:
        return {}
    full = full.assign(seed=full["method"].map(seeds), network="full")
    every = pd.concat([full, loud.assign(network="loud"), old])
    each = every.groupby(["network", "seed", "row", "curve"], as_index=False)[["crps", "in90"]].mean()
    covered = beliefs.by_source(each.groupby(["network", "seed", "row"])["in90"].mean().unstack())
    more = (100 * (covered.loc["full"] - covered.loc["loud"])).dropna()
    without = 100 * (covered.loc["loud"] - covered.loc["old"].iloc[0])
    return there({
        "raised_without_three": Interval.of_seeds_and_curves(without),
        "three_raise_coverage": Interval.of_seeds_and_curves(more),
        "three_lower_crps": beliefs.factors(each, "full").get("loud"),
    })  # fmt: skip


def claims() -> list[Claim]:
    without = "without small, shrinking and autocorrelated noise in its simulator"
    return [
        Claim("raised_without_three", "Does the 90 % interval of a small network of the new prior cover more of real curves "
              f"than that of one of the paper’s prior, even {without}?",
              "raised_without_three", Above(0), "points"),
        Claim("three_raise_coverage", "Does the 90 % interval of a small network of the new prior cover more of real curves "
              f"than that of one {without}?", "three_raise_coverage", Above(0), "points"),
        Claim("three_lower_crps", "On real curves, is the CRPS of a small network of the new prior lower than that of one "
              f"{without}?", "three_lower_crps", Above(1), "×"),
    ]  # fmt: skip
