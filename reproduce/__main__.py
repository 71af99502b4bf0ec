"""`python -m reproduce …`, as receipts name it: the commands of presswork, for this blog."""

import os
from pathlib import Path

os.environ.setdefault("PRESSWORK_BLOG", str(Path(__file__).resolve().parents[1]))

from presswork.__main__ import start  # once it is said for which blog

if __name__ == "__main__":
    start()
