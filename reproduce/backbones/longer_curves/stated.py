"""The claims: differences between ways of reading a curve, and between trainings, with intervals over seeds."""

import pandas as pd

from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import minus, where
from reproduce.backbones.longer_curves.rescaled import LONGER, TRAINED

ON_IT = "trained on this length"


def ahead(rows: pd.DataFrame, name: str, length: int, way: str, over: str) -> Interval | None:
    """The difference between two ways of reading, with an interval over seeds."""
    mine = where(rows, backbone=name, length=length)
    return Interval.of_mean(minus(mine, "way", way, over, "ll", by="seed"))


def claims(rows: pd.DataFrame, lengths: tuple[int, ...]) -> list[Claim]:
    """`breaks` asks whether a network does without thinning: yes where reading a curve as it is costs little."""
    encoder = "encoder", "transformer, encoder", "a transformer encoder"
    decoder = "decoder", "transformer, decoder", "a transformer decoder"
    lstm, s4 = ("lstm", "LSTM", "an LSTM"), ("s4", "S4, HiPPO", "an S4 network")
    mamba = "mamba_2", "Mamba-2", "a Mamba-2 network"
    many, stated = max(lengths), []
    for length, when in ((4 * TRAINED, "four_times"), (many, "longest")):
        for part, name, words in (encoder, decoder, lstm, s4, mamba):
            asks = f"Trained on {TRAINED} epochs, does {words} read curves of {length:,} about as well as thinned ones?"
            found = ahead(rows, name, length, "thinned", "as it is")
            stated.append(Claim(f"{part}_breaks_at_{when}", asks, found, AtMost(0.1), "nats per point"))
    for part, name, words in (encoder, decoder, lstm, s4, mamba):
        asks = f"On rescaled curves of {many:,} epochs, does {words} score higher with all points than with twenty?"
        found = ahead(rows, name, many, "rescaled", "thinned")
        stated.append(Claim(f"{part}_gains_by_more_points", asks, found, Above(0), "nats per point"))
    for length in LONGER:
        for part, name, words in (encoder, decoder, lstm, s4):
            asks = (
                f"On curves of {length:,} epochs, does {words} that was trained on this length score higher than one that "
                f"was trained on {TRAINED} epochs and reads twenty points?"
            )
            found = ahead(rows, name, length, ON_IT, "thinned")
            stated.append(
                Claim(f"{part}_gains_by_training_on_{length}", asks, found, Above(0), "nats per point")
            )
    return stated
