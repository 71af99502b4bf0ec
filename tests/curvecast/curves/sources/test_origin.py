"""Guards curvecast/curves/sources/origin.py: what lacks in a clone is told with the command that fetches it."""

import shutil
import subprocess

import pytest

from curvecast.curves.sources.origin import Origin
from curvecast.ground.errors import UserError

MADE_UP = Origin(
    "a.csv.gz", "a", "MIT", "They", "they2020", "them/thing", "c0ffee" * 6 + "c0ff", "data", 1, "0" * 64
)  # fmt: skip


def test_a_folder_without_the_files_says_what_to_clone(tmp_path):
    with pytest.raises(UserError) as told:
        MADE_UP.inside(tmp_path, "*.json")
    assert str(told.value) == (
        f"{tmp_path} has no data/*.json: git clone --filter=blob:none --no-checkout https://github.com/them/thing"
        f" && git -C thing sparse-checkout set data && git -C thing checkout {MADE_UP.commit}"
    )


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_command_to_clone_brings_the_folder_at_the_commit(tmp_path):
    """Tried on a repository of ours, whose second commit takes the file away."""

    def git(*words, cwd="repository"):
        named = ["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
        return subprocess.run(
            ["git", *named, *words], cwd=tmp_path / cwd, check=True, capture_output=True, text=True
        )

    (tmp_path / "repository" / "data").mkdir(parents=True)
    (tmp_path / "repository" / "elsewhere").mkdir()
    for name in ("data/a.json", "elsewhere/b.json"):
        (tmp_path / "repository" / name).write_text("[1]")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    commit = git("rev-parse", "HEAD").stdout.strip()
    git("rm", "-r", "data")
    git("commit", "-m", "second")
    origin = Origin(**{**MADE_UP.__dict__, "commit": commit})
    command = origin.to_clone.replace(origin.address, f"file://{tmp_path / 'repository'} thing")
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert origin.json(*origin.inside(tmp_path / "thing", "*.json")) == [1]
    assert not (tmp_path / "thing" / "elsewhere").exists()


@pytest.mark.parametrize("text", ["{", '{"a": 1', "\udcff"])
def test_what_is_no_json_is_told_with_its_file(tmp_path, text):
    path = tmp_path / "data.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(UserError, match=r"data\.json is not laid out as at commit c0ffeec"):
        MADE_UP.json(path)
