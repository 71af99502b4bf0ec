"""Guards scaling_prior.py, log_axes.py and scaling_laws.py: laws are what they are said to be, and which points are given."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch

from curvecast.__main__ import main
from curvecast.curves import gzip_table, scaling_prior
from curvecast.curves.laws.growth import Dice
from curvecast.curves.scaling_prior import ScalingPrior
from curvecast.curves.sources import scaling_laws
from curvecast.ground.log_axes import LogScale
from curvecast.training.scaling_curves import asked
from tests.curvecast.refusals import refuses

PLAIN = ScalingPrior(breaks=(), plateau=0, wiggles=0, spikes=0, records=0, log_noise=(-40, -39))


def test_the_scale_goes_there_and_back_with_its_slope():
    scale, z = LogScale.of(np.log(1.5 + 40 * np.geomspace(1e3, 1e6, 20) ** -0.4)), np.linspace(-3, 8, 50)
    assert np.allclose(scale.back(scale.to(z)), z)
    slope = (scale.to(z + 1e-6) - scale.to(z - 1e-6)) / 2e-6
    assert np.allclose(np.log(np.abs(slope)), scale.log_slope(z), atol=1e-5)
    numbers = np.array([-0.5, 0.0, 0.01, 0.9])
    assert np.allclose(scale.exponent(scale.of_exponent(numbers, 7.0), 7.0), numbers)
    assert np.allclose(scale.floor(scale.of_floor(z)), z)


def test_the_law_that_is_asked_for_is_that_of_the_curve_on_the_scale_of_what_was_seen():
    curves = scaling_prior.sample(ScalingPrior(), 100, 30, 4, torch.Generator().manual_seed(0))
    for until in (5, 30):
        *_, targets, _ = (part.numpy() for part in asked(curves, until))
        scale = LogScale.of(curves.z[:, :until].double().numpy())
        assert np.allclose(scale.floor(targets[:, -2:-1]), curves.floor.numpy(), atol=1e-3)
        exponent = scale.exponent(targets[:, -1:], curves.end.numpy())
        assert np.allclose(exponent, curves.exponent.numpy(), atol=1e-4)


def test_a_curve_without_a_break_is_a_power_law_above_its_floor():
    curves = scaling_prior.sample(PLAIN, 200, 30, 20, torch.Generator().manual_seed(0))
    above = (curves.z.double().exp() - curves.floor.double().exp()).log()
    slope = (above[:, 10] - above[:, 0]) / (curves.l[:, 10] - curves.l[:, 0])
    usual = curves.floor[:, 0] < curves.z[:, -1] + math.log(0.9)  # else too few digits are left
    exponent = curves.exponent[usual, 0].double()
    assert usual.sum() > 100 and torch.allclose(-slope[usual], exponent, rtol=0.02, atol=1e-3)


def test_a_plateau_lowers_the_floor_as_it_lowers_all_values():
    late = replace(PLAIN, plateau=1.0, decades=(25.0, 26.0), slopes=(0.5, 0.6), floor=(1e6, 1e7))
    curves = scaling_prior.sample(late, 100, 20, 20, torch.Generator().manual_seed(0))
    assert (curves.z_query - curves.floor).abs().median() < 1e-3


def test_the_last_slope_of_a_broken_line_is_its_exponent():
    dice, end = Dice(300, torch.Generator().manual_seed(0)), torch.full((300, 1), 5.0)
    places = torch.tensor([[0.0, 60.0, 61.0]]).expand(300, 3)
    z, exponent = scaling_prior.bent(ScalingPrior(breaks=(1.0, 0.5, 0.5)), places, end, dice)
    assert torch.allclose(z[:, 1] - z[:, 2], exponent[:, 0], atol=1e-3)
    assert (exponent < 0).any()
    assert z[:, 0].abs().max() < 1e-6


def test_records_are_the_best_so_far_and_the_others_are_all_there():
    generator = torch.Generator().manual_seed(0)
    noisy = ScalingPrior(records=1.0, log_noise=(-3, -2))
    curves = scaling_prior.sample(noisy, 100, 40, 5, generator)
    falls = torch.where(curves.mask[:, 1:], curves.z.diff(dim=1), 0.0)
    # the others have too few of them
    assert (falls <= 0).all(1).float().mean() > 0.7 and (~curves.mask).any()
    every = scaling_prior.sample(replace(noisy, records=0.0), 100, 40, 5, generator)
    assert every.mask.all() and (every.z.diff(dim=1) > 0).float().mean() > 0.2
    assert (every.l.diff(dim=1) >= 0).all()
    assert (every.l_query > every.l[:, -1:]).all()
    assert (every.l_query <= every.end).all()


HEAD = "Domain,Task,Model,Seen Examples,Loss,Training\n"
IMAGES = (("300,0.2", 0), ("100,0.4", 1), ("200,0.3", 1), ("400,0.1", 0))
VISION = HEAD + "".join(f"IC,inet_5,ViT,{point},{given}\n" for point, given in IMAGES)
LANGUAGE = HEAD + "BB,date,262M,1,0.9,1\nBB,date,262M,2,0.8,1\nBB,date,262M,4,0.7,0\n"
STEPS = np.arange(1.0, 10)
DESCENT = [("cifar10", "Model Size", "Test Error", STEPS, 1 / STEPS)]


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone" / "data"
    folder.mkdir(parents=True)
    (folder / "benchmark.vision.csv").write_text(VISION)
    (folder / "benchmark.lang.csv").write_text(LANGUAGE)
    descent = pickle.dumps(DESCENT, protocol=3).replace(b"numpy._core", b"numpy.core")
    (folder / "dd_data.pkl").write_bytes(descent)
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
    written = tmp_path / "out" / scaling_laws.ORIGIN.file
    table = gzip_table.read(written, ("part",), ("step", "value", "given"))
    assert len(table) == 4 + 3 + 9 + 7 + 7 + 9 and table["given"].sum() == 2 + 2 + 5 + 6 + 6 + 5


@pytest.mark.parametrize(("file", "data", "complaint"), [
    ("dd_data.pkl", pickle.dumps([("a", "b", "c", print, STEPS)], protocol=3), "asks for .*print"),
    ("dd_data.pkl", b"no pickle", "dd_data.pkl is not laid out as at commit"),
    ("benchmark.lang.csv", HEAD + "BB,date,262M,1,much,1\n", "benchmark.lang.csv is not laid out"),
    ("benchmark.lang.csv", HEAD + "BB,date,262M,1,0.5,1\n", "BIG-Bench, date, 262M is not laid out"),
    ("benchmark.lang.csv", LANGUAGE.replace("0.8", "-1"), "BIG-Bench, date, 262M is not laid out"),
    ("min_val_loss_over_n_embd.npy", b"", "min_val_loss_over_n_embd.npy is not laid out"),
    ("colpret.npz", b"PK", "colpret.npz is not laid out"), ("colpret.npz", None, r"has no data/colpret\.npz: git clone"),
])  # fmt: skip
def test_another_layout_and_a_missing_file_are_told_and_no_code_runs(clone, file, data, complaint):
    (clone / "data" / file).unlink()
    if data is not None:
        (clone / "data" / file).write_bytes(data if isinstance(data, bytes) else data.encode())
    refuses(complaint, lambda: list(scaling_laws.read(clone)))
