"""The live model's arithmetic in a real browser: ONNX, density, scales, epochs and futures, beside Python's."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from curvecast import forecast
from curvecast.command import terminal
from curvecast.curves import prior
from curvecast.forecasting import doubts, onnx_file, torch_network, track_record
from curvecast.forecasting.epochs import axis, usual
from curvecast.forecasting.normalise import Scale, metric_of
from curvecast.ground.errors import UserError
from curvecast.logs import runs
from curvecast.logs.columns import STEPS
from curvecast.training import train
from tests.browser.visits import Visit, opened, served

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "docs" / "assets" / "live"
(WEIGHTS,) = (ROOT / "weights" / "published").glob("ours-3x128-*.safetensors")
TABLE = {
    "seen": [2, 5, 20], "levels": [0.001, 0.1, 1.0],
    "scores": [[1e-9, 1e-3, 1.0], [1e-4, 0.01, 0.9], [1e-5, 0.05, 0.8]],
}  # fmt: skip
LOSS = {"low": 0, "high": None, "minimise": True}


@pytest.fixture(scope="module")
def forecaster() -> train.Forecaster:
    return onnx_file.rounded(train.load(WEIGHTS))


@pytest.fixture(scope="module")
def modules(forecaster, tmp_path_factory) -> Iterator[str]:
    """A folder with an empty page, the modules, the runtime and the model: its address."""
    pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")
    if not (LIVE / "ort").is_dir():
        pytest.skip("the runtime of the live model is not here: install npm, then make setup")
    folder = tmp_path_factory.mktemp("live")
    shutil.copytree(LIVE, folder / "live")
    shutil.copytree(LIVE, folder / "published")
    onnx_file.write_live(forecaster, folder / "live", TABLE, {})
    (folder / "index.html").write_text('<!doctype html><link rel="icon" href="data:,">')
    with served(folder) as address:
        yield address


@dataclass
class Page(Visit):
    browser: Any = None

    def run(self, body: str, given: Any = None) -> Any:
        """The value of an async function's body, which has `given`, the model and the modules of NAMES."""
        program = f"async given => {{ const {{ model, {', '.join(NAMES)} }} = live; {body} }}"
        return self.browser.evaluate(program, given)


@pytest.fixture(scope="module")
def page(modules: str, chromium: Any) -> Iterator[Page]:
    page = Page()
    with opened(chromium, modules, page) as page.browser:
        page.browser.evaluate(LOAD, NAMES)
        yield page
        assert not page.elsewhere(modules) and not page.complaints


NAMES = ["density", "epochs", "forecast", "normalise", "special"]
LOAD = """async names => {
  globalThis.live = {};
  for (const name of names) live[name] = await import(`/live/${name}.js`);
  live.model = await (await import('/live/model.js')).load('/live/', () => {});
}"""


def curves(n: int, seed: int) -> torch.Tensor:
    return prior.sample(prior.PriorConfig(), n, torch.Generator().manual_seed(seed)).noisy


def accuracy(values: Any, **more: Any) -> dict[str, Any]:
    """A run that needs no scale, logged once an epoch."""
    steps = list(range(1, len(values) + 1))
    return {"steps": steps, "values": list(map(float, values)), "low": 0, "high": 1} | more


def test_the_page_says_what_pytorch_and_numpy_say(page):
    """The model that is published, of reference_forecasts.json: as near as half precision in sums."""
    told = json.loads((ROOT / "tests" / "questions" / "reference_forecasts.json").read_text())
    answers = page.run(
        """const published = await (await import('/published/model.js')).load('/published/');
        const rows = [];
        for (const {x, y, x_query, levels, at} of given) {
          const all = await published.ask(x, y, x_query);
          rows.push({
            quantiles: levels.map(p => all.map(density => density.quantile(p))),
            exceeds: all.map((density, i) => density.exceeds(at[i])),
          });
        }
        return rows;""",
        told,
    )
    for one, answer in zip(told, answers, strict=True):
        for name, found in answer.items():
            assert np.abs(np.array(found) - one[name]).max() < 1e-4, (name, one["x"])


