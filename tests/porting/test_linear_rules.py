"""Guards the linear rules: they find a rule that is there, and read no more than they say."""

import torch

from curvecast.curves.prior import PriorConfig, sample
from reproduce.porting.porting import linear_rules


def test_a_rule_that_is_there_is_found():
    """Curves that follow y' = 0.9 y + 0.05 are continued without error."""
    y = torch.rand(20, 1, dtype=torch.float64)
    while y.shape[1] < 30:
        y = torch.cat([y, 0.9 * y[:, -1:] + 0.05], 1)
    weights = linear_rules.next_value(y, 1)
    assert torch.allclose(weights[:, 0], torch.tensor([0.9, 0.05], dtype=torch.float64))
    assert torch.allclose(linear_rules.roll(y[:, :15], weights, 30), y[:, 15:])


def test_a_rule_reads_its_memory_alone():
    """Without memory only the last value matters; with five, the fifth last does and the sixth last does not."""
    y = sample(PriorConfig(), 4, torch.Generator().manual_seed(1)).noisy[:, :15]
    told = linear_rules.told(y, 200)
    for place, changed in (
        (-2, {"rule-3", "rule-5", "rule-15", "rule-direct"}),
        (-6, {"rule-15", "rule-direct"}),
    ):
        other = y.clone()
        other[:, place] += 1
        again = linear_rules.told(other, 200)
        assert {name for name in told if not torch.equal(told[name], again[name])} == changed


def test_every_later_epoch_is_told():
    """Each rule forecasts all epochs after the cutoff."""
    assert {v.shape for v in linear_rules.told(torch.rand(3, 15), 200).values()} == {(3, 85)}
