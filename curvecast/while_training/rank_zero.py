"""Several processes train one network: the first decides, and all follow, so that none waits for one that has stopped."""

import sys
from typing import Any


def decides(stop: bool, device: Any = None) -> bool:
    """What the first process says. Each process has to ask, each time, whatever it thinks itself."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)  # Keras may train without torch
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return stop
    if distributed.get_world_size() == 1:
        return stop
    told = [stop]
    distributed.broadcast_object_list(told, src=0, device=device)
    return bool(told[0])
