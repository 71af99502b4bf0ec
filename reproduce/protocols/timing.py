"""Timing programs in turns, so that whatever else the machine does meets all of them alike."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import torch

ROUNDS = 9  # with nine, the 95 % interval of the median leaves out the two extreme rounds

Key = TypeVar("Key")
Found = TypeVar("Found")


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def core_seconds(work: Callable[[], object]) -> float:
    """Of the processor: comparable while other processes work beside.

    Where processor time is limited its clock ticks every few milliseconds, so what took no time is done again.
    """
    begin, times, took = time.process_time(), 0, 0.0
    while not took:
        work()
        times, took = times + 1, time.process_time() - begin
    return took / times


@contextmanager
def threads(count: int = 1) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def in_turns(turns: Mapping[Key, Callable[[], Found]], rounds: int) -> Iterator[tuple[int, Key, Found]]:
    """In each round everyone has one turn; the first round warms up and is not told."""
    for number in range(rounds + 1):
        for who, turn in turns.items():
            result = turn()
            if number:
                yield number, who, result