def test_the_density_is_bars(page, forecaster):
    """cdf, exceeds, quantile, mean and log density to 1e-4 or less, from far in one tail to far in the other."""
    mixture = onnx_file.Mixtures(forecaster.model)
    y = curves(4, 3)[:, :5]
    x, later = torch.arange(1.0, 6).expand(4, -1), torch.tensor([[6.0, 100.0]]).expand(4, -1)
    y[0] = torch.linspace(-0.5, -0.9, 5)  # all of its mass in a tail, and of the next one in the other
    y[1] = torch.linspace(1.5, 1.9, 5)
    with torch.no_grad():
        parameters = [part.flatten(0, 1).double().tolist() for part in mixture(x, y, later)]
    there = forecaster.predict(x, y, later)
    ts = [-2.0, -0.7, -0.1, 0.0, 0.123, 0.5, 0.7, 0.9, 0.99, 1.0, 1.2, 1.7, 3.0]
    ps = [1e-4, 0.01, 0.05, 0.3, 0.5, 0.9, 0.999]
    here = page.run(
        """return given.w.map((w, i) => {
          const one = new density.Mixture(w, given.m[i], given.s[i], model.borders);
          return {cdf: given.ts.map(t => one.cdf(t)), exceeds: given.ts.map(t => one.exceeds(t)),
            quantile: given.ps.map(p => one.quantile(p)), log: given.ts.map(t => one.logDensity(t))};
        });""",
        dict(zip("wms", parameters, strict=True)) | {"ts": ts, "ps": ps},
    )
    for i, one in enumerate(here):
        place = divmod(i, 2)
        for j, t in enumerate(ts):
            at = torch.full((4, 2), t)
            assert one["cdf"][j] == pytest.approx(there.cdf(at)[place].item(), abs=1e-5)
            assert one["log"][j] == pytest.approx(there.log_density(at)[place].item(), rel=1e-4, abs=1e-4)
            assert one["exceeds"][j] == pytest.approx(there.exceeds(at)[place].item(), abs=1e-5)
        for j, p in enumerate(ps):
            assert one["quantile"][j] == pytest.approx(there.quantile(p)[place].item(), abs=1e-4)


@pytest.mark.parametrize(("low", "high", "first", "values"), [
    (0, 1, 0.2, [0, 0.1, 1]), (-20, 100, 3, [-20, 0, 93.5]), (0, None, 2.3, [0, 1e-3, 2.3, 9]),
    (-1.5, None, 0.1, [-1.5, 0, 5]), (None, 0, -3.0, [-12, -3, -0.01, 0]),
])  # fmt: skip
@pytest.mark.parametrize("minimise", [False, True])
def test_a_scale_and_back(page, low, high, first, values, minimise):
    """As in Python: better is higher, a finite bound is 0 or 1, the way back is exact, and no u gives NaN."""
    to, back, far = page.run(
        """const scale = normalise.normaliser(given, given.first);
        return [given.values.map(scale.to), given.values.map(v => scale.back(scale.to(v))),
          [-3, -1e-12, 0, 1, 1.0001, 7].map(scale.back)];""",
        {"low": low, "high": high, "first": first, "values": values, "minimise": minimise},
    )
    bounds = -np.inf if low is None else low, np.inf if high is None else high
    scale = Scale.of(metric_of("accuracy", bounds, minimise), np.array([first]), "run")
    np.testing.assert_allclose(to, scale.to(np.array(values, float)), atol=1e-9)
    np.testing.assert_allclose(back, values, rtol=1e-6, atol=1e-9)
    assert (np.diff(to) < 0).all() if minimise else (np.diff(to) > 0).all()
    assert min(to) >= 0 and max(to) <= 1
    assert np.isfinite(far).all() and (np.diff(far) <= 0 if minimise else np.diff(far) >= 0).all()


