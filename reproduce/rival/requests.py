"""The other end of partner.py: a line of JSON comes in and names a method, its answer goes out as a line of JSON."""

import contextlib
import json
import os
import sys
from collections.abc import Callable


def serve(make: Callable[[], object]) -> None:
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):  # a package talks; answers keep a line of their own
        asked = make()
        for line in sys.stdin:
            request = json.loads(line)
            answer = getattr(asked, request.pop("do"))(**request)
            print(json.dumps(answer), file=answers, flush=True)
