"""A program that answers another one: a request a line comes in, an answer a line goes out, both JSON."""

import contextlib
import json
import os
import sys
from collections.abc import Callable


def answer(make: Callable[[], object]) -> None:
    """Each method of what is made answers one kind of request, named by `do`."""
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):  # a package talks; answers keep a line of their own
        answering = make()
        for line in sys.stdin:
            request = json.loads(line)
            found = getattr(answering, request.pop("do"))(**request)
            print(json.dumps(found), file=answers, flush=True)