@pytest.mark.parametrize(("steps", "horizon", "unit", "x", "xq", "stepsq"), [
    ([1, 2, 3], None, None, [1, 2, 3], (4, 100, 97), (4, 100)),
    ([0, 500, 1000], 3000, None, [1, 2, 3], (4, 7, 4), (1500, 3000)),  # from step 0: one unit later
    ([0.1, 0.2, 0.3, 0.6], 0.85, None, [1, 2, 3, 6], (7, 8.5, 3), (0.7, 0.85)),  # a gap; between two epochs
    ([7], None, None, [1], (2, 100, 99), (14, 700)),  # a single point is one unit from the start
    ([0], None, None, [1], (2, 100, 99), (1, 99)),
    ([10, 20, 30, 400], 2000, None, [1, 1.5, 20], (21, 100, 80), (420, 2000)),  # 10 and 20 fall into epoch 1
    ([99.5, 100, 101], 1000, None, [10, 10.1], (11, 100, 90), (110, 1000)),  # 99.5 and 100 into epoch 10
    # with a known unit a hole does not make the epochs longer, and the usual horizon is a hundred of them
    ([10, 20, 30], 100, 1, [10, 20, 30], (31, 100, 70), (31, 100)),  # drawn: every tenth epoch
    ([10, 20, 30], None, 1, [10, 20, 30], (31, 100, 70), (31, 100)),
    ([0, 20, 40], 500, 10, [1, 3, 5], (6, 51, 46), (50, 500)),  # of a table with rows in between
    ([100, 200, 300], 1000, 1, [10, 20, 30], (31, 100, 70), (310, 1000)),  # shrunk to a hundred
    ([1, 2, 80], None, 1, [1, 1.25, 50], (51, 100, 50), (81.6, 160)),  # twice as far: an epoch is 1.6 steps
])  # fmt: skip
def test_steps_become_epochs(page, steps, horizon, unit, x, xq, stepsq):
    """One unit an epoch up to 100 of them, else a hundredth of the way; the last point of an epoch stays."""
    given = {"steps": steps, "horizon": horizon, "unit": unit}
    here = page.run("return epochs.toEpochs(given.steps, given.horizon, given.unit)", given)
    assert [steps[i] for i in here["kept"]][-1] == steps[-1] and len(here["kept"]) == len(here["x"])
    np.testing.assert_allclose(here["x"], x)
    assert len(here["xq"]) == len(here["stepsq"]) == xq[2]
    np.testing.assert_allclose([here["xq"][0], here["xq"][-1]], xq[:2])
    np.testing.assert_allclose([here["stepsq"][0], here["stepsq"][-1]], stepsq)


@pytest.mark.parametrize("steps", [
    [1, 2, 3, 10, 17, 25, 33], [1, 2, 3, 5, 8, 13, 21], [1, 2, 4], [10, 30, 50, 60], [0, 0.1, 0.2, 0.3],
    [0, 500, 1000, 1001], [1, 3, 8, 20], [3], [0], [1, 6, 7, 12, 13, 14],
])  # fmt: skip
def test_the_usual_gap_is_pythons(page, steps):
    gap, horizon = page.run("return [epochs.usualGap(given), epochs.usualHorizon(given)]", steps)
    at = np.array(steps, dtype=float)
    assert gap == pytest.approx(usual(np.diff(at)) if len(steps) > 1 else axis(at).unit)
    assert horizon == pytest.approx(forecast([0.5] * len(steps), steps=steps, check=False).steps[-1])


