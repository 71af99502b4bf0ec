"""What an answer is made on: processor, graphics card, versions of the libraries."""

import functools
import os
import platform
import resource
import sys
from pathlib import Path
from typing import Any

from presswork.ground.blog import BLOG

# Of a process that trains: one thread, and without the others glibc gives memory back after each step and asks for it again
# in the next one, which takes 5 % of the time.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "MKL", "OPENBLAS")}
ONE_THREAD |= dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), str(2**33))
ONE_THREAD |= {"MALLOC_ARENA_MAX": "1"}


def hardware() -> dict[str, Any]:
    torch = sys.modules.get("torch")  # not imported just for this: without it no GPU was used
    gpu = torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None
    return {"cpu": _cpu(), "cores": cores(), "gpu": gpu}


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_gb() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def peak_mb() -> int:
    """The most memory that this process has held so far, or one that it started and waited for."""
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return round(peak / (1e6 if sys.platform == "darwin" else 1e6 / 1024))


def core_seconds() -> float:
    """Of this process so far, and of those that it started and waited for: a busy machine makes them no longer."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


@functools.cache  # asked for each part of an answer
def versions() -> dict[str, str]:
    every = {library: BLOG.version(library) for library in BLOG.libraries}
    return {library: version for library, version in every.items() if version != "unknown"}


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
