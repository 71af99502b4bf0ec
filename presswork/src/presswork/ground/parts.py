"""The names of the parts of a question, made from values, and the values that each stands for."""

import re
from collections.abc import Callable
from itertools import product
from string import Formatter
from typing import Any

from presswork.ground.errors import UserError


def combined(templates: Any, config: Any, line: Callable[[str], str]) -> dict[str, dict[str, Any]]:
    """Each template with each value of the fields that it names; the last field is the outermost loop.

    "{row}-{seed}" is each of config.rows with the first of config.seeds, then with the second: a run that is cut short has
    whole seeds. A number counts from 0, a dict stands for its keys."""
    made: dict[str, dict[str, Any]] = {}
    for template in (templates,) if isinstance(templates, str) else templates:
        fields = [field for _, field, _, _ in Formatter().parse(template) if field][::-1]
        choices: list[Any] = []
        for field in fields:
            several = getattr(config, f"{field}s", getattr(config, field, None))
            if several is None:
                misses = f"PARTS names {{{field}}}, but Config has neither {field}s nor {field}."
                raise UserError(f"{line('PARTS')}: {misses}")
            choices.append(range(several) if isinstance(several, int) else several)
        for values in product(*choices):
            given = dict(zip(fields, values, strict=True))
            name = template.format(**{field: file_name(value) for field, value in given.items()})
            if name in made:
                both = f"{made[name]} and {given} are both the part {name!r}"
                raise UserError(f"{line('PARTS')}: {both}: rename one.")
            made[name] = given
    return made


def file_name(value: object) -> str:
    """A value as a piece of the name of a file: "encoder–decoder, attention" -> "encoder-decoder.attention" """
    return re.sub(r"[^\w.-]+", "_", f"{value}".replace("–", "-").replace(", ", "."), flags=re.ASCII)
