"""Runs notebook pages and stores their outputs: python -m tests.site.notebooks docs/primers/attention.ipynb ...

A notebook stores a digest of the code that made its outputs, so that a test can tell outputs that are older than the code.
"""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def kernel(before: Path = ROOT) -> Iterator[nbclient.NotebookClient]:
    """With one thread; a module is looked for in `before` first."""
    how = {"timeout": 600, "startup_timeout": 600, "record_timing": False, "coalesce_streams": True}
    client = nbclient.NotebookClient(nbformat.v4.new_notebook(), **how)
    path = f"{before}{os.pathsep}{ROOT}"
    with client.setup_kernel(env=os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}):
        yield client


def run(notebook: Any, folder: Path, client: nbclient.NotebookClient) -> None:
    """Executes all cells in this folder; of notebooks before, the kernel has kept imports alone."""
    anew = nbformat.v4.new_code_cell(f"%reset -f\nimport os; os.chdir({str(folder)!r}); del os")
    client.nb = nbformat.v4.new_notebook(cells=[anew, *notebook.cells], metadata=notebook.metadata)
    client.reset_execution_trackers()
    for place, cell in enumerate(client.nb.cells):
        number = sum(one.cell_type == "code" for one in client.nb.cells[:place])
        client.execute_cell(cell, place, execution_count=number)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        notebook = nbformat.read(path, as_version=4)
        language = notebook.metadata.get("language_info")
        with kernel() as client:
            run(notebook, path.parent, client)
        notebook.metadata.language_info = (
            language  # names the Python of this machine, of which no output speaks
        )
        notebook.metadata[MADE_BY] = digest(notebook)
        nbformat.write(notebook, path)
        print(f"{path}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells run")
