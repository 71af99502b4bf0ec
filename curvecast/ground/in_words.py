"""Numbers of a forecast as people read them."""

import math


def percent(chance: float) -> str:
    if 0 < chance < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < chance < 1 else f"{100 * chance:.0f} %"


def plus_minus(value: float, half: float) -> str:
    """A value and half of its band, with as many digits as the band bears: one, and two where it begins with 1."""
    if not half > 0:
        return f"{value:.4g}"
    power = math.floor(math.log10(half))
    if float(f"{half:.0e}") >= 10 ** (power + 1):  # 0.096 is 0.1
        power += 1
    decimals = (1 if half < 2 * 10.0**power else 0) - power
    if decimals > 0:
        return f"{value:.{decimals}f} ± {half:.{decimals}f}"
    return f"{round(value, decimals):.0f} ± {round(half, decimals):.0f}"
