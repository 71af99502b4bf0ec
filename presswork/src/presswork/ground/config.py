"""A config is a small frozen dataclass; its hash names whatever was made from it.

Standard library only. A field that is added later is declared with `later(default)`: while it has its default,
which means 'as before', it is left out of the canonical form, so that older hashes and weights stay valid.
"""

import dataclasses
import hashlib
import json
from typing import Any


def later(default: Any) -> Any:
    """A field that older configs lack: left out of the hash while it has its default."""
    return dataclasses.field(default=default, metadata={"as_before": default})


def plain(config: Any) -> Any:
    """Nested dataclasses and tuples as plain JSON values."""
    if dataclasses.is_dataclass(config):
        every = [(field, getattr(config, field.name)) for field in dataclasses.fields(config)]
        told = [(f.name, x) for f, x in every if x != f.metadata.get("as_before", dataclasses.MISSING)]
        return {name: plain(value) for name, value in told}
    if isinstance(config, dict):
        return {str(key): plain(value) for key, value in config.items()}
    if isinstance(config, (list, tuple)):
        return [plain(value) for value in config]
    return config


def canonical(config: Any) -> str:
    """The one JSON text of a config: sorted keys, no spaces."""
    return json.dumps(plain(config), sort_keys=True, separators=(",", ":"))


def digest(config: Any, **more: Any) -> str:
    """Twelve hex digits of a hash over a config and, if given, `more` values."""
    text = canonical(config) + (canonical(more) if more else "")
    return hashlib.sha256(text.encode()).hexdigest()[:12]
