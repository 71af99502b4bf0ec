"""Guards reproduce/protocols/timing.py: who has a turn when, and which rounds are compared."""

import pandas as pd
import pytest
import torch

from reproduce.protocols.timing import core_seconds, in_turns, middle, ratios, seconds, threads


def test_all_take_turns_and_the_first_round_is_not_told():
    said = []
    turns = {name: (lambda name=name: said.append(name) or len(said)) for name in "ab"}
    assert list(in_turns(turns, 2)) == [(1, "a", 3), (1, "b", 4), (2, "a", 5), (2, "b", 6)]
    assert "".join(said) == "ababab"


def test_work_is_done_once_and_takes_time():
    done = []
    for clock in (seconds, core_seconds):
        assert clock(lambda: done.append(1)) >= 0
    assert len(done) == 2


def test_threads_are_given_back_whatever_happens():
    before = torch.get_num_threads()
    with pytest.raises(ValueError, match="invalid literal"), threads():
        int(f"only {torch.get_num_threads()}")
    assert torch.get_num_threads() == before


def test_ratios_are_of_the_same_round_and_of_pairs_that_were_measured():
    rows = pd.DataFrame([
        {"program": program, "round": number, "seconds": number * times}
        for program, times in (("ours", 1.0), ("theirs", 3.0)) for number in (1, 2)
    ])  # fmt: skip
    pairs = {"slower": (("theirs",), ("ours",)), "unknown": (("theirs",), ("nobody",))}
    assert ratios(rows, ("program",), "seconds", pairs) == {"slower": [3.0, 3.0]}
    assert ratios(rows[:0], ("program",), "seconds", pairs) == {}


def test_the_middle_has_an_interval_where_rounds_are_enough():
    assert middle([1.0, 2.0, 3.0]) == "2.00"
    assert middle([float(i) for i in range(1, 10)]) == "5.00 [2.00, 8.00]"
