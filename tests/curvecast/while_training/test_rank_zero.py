"""Guards curvecast/while_training/rank_zero.py, with two processes of torch.distributed."""

import subprocess
import sys
from pathlib import Path

from curvecast.while_training import rank_zero

ROOT = Path(__file__).resolve().parents[3]
PROCESS = """
import sys
from torch import distributed
from curvecast.while_training.rank_zero import decides
rank, where = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{where}", rank=rank, world_size=2)
print([decides(rank == 0), decides(rank == 1), decides(True)])
distributed.destroy_process_group()
"""


def test_all_processes_follow_the_first(tmp_path):
    """Whatever they think themselves."""
    command = [sys.executable, "-W", "ignore", "-c", PROCESS]
    both = [
        subprocess.Popen(
            [*command, str(rank), str(tmp_path / "meet")], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for rank in (0, 1)
    ]
    assert [one.communicate(timeout=600)[0].strip() for one in both] == ["[True, False, True]"] * 2


def test_a_process_alone_decides_itself(monkeypatch):
    """Also without torch, as with Keras on JAX or TensorFlow."""
    assert rank_zero.decides(True) and not rank_zero.decides(False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert rank_zero.decides(True) and not rank_zero.decides(False)
