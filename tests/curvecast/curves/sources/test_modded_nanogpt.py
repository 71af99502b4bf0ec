"""Guards curvecast/curves/sources/modded_nanogpt.py, on made-up logs."""

import pytest

from curvecast.curves.sources import modded_nanogpt
from curvecast.ground.errors import UserError

TAKEN, NOT_TAKEN = "20260430_adamh", "20260430_muonh"


def line(step, loss):
    return f"step:{step}/500 val_loss:{loss} train_time:1.0s\nstep:{step}/500 train_time:2s\n"


def log(clone, place, text):
    path = clone / modded_nanogpt.ORIGIN.folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("        print(f'step:{step}/{steps} val_loss:{loss}')\n" + text)
    return path.relative_to(clone).as_posix()


def test_the_lines_with_a_step_and_a_validation_loss(tmp_path):
    """A log holds its own program, which is no line of a run; folders are chosen by a hash of their name."""
    inside = log(tmp_path, f"{TAKEN}/deep/a.txt", line(0, 10.8) + line(125, 5.3))
    log(tmp_path, f"{NOT_TAKEN}/b.txt", line(0, 10.8))
    log(tmp_path, "loose.txt", line(0, 10.8))
    (curve,) = modded_nanogpt.read(tmp_path)
    assert curve.points() == [(0, 10.8), (125, 5.3)] and curve.untrained and curve.config == {"path": inside}
    assert curve.curve_id.startswith(f"t3_optimization/{TAKEN}/") and curve.group.endswith(f"/{TAKEN}")


def test_a_log_that_begins_after_step_0_has_no_untrained_point(tmp_path):
    log(tmp_path, f"{TAKEN}/a.txt", line(125, 5.3))
    (curve,) = modded_nanogpt.read(tmp_path)
    assert not curve.untrained


def test_logs_of_several_runs_and_of_every_step_are_left_out(tmp_path):
    log(tmp_path, f"{TAKEN}/two.txt", line(0, 10.8) + line(125, 5.3) + line(0, 10.9))
    log(tmp_path, f"{TAKEN}/every.txt", "".join(line(step, 3.0) for step in range(401)))
    log(tmp_path, f"{TAKEN}/none.txt", "")
    assert list(modded_nanogpt.read(tmp_path)) == []


def test_a_word_for_a_loss_is_told_with_the_file(tmp_path):
    log(tmp_path, f"{TAKEN}/a.txt", line(0, "much"))
    with pytest.raises(UserError, match=rf"{TAKEN}/a\.txt is not laid out .*'much'"):
        list(modded_nanogpt.read(tmp_path))