TABLES = {
    "holes": "epoch,a,b\n1,0.1,0.2\n2,,0.3\n3,0.2,\n4,,\n5,0.3,0.4\n",
    "every fifth": "step,loss,val\n100,0.1,\n200,0.2,\n300,0.2,0.3\n400,0.3,\n500,0.3,\n600,0.4,0.5\n",
    "quotes, and lines that are empty": 'epoch,"a, ""b"""\r\n1,0.4\r\n2,.5\r\n\r\n',
    "semicolons, and a mark of UTF-8": "\ufeffepoch;a\n1;4e-1\n2;5e-1\n",
    "long": "run,step,value\na,1,0.1\nb,1,0.2\na,2,\nb,2,0.3\na,3,0.3\n",
    "TensorBoard": "Wall time,Step,Value\n1.7e9,100,0.1\n1.7e9,200,0.2\n1.7e9,300,0.3\n",
    "Weights & Biases": '"Step","x - acc","x - acc__MIN","x - acc__MAX"\n"1","0.1","0.1","0.1"\n"2","0.2","0.2","0.2"\n',
    "steps of Weights & Biases": "Step,x - _step,x - _step__MIN,x - _step__MAX,x - acc\n1,1,1,1,0.1\n2,2,2,2,0.2\n",
    "many of Weights & Biases": "Step,"
    + ",".join(f"{i},{i}__MIN,{i}__MAX" for i in range(400))
    + "".join(f"\n{i}" + ",0.1" * 1200 for i in range(1, 450)),
    "a run called step__MIN": "step,step__MIN,a\n1,0.1,0.2\n2,0.2,0.3\n",
    "long, two kinds of steps": "run,step,epoch,value\na,10,1,0.1\na,20,2,0.2\n",
    **{f"called {name}": f"{name},a\n1,0.1\n2,0.2\n" for name in STEPS},
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_read_as_in_python(page, name):
    """The same runs; in a wide table all rows say what an epoch is, in a long one the run's own."""
    here = page.run("return (await import('/live/table.js')).parse(given, 'a')", TABLES[name])
    there = runs.parse(TABLES[name], "a.csv")
    for run, wanted in zip(here, there, strict=True):
        assert [run["name"], run["steps"], run["values"]] == [wanted.name, wanted.steps, wanted.values]
    units = [seen.axis.unit for seen in terminal.as_seen(there)]
    assert [run["unit"] for run in here] == units


REFUSED = {
    "alike but for case": "run,Run,step,value\na,b,1,0.1\n",
    "long, several kinds of steps": "run,iteration,epoch,value\na,10,1,0.1\n",
    "wide, several kinds of steps": "step,epoch,a\n1,1,0.1\n",
    "nothing beside the steps": "Step,x - _step,x - _step__MIN\n1,1,1\n",
    "too many runs": "step," + ",".join(f"{i},{i}__MIN" for i in range(1001)) + "\n1" + ",0.1" * 2002,
}


@pytest.mark.parametrize("name", REFUSED)
def test_tables_are_refused_as_in_python(page, name):
    program = "return import('/live/table.js').then(({ parse }) => parse(given)).catch(e => e.name)"
    said = page.run(program, REFUSED[name])
    assert said == "TableError"
    with pytest.raises(UserError):
        runs.parse(REFUSED[name], "a.csv")


@pytest.mark.parametrize(("run", "never", "always", "above"), [
    ({"values": [97, 99, 99.5, 99.8], "low": 0, "high": 100}, [100, 101], [-1], "never"),
    ({"values": [0.05, 0.03, 0.02, 0.014], "minimise": True}, [0, -0.1], [1.1], "always"),
    ({"values": [2.3, 0.5, 0.1, 0.02], **LOSS}, [0, -1], [], "always"),
    ({"values": [-3, -0.5, -0.1], "low": None, "high": 0}, [0, 0.5], [], "never"),
])  # fmt: skip
def test_no_chance_beyond_a_bound(page, run, never, always, above):
    run = accuracy(run["values"], horizon=30) | run
    zero, one, over, within = page.run(
        """const f = await forecast.forecast(model, given.run);
        const all = t => [f.probBeats(t), ...f.probBetter(t)];
        return [given.never.flatMap(all), given.always.flatMap(all), given.never.map(t => f.probAbove(t)),
          all(given.run.values.at(-1))];""",
        {"run": run, "never": never, "always": always},
    )
    assert set(zero) == {0} and set(one) <= {1}
    assert max(within) > 0 and min(within) < 1
    if above == "never":
        assert np.max(over) == 0
    else:  # less is better: nothing lies below the lower bound, where there may be a lump
        assert np.min(over[1]) == 1


@pytest.mark.parametrize("values", [
    [0.31, 0.42, 0.48, 0.52, 0.55], [0.4], [0.3, 0.5, 0.6, 0.2, 0.65, 0.66, 0.3, 0.67], [0.5 + 0.001 * i for i in range(30)],
])  # fmt: skip
def test_a_run_s_record_sets_its_intervals_as_in_python(page, values):
    """Of the published model: smooth, with a single point, and rough."""
    here = page.run(
        """const published = await (await import('/published/model.js')).load('/published/');
        const f = await forecast.forecast(published, given);
        return [...[0.05, 0.25, 0.5, 0.95].map(f.quantile), f.probAbove(0.6)];""",
        accuracy(values, horizon=60),
    )
    there = forecast(values, horizon=60, check=False)
    expected = [*map(there.quantile, (0.05, 0.25, 0.5, 0.95)), there.prob_above(0.6)]
    assert np.abs(np.array(here) - np.array(expected)).max() < 2e-3


def test_how_usual_a_run_is(page, forecaster):
    """The share of the prior's own curves is Python's; a jump is unusual; one point says nothing."""
    lengths = zip(curves(6, 5), (2, 3, 5, 17, 18, 60), strict=True)
    runs = [y[:T].clamp(0, 1).double().tolist() for y, T in lengths]
    runs.append([0.5, 0.52, 0.53, 0.1, 0.54, 0.55])
    here = page.run(
        """const shares = [];
        for (const run of given) shares.push(await forecast.inPrior(model, run));
        return shares;""",
        [accuracy(y, horizon=100) for y in [*runs, [0.5]]],
    )
    assert here[-1] is None and here[-2] == 0.001
    network, table = torch_network.TorchNetwork(forecaster.model), doubts.Table(**TABLE)
    for y, share in zip(map(np.array, runs), here, strict=False):
        (score,) = doubts.oddness(track_record.scores(network, [(np.arange(1.0, len(y) + 1), y)]))
        assert share == pytest.approx(doubts.in_prior(table, len(y), float(score)), rel=0.02)


@pytest.mark.parametrize(
    ("seen", "horizon"), [(1, 100), (10, 60), (10, 11), (15, 18), (5, 37.5), (40, 700), (99, 100)]
)
def test_the_steps_of_futures_are_pythons(page, seen, horizon):
    steps = list(range(1, seen + 1))
    here = page.run(
        """const { spread } = await import('/live/futures.js');
        const { xq, stepsq } = epochs.toEpochs(given.steps, given.horizon);
        return spread(xq).map(place => stepsq[place]);""",
        {"steps": steps, "horizon": horizon},
    )
    there, _ = forecast([0.5] * seen, steps=steps, horizon=horizon, check=False).futures(1)
    np.testing.assert_allclose(here, there, rtol=1e-6)


LARGE = "loss if lower is better and there is no upper bound, or set the bounds"
FALLS = "This run falls, although higher is better for this metric: should it be one where lower is better?"
RISES = "This run rises, although lower is better for this metric: should it be one where higher is better?"
STILL = "This run has hardly moved yet: if it begins to learn later, the interval may miss it."
RISING = [0.3 + 0.01 * i for i in range(40)]


@pytest.mark.parametrize(("change", "told"), [
    ({"values": [0.7, 0.6, 0.5]}, [FALLS]), ({"values": [0.7, 0.6]}, []), ({"values": [0.5, 0.6, 0.7]}, []),
    ({"values": [0.5, 0.5, 0.5]}, [STILL]), ({"values": [0.5, 0.5]}, []),
    ({"values": [0.5, 0.7, 0.9], "high": 100}, ["No value is above 1, of 100: if these are fractions, choose accuracy."]),
    ({"values": [0.2, 0.5, 0.6, 0.7, 0.75, 0.19]}, [STILL]),  # a single bad value
    ({"values": [0.5, 0.6, 0.7], "minimise": True}, [RISES]), ({"values": [0.7, 0.6, 0.5], "minimise": True}, []),
    ({"values": RISING[:8], "steps": [100_000 + 10 * i for i in range(8)]},
     ["Only 1 of the 8 points could be used: steps start at 100000, and the other points fall into the same epochs. "
      "Subtract the start, or set another horizon."]),
    ({"values": RISING[:7], "steps": [10**i for i in range(7)], "horizon": None},
     ["Only 3 of the 7 points could be used: the steps lie ever further apart. "
      "The command “curvecast forecast --log-steps” forecasts such curves."]),
    ({"values": RISING[:3], "steps": [100_000, 100_010, 100_020]}, []),
    ({"values": RISING[:8], "horizon": 200}, []),  # half of them are left
    ({"values": RISING, "horizon": 800}, []),  # five of them
])  # fmt: skip
def test_doubts_are_told(page, change, told):
    """What does not forbid a forecast: a run the wrong way round, or one of which hardly anything is seen."""
    assert page.run("return forecast.doubts(given)", accuracy(change["values"]) | change) == told


def test_a_run_that_has_hardly_moved_is_one_that_python_calls_flat(page):
    rng = np.random.default_rng(0)
    runs = [
        0.3 + gain * np.arange(n) / n + rng.normal(0, 0.01, n)
        for n in (4, 5, 12, 40)
        for gain in (0, 0.02, 0.05)
    ]
    here = page.run(
        f"return given.map(run => forecast.doubts(run).includes({STILL!r}))",
        [accuracy(run.tolist(), horizon=100) for run in runs],
    )
    assert here == [doubts.flat(run) for run in runs] and {*here} == {True, False}


def test_futures_end_where_the_forecast_says(page):
    """At most 16 rising steps to the horizon; the middle of many ends near the forecast's median; a seed repeats."""
    run = accuracy(curves(1, 6)[0, :10].clamp(0, 1), horizon=60)
    futures, again, ahead = page.run(
        """const random = seed => () => {
          seed = seed + 0x6D2B79F5 | 0;
          let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
          t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
          return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
        };
        const all = async n => {
          const steps = [];
          for await (const step of forecast.futures(model, given, n, random(1))) steps.push(step);
          return steps;
        };
        const f = await forecast.forecast(model, given);
        return [await all(200), [await all(3), await all(3)], [0.05, 0.5, 0.95].map(p => f.quantile(p).at(-1))];""",
        run,
    )
    steps = [future["step"] for future in futures]
    assert steps == sorted(set(steps)) and steps[0] == 11 and steps[-1] == 60 and len(steps) <= 16
    assert all(len(future["values"]) == 200 for future in futures)
    assert again[0] == again[1]
    low, median, high = ahead
    assert np.std(futures[-1]["values"]) > 0.01
    assert abs(np.median(futures[-1]["values"]) - median) < 0.25 * (high - low)


@pytest.mark.parametrize(("change", "complaint"), [
    ({"steps": [], "values": []}, "there are no values"), ({"steps": [1, 2]}, "there are 2 steps and 3 values"),
    ({"values": [0.1, 0.2, None]}, "value 3 is not a finite number"),
    ({"steps": [1, 2, "x"]}, "step 3 is not a finite number"), ({"steps": [1, 3, 2]}, "step 3 is 2, not after 3"),
    ({"steps": [-1, 2, 3]}, "step 1 is -1"),
    ({"values": [0.1, 0.2, 93.1]}, f"value 3 is 93.1, outside 0 to 1: choose percent if these are percent, {LARGE}"),
    ({"values": [0.1, 2.5, 931]}, f"value 2 is 2.5, outside 0 to 1: choose {LARGE}"),
    ({"values": [0.1, 0.2, -0.5]}, "value 3 is -0.5, outside 0 to 1: set other bounds, or leave it out"),
    ({"unit": 0}, "the unit is 0: the number of steps per epoch must be above 0"),
    ({"values": [3, 2, -1], **LOSS}, "value 3 is -1, below 0"),
    ({"values": [0, 2, 1], **LOSS}, "the first value equals the bound 0"),
    ({"low": None, "high": None}, "the metric has no bound"), ({"low": 1, "high": 0}, "the lower bound 1 is not below"),
    ({"horizon": 3}, "the horizon 3 is not after the last step, 3"),
])  # fmt: skip
def test_what_cannot_be_forecast_is_said(page, change, complaint):
    told = page.run(
        """const tell = e => e instanceof forecast.InputError ? e.message : `${e}`;
        const told = [];
        try { forecast.check(given); } catch (e) { told.push(tell(e)); }
        await forecast.forecast(model, given).catch(e => told.push(tell(e)));
        await forecast.inPrior(model, given).catch(e => told.push(tell(e)));
        return told;""",
        accuracy([0.1, 0.2, 0.3]) | change,
    )
    assert len(told) == 3 and set(told) == {told[0]} and complaint in told[0]
