"""Guards scaling_laws.py on a made-up clone: which points are given, what is refused, and that one table comes out."""

import pickle

import numpy as np
import pytest

from curvecast.__main__ import main
from curvecast.curves import gzip_table
from curvecast.curves.sources import scaling_laws
from curvecast.ground.errors import UserError

HEAD = "Domain,Task,Model,Seen Examples,Loss,Training\n"
VISION = (
    HEAD
    + "IC,inet_5,ViT,300,0.2,0\nIC,inet_5,ViT,100,0.4,1\nIC,inet_5,ViT,200,0.3,1\nIC,inet_5,ViT,400,0.1,0\n"
)
LANGUAGE = HEAD + "BB,date,262M,1,0.9,1\nBB,date,262M,2,0.8,1\nBB,date,262M,4,0.7,0\n"
STEPS = np.arange(1.0, 10)
DESCENT = [("cifar10", "Model Size", "Test Error", STEPS, 1 / STEPS)]


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone" / "data"
    folder.mkdir(parents=True)
    (folder / "benchmark.vision.csv").write_text(VISION)
    (folder / "benchmark.lang.csv").write_text(LANGUAGE)
    (folder / "dd_data.pkl").write_bytes(
        pickle.dumps(DESCENT, protocol=3).replace(b"numpy._core", b"numpy.core")
    )
    for kind in ("min", "final"):
        np.save(folder / f"{kind}_val_loss_over_n_embd.npy", np.linspace(3, 2, 8)[None])
    np.savez(folder / "colpret.npz", opt=np.stack([STEPS, 2 / STEPS]))
    return folder.parent


def test_what_is_given_is_what_the_benchmark_gives(clone):
    """By a column in its tables; half of the points, or six of seven widths, elsewhere. Those given come first."""
    found = {(curve.part, curve.task): curve for curve in scaling_laws.read(clone)}
    assert found["images", "inet_5"].steps.tolist() == [100, 200, 300, 400]
    assert found["images", "inet_5"].values.tolist() == [0.4, 0.3, 0.2, 0.1]
    given = {key: (curve.given, len(curve.steps)) for key, curve in found.items()}
    assert given == {
        ("images", "inet_5"): (2, 4), ("BIG-Bench", "date"): (2, 3), ("double descent", "cifar10"): (5, 9),
        ("nanoGPT", "min loss"): (6, 7), ("nanoGPT", "final loss"): (6, 7), ("ColPret", "training"): (5, 9),
    }  # fmt: skip


def test_one_table_comes_out_and_another_one_is_told(clone, tmp_path, capsys):
    assert main(["convert", "scaling_laws", str(clone), str(tmp_path / "out")]) == 1
    assert "differs from the published table" in capsys.readouterr().err
    table = gzip_table.read(tmp_path / "out" / scaling_laws.ORIGIN.file, ("part",), ("step", "value", "given"))  # fmt: skip
    assert len(table) == 4 + 3 + 9 + 7 + 7 + 9 and table["given"].sum() == 2 + 2 + 5 + 6 + 6 + 5


@pytest.mark.parametrize(("file", "data", "complaint"), [
    ("dd_data.pkl", pickle.dumps([("a", "b", "c", print, STEPS)], protocol=3), "asks for .*print"),
    ("dd_data.pkl", b"no pickle", "dd_data.pkl is not laid out as at commit"),
    ("benchmark.lang.csv", HEAD + "BB,date,262M,1,much,1\n", "benchmark.lang.csv is not laid out"),
    ("benchmark.lang.csv", HEAD + "BB,date,262M,1,0.5,1\n", "BIG-Bench, date, 262M is not laid out"),
    ("benchmark.lang.csv", LANGUAGE.replace("0.8", "-1"), "BIG-Bench, date, 262M is not laid out"),
    ("min_val_loss_over_n_embd.npy", b"", "min_val_loss_over_n_embd.npy is not laid out"),
    ("colpret.npz", b"PK", "colpret.npz is not laid out"),
])  # fmt: skip
def test_another_layout_is_told_and_no_code_runs(clone, file, data, complaint):
    (clone / "data" / file).write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(UserError, match=complaint):
        list(scaling_laws.read(clone))


def test_a_clone_that_lacks_a_file_is_told(clone):
    (clone / "data" / "colpret.npz").unlink()
    with pytest.raises(UserError, match=r"has no data/colpret\.npz: git clone"):
        list(scaling_laws.read(clone))
