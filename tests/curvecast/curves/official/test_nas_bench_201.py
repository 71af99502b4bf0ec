"""Guards curvecast/curves/official/nas_bench_201.py, on made-up files: 2 cells, one of which lacks a seed."""

import bz2
import io
import pickle
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

from curvecast.curves.official import nas_bench_201
from curvecast.ground.errors import UserError


def trained(seeds, lacks=()):
    runs = OrderedDict()
    for dataset, (split, _) in nas_bench_201.SPLITS.items():
        for seed in seeds:
            values = {
                f"{split}@{e}": np.float64(10 + seed / 100 + e / 10) for e in range(200) if e not in lacks
            }
            runs[dataset, seed] = {
                "train_acc1es": {0: 9.0},
                "eval_acc1es": values | {"x-test@199": 90.0},
                "net": None,
            }
    return {"arch_str": "|none~0|", "all_results": runs}


def held(long="200", short="12"):
    cells = {1: {short: {}, long: trained([888])}, 0: {short: {}, long: trained([999, 777])}}
    return {
        "meta_archs": ["|none~0|", "|skip~0|"],
        "arch2infos": OrderedDict(cells),
        "evaluated_indexes": {0, 1},
    }


@pytest.fixture(params=["pbz2", "old torch", "new torch", "folder"])
def published(request, tmp_path):
    """Each form in which it can be had."""
    if request.param == "pbz2":
        path = tmp_path / "NATS-tss-v1_0-3ffb9.pickle.pbz2"
        path.write_bytes(bz2.compress(pickle.dumps(held())))
        return path
    if request.param == "folder":
        for number, cell in held()["arch2infos"].items():
            (tmp_path / f"{number:06}.pickle.pbz2").write_bytes(bz2.compress(pickle.dumps(cell)))
        (tmp_path / "meta.pickle.pbz2").write_bytes(b"not read")
        return tmp_path
    path, cells = tmp_path / "made_up.pth", held("full", "less")
    if request.param == "old torch":
        path.write_bytes(
            b"".join(pickle.dumps(one, 2) for one in (119547037146038801333356, 1001, {}, cells, []))
        )
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps(cells, 2))
            archive.writestr("archive/version", "3")
    return path


def test_each_form_gives_the_same_curves(published):
    """Two seeds of one cell and one of the other, 200 epochs from 1, percent as fractions."""
    found = nas_bench_201.load(published)
    assert list(found.about["curve_id"]) == [
        f"cifar10-valid/{one}" for one in ("00000/777", "00000/999", "00001/888")
    ]
    assert list(found.about["group"]) == ["cifar10-valid/00000"] * 2 + ["cifar10-valid/00001"]
    assert list(found.about["n_points"]) == [200] * 3 and list(found.points["step"][:200]) == list(
        range(1, 201)
    )
    assert found.points["value"][0] == pytest.approx(0.1777) and found.points["value"][199] == pytest.approx(
        0.3767
    )
    assert set(found.about["higher_is_better"]) == {1} and set(found.about["licence"]) == {"MIT"}


@pytest.mark.parametrize("dataset", ["cifar100", "ImageNet16-120"])
def test_validation_and_test_data_together_are_named_so(tmp_path, dataset):
    """These two have no validation accuracy of each epoch."""
    path = tmp_path / "a.pickle.pbz2"
    path.write_bytes(bz2.compress(pickle.dumps(held())))
    assert set(nas_bench_201.load(path, dataset).about["metric"]) == {"valid_and_test_accuracy"}


def test_a_curve_that_lacks_epochs_is_counted(tmp_path):
    """One of the published ones ends at epoch 68."""
    path = tmp_path / "a.pickle.pbz2"
    cells = {0: {"200": trained([777], lacks=range(68, 200))}, 1: {"200": trained([777])}}
    path.write_bytes(bz2.compress(pickle.dumps({"arch2infos": cells})))
    found = nas_bench_201.load(path)
    assert len(found.about) == 1 and dict(found.left_out) == {"with a value that is not finite": 1}


def test_a_pickle_that_would_run_something_is_refused(tmp_path):
    """Whatever its checksum."""
    path = tmp_path / "a.pickle.pbz2"
    path.write_bytes(bz2.compress(pickle.dumps({"arch2infos": {0: io.BytesIO}})))
    with pytest.raises(UserError, match=r"asks for _io\.BytesIO"):
        nas_bench_201.load(path, any_checksum=True)


def test_the_published_name_needs_the_published_md5(tmp_path):
    path = tmp_path / nas_bench_201.NAS_BENCH_201.name
    path.write_bytes(pickle.dumps({}))
    with pytest.raises(UserError, match="not 55e847143ce1f7c2d89b676f6b096897"):
        nas_bench_201.load(path)


@pytest.mark.parametrize("data", [bz2.compress(pickle.dumps(held()))[:-99], b"", b"no archive"])
def test_a_file_that_is_cut_off_or_another_is_told_with_its_name(tmp_path, data):
    path = tmp_path / "a.pickle.pbz2"
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"a\.pickle\.pbz2 is (cut off|empty|not laid out)"):
        nas_bench_201.load(path)


@pytest.mark.parametrize(
    "cells", [{}, {"arch2infos": {0: {"12": {}}}}, {"arch2infos": {0: {"200": {"arch_str": ""}}}}]
)
def test_another_layout_is_told_with_its_place(tmp_path, cells):
    path = tmp_path / "a.pickle.pbz2"
    path.write_bytes(bz2.compress(pickle.dumps(cells)))
    with pytest.raises(UserError, match=r"a\.pickle\.pbz2(, cell 0)? is not laid out"):
        nas_bench_201.load(path)


def test_what_is_missing_is_told_with_where_it_is(tmp_path):
    for path in (tmp_path / "nowhere.pth", tmp_path):
        with pytest.raises(
            UserError, match=r"download NAS-Bench-201-v1_1-096897\.pth \(.*13 GB of memory.*; MIT\)"
        ):
            nas_bench_201.load(path)
    with pytest.raises(UserError, match="no data set 'cifar10': take one of cifar10-valid"):
        nas_bench_201.load(tmp_path, "cifar10")
