"""What pyproject.toml asks for is used; a clone is small; and the wheel forecasts where nothing else of the repository is."""

import re
import shutil
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests import house

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_version_is_fixed() -> None:
    """constraints.txt has one exact version of all that a set-up installs, for pip as well."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    fixed = [re.fullmatch(r"([\w.-]+)==[\w.+!-]+", line) for line in lines if not line.startswith("#")]
    names = [found[1].lower().replace("_", "-") for found in fixed if found]
    # as the Makefile has it, and groups
    asked = [*PROJECT["project"]["optional-dependencies"]["tensorboard"]]
    used = (PROJECT["dependency-groups"][one] for one in ("train", "reproduce", "export", "site", "test"))
    asked += [line for group in used for line in group if isinstance(line, str)]
    wanted = {re.match(r"[\w.-]+", line)[0].lower().replace("_", "-") for line in asked}
    assert None not in fixed and len(set(names)) == len(names)
    assert wanted - set(names) <= {"torch"}, "torch has a version of its own in the Makefile"


# In bytes: all tracked files (a warning, then a failure), one file, weights/published/.
NEARLY_FULL, TREE, FILE, WEIGHTS = 36_000_000, 40_000_000, 1_000_000, 10_000_000


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """The tracked files, as they lie here."""
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode:
        pytest.skip("there is no git here to say what is tracked")
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return {str(path.relative_to(ROOT)): path.stat().st_size for path in paths if path.is_file()}


@pytest.mark.filterwarnings("default:the tracked tree")
def test_the_tracked_tree_is_small(sizes):
    """Rows are packed, drawings are kept once, receipts share what they have in common."""
    heaviest = sorted(sizes, key=sizes.__getitem__)[-5:]
    told = f"the tracked tree has {sum(sizes.values()) / 1e6:.1f} MB; the heaviest files: {heaviest}"
    assert sum(sizes.values()) <= TREE, told
    if sum(sizes.values()) > NEARLY_FULL:
        warnings.warn(told, stacklevel=1)


def test_no_file_but_weights_is_large(sizes):
    """Most of a megabyte is a mistake; larger weights are made again, or released."""
    published = {name: size for name, size in sizes.items() if name.startswith("weights/")}
    assert not [name for name, size in sizes.items() if size > FILE and name not in published]
    assert sum(published.values()) <= WEIGHTS
    assert all(name.startswith("weights/published/") for name in published)


RUNS = "step,a run\n1,0.31\n2,0.42\n3,0.48\n4,0.52\n5,0.55\n"
BEGIN = """import importlib.util, runpy, sys
sys.path[:0] = {!r}
sys.modules |= dict.fromkeys(["torch", "tqdm", "pandas", "scipy", "matplotlib"])  # to import them is an error
"""
WHERE = "import curvecast; print(curvecast.__file__, importlib.util.find_spec('reproduce'))"
COMMAND = "sys.argv = ['curvecast', *{!r}]; runpy.run_module('curvecast', run_name='__main__')"
STOPPER = """from curvecast import Stopper
stopper = Stopper(horizon=10, best=0.9, finished=[[0.1, 0.2, 0.3, 0.35, 0.4] * 2] * 3)
for step, value in enumerate([0.31, 0.42, 0.48, 0.5, 0.51], 1):
    stopper.observe(step, value)
print(stopper.check() is not None)
try:
    from curvecast import load
except ImportError as error:
    print(error)
"""
TYPED = {  # what a type checker says of it
    "forecast([0.3, None])": "forecast.Forecast", "forecast([[0.3], [0.2, None]])": "Forecasts",
    "forecast([0.3]).interval(0.9)": "ndarray", "forecast([[0.3]])['run 1']": "forecast.Forecast",
    "Stopper(horizon=9)": "Stopper", "shipped.load()": "Shipped",
}  # fmt: skip


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's code in another folder, because a build leaves its own folders beside it."""
    folder = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    for name in ("curvecast", "reproduce", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path) -> ZipFile:
    return built(source, "build_wheel")


def built(source: Path, how: str) -> ZipFile:
    """What pip asks setuptools for, without a network."""
    program = f"from setuptools import build_meta; build_meta.{how}({how!r})"
    done = subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, check=True)
    # set-up prints forty lines for a folder that it does not expect
    assert b"would be ignored" not in done.stderr
    (path,) = (source / how).glob("*.whl")
    return ZipFile(path)


