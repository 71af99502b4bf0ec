"""A config is a small frozen dataclass; its hash names whatever was made from it.

Standard library only. A field that is added later is declared with `later(default)`: while it has its default,
which means 'as before', it is left out of the canonical form, so that older hashes and weights stay valid.
"""

import dataclasses
import hashlib
import json
import typing
from typing import Any

from curvecast.ground.errors import UserError


def later(default: Any) -> Any:
    """A field that older configs lack: left out of the hash while it has its default."""
    return dataclasses.field(default=default, metadata={"as_before": default})


def plain(config: Any) -> Any:
    """Nested dataclasses and tuples as plain JSON values."""
    if dataclasses.is_dataclass(config):
        return {
            field.name: plain(getattr(config, field.name))
            for field in dataclasses.fields(config)
            if not (
                "as_before" in field.metadata and getattr(config, field.name) == field.metadata["as_before"]
            )
        }
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


def restore(cls: type, values: dict[str, Any]) -> Any:
    """The inverse of `plain`: unknown fields are an error, missing ones take their default.

    A field that may hold configs of several classes is read as the class of its default.
    """
    types = typing.get_type_hints(cls)
    types |= {f.name: type(f.default) for f in dataclasses.fields(cls) if dataclasses.is_dataclass(f.default)}
    if unknown := sorted(set(values) - set(types)):
        otherwise = "is it of another kind of training, or of a newer curvecast?"
        raise UserError(f"{cls.__name__} has no field {unknown[0]!r}; {otherwise}")
    return cls(**{name: _value(types[name], value) for name, value in values.items()})


def _value(kind: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(kind) and isinstance(value, dict):
        return restore(typing.cast(type, kind), value)
    return tuple(value) if isinstance(value, list) else value
