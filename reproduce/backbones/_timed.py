"""Seconds of one core: comparable while other processes work beside."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


@contextmanager
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