@pytest.fixture(scope="module")
def unpacked(wheel: ZipFile, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Where a program finds the wheel and what the wheel depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("unpacked")
    wheel.extractall(folder)
    needed = [pytest.importorskip(name) for name in ("numpy", "safetensors")]
    return [str(folder), *dict.fromkeys(str(Path(module.__file__).parents[1]) for module in needed)]


def python(program: str, folders: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs it without the environment's own folders (-S), whose .pth file would lead to the repository."""
    command = [sys.executable, "-I", "-S", "-c", BEGIN.format(folders) + program]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)


ROOMS = ("ground", "logs", "forecasting", "while_training", "command")


@pytest.mark.slow
def test_the_wheel_holds_what_users_of_forecasts_need_and_no_more(wheel: ZipFile) -> None:
    names = set(wheel.namelist())
    modules = (path for room in ROOMS for path in (ROOT / "curvecast" / room).rglob("*.py"))
    library = {str(path.relative_to(ROOT)) for path in modules}
    modules = {name for name in names if name.endswith(".py")}
    assert modules == library | {"curvecast/__init__.py", "curvecast/__main__.py"}
    assert {"curvecast/py.typed", "curvecast/__init__.pyi"} <= names
    for file in ("/curvecast.safetensors", "/planned.safetensors", "/MODEL_CARD.md"):
        assert len([name for name in names if name.endswith(file)]) == 1
    assert not any(name.endswith("/paper-prior.safetensors") for name in names)
    assert all(name.startswith("curvecast/") or ".dist-info/" in name for name in names)


@pytest.mark.slow
def test_the_wheel_forecasts_away_from_the_repository(unpacked: list[str], tmp_path: Path) -> None:
    """With the wheel and its dependencies alone, without torch."""
    (tmp_path / "runs.csv").write_text(RUNS)
    where = python(WHERE, unpacked, tmp_path)
    assert where.stdout.split() == [f"{unpacked[0]}/curvecast/__init__.py", "None"], where.stderr
    for words, status, told in (
        ("forecast runs.csv", 0, "a run"), ("forecast runs.csv --schedule cosine", 0, "a run"),
        ("forecast runs.csv --weights paper-prior", 2, "come with the sources alone"), ("doctor", 0, "one forecast takes"),
    ):  # fmt: skip
        done = python(COMMAND.format(words.split()), unpacked, tmp_path)
        assert done.returncode == status and told in done.stdout + done.stderr, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [
    ["sample", "-n", "3"], ["evaluate", "--weights", "some.safetensors", "--curves", "a.npz"], ["convert", "--list"],
])  # fmt: skip
def test_what_the_wheel_leaves_out_says_where_it_is(unpacked: list[str], tmp_path: Path, words: list[str]):
    done = python(COMMAND.format(words), unpacked, tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert f"`curvecast {words[0]}` comes with the repository" in done.stderr and "make setup" in done.stderr


@pytest.mark.slow
def test_a_training_is_watched_without_torch(unpacked: list[str], tmp_path: Path) -> None:
    done = python(STOPPER, unpacked, tmp_path)
    assert done.stdout.startswith("True\n") and "load comes with the repository" in done.stdout, done.stderr


@pytest.mark.slow
def test_behind_py_typed_public_names_have_types(tmp_path: Path) -> None:
    begin = "from curvecast import Stopper, forecast\nfrom curvecast.forecasting import shipped\n"
    (tmp_path / "mine.py").write_text(begin + "\n".join(f"reveal_type({name})" for name in TYPED))
    # no public name is one of torch, which mypy reads for ten seconds
    settings = "[mypy]\nfollow_imports = silent\n[mypy-torch.*]\nfollow_imports = skip\n"
    (tmp_path / "mypy.ini").write_text(settings)
    command = [sys.executable, "-m", "mypy", "--config-file", tmp_path / "mypy.ini", tmp_path / "mine.py"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    found = re.findall(r'Revealed type is "(.*)"', told)
    assert all(kind in text for kind, text in zip(TYPED.values(), found, strict=True)), told


HELP = "import contextlib, curvecast.__main__ as m\nwith contextlib.suppress(SystemExit):\n    m.main({})"


@pytest.mark.slow
@pytest.mark.parametrize(("program", "heavy"), [
    *((HELP.format(words), "torch") for words in (["--help"], ["forecast", "--help"], ["convert", "--list"])),
    ("from curvecast.logs import runs; runs.parse('step,a\\n1,0.5', 'log')", "torch numpy pandas tensorboard"),
])  # fmt: skip
def test_what_is_asked_often_imports_nothing_heavy(program: str, heavy: str) -> None:
    program += f"\nimport sys\nprint(*{{*{heavy.split()}}} & {{*sys.modules}}, '.')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "."


IMPORTED_AS = {"math-core": "math_core", "resvg-py": "resvg_py"}
# what other packages load by name; what is used where somebody has imported it already, or works in its notebook
BY_NAME = {"mkdocs-macros-plugin", "mkdocs-material", "pymdown-extensions", "mkdocs-jupyter", "snakemake"}
THERE_ALREADY = {"torch", "IPython"}


def test_the_tool_declares_all_that_it_imports_and_no_more() -> None:
    """Thirteen packages at most, neither torch nor Snakemake among them; what some commands need besides is an extra."""
    project = tomllib.loads((ROOT / "presswork" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    named = {re.match(r"[\w-]+", line)[0] for line in [*project["dependencies"], *extras]}
    assert len(project["dependencies"]) <= 13 and not any(
        line.startswith(("torch", "snakemake")) for line in project["dependencies"]
    )
    files = (ROOT / "presswork" / "src").rglob("*.py")
    found = {name.partition(".")[0] for file in files for name in house.imported(file)}
    others = found - set(sys.stdlib_module_names) - {"presswork"} - THERE_ALREADY
    assert others == {IMPORTED_AS.get(name, name) for name in named - BY_NAME}


@pytest.mark.slow
def test_the_wheel_of_the_tool_holds_all_of_a_site(tmp_path: Path) -> None:
    """Its looks and configuration too, which are no modules."""
    source = ROOT / "presswork"
    shutil.copytree(
        source, tmp_path / "tool", ignore=shutil.ignore_patterns("__pycache__", "examples", "*.egg-info")
    )
    names = {name.removeprefix("presswork/") for name in built(tmp_path / "tool", "build_wheel").namelist()}
    files = (
        path for path in (source / "src" / "presswork").rglob("*") if path.is_file() and path.suffix != ".pyc"
    )
    assert {path.relative_to(source / "src" / "presswork").as_posix() for path in files} <= names
