"""Runs notebook pages and stores their outputs: python -m tests.site.notebooks docs/primers/attention.ipynb ...

A notebook stores a digest of the code that made its outputs, so that a test can tell outputs that are older than the code.
"""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import nbclient
import nbformat

ROOT = Path(__file__).resolve().parents[2]
MADE_BY = "outputs_made_by"  # key of the digest in the notebook's metadata


def digest(notebook: Any) -> str:
    """Of all code cells in order, since a cell rests on those before it."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\n\n".join(code).encode()).hexdigest()[:16]


def run(notebook: Any, folder: Path, before: Path = ROOT) -> None:
    """Executes all cells in this folder, with one thread; a module is looked for in `before` first."""
    client = nbclient.NotebookClient(
        notebook,
        timeout=600,
        startup_timeout=600,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=os.environ | {"PYTHONPATH": f"{before}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1"})


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        notebook = nbformat.read(path, as_version=4)
        language = notebook.metadata.get("language_info")
        run(notebook, path.parent)
        notebook.metadata.language_info = (
            language  # names the Python of this machine, of which no output speaks
        )
        notebook.metadata[MADE_BY] = digest(notebook)
        nbformat.write(notebook, path)
        print(f"{path}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells run")
