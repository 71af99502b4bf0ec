"""Guards curvecast/command/completion.py: a shell completes commands, options, choices and files."""

import subprocess

import pytest

from curvecast.__main__ import main

pytest.importorskip("shtab")


@pytest.fixture
def script(capsys):
    def of(shell: str) -> str:
        assert main(["completion", shell]) == 0
        return capsys.readouterr().out

    return of


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_knows_commands_and_options(script, shell):
    text = script(shell)
    assert all(word in text for word in ("forecast", "doctor", "horizon", "accuracy", "version"))


def test_bash_completes_what_is_typed(script, tmp_path):
    (tmp_path / "runs.csv").touch()
    (tmp_path / "script").write_text(script("bash"))
    ask = (
        'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_curvecast; echo "${COMPREPLY[@]}"'
    )

    def completed(*words: str) -> str:
        done = subprocess.run(
            ["bash", "-c", ask, "ask", *words], cwd=tmp_path, capture_output=True, text=True, timeout=30
        )
        return done.stdout.strip()

    assert completed("curvecast", "fore") == "forecast"
    assert completed("curvecast", "forecast", "--metric", "acc") == "accuracy"
    assert completed("curvecast", "forecast", "x.csv", "ru") == "runs.csv"
    assert completed("curvecast", "forecast", "-o", "ru") == "runs.csv"
