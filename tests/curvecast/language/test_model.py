"""Guards curvecast/language/model.py: what a backbone must be, tied ends, and a training on whole curves."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.families import FAMILIES
from curvecast.language.model import LanguageConfig, LanguageModelConfig, own_perplexity
from curvecast.networks.backbones.lstm import LSTMConfig
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.bars import BarsConfig
from curvecast.training.steps import Training


@pytest.mark.parametrize(
    "backbone", [LSTMConfig(), LSTMConfig(both_ways=True, hands="all"), TransformerConfig()]
)
def test_a_backbone_that_sees_later_words_or_gives_one_state_is_refused(backbone):
    with pytest.raises(UserError, match="causal"):
        LanguageModelConfig(backbone)


def test_a_word_is_looked_up_as_the_one_hot_vector_times_the_table():
    net = LanguageModelConfig(FAMILIES["feed-forward"], 8).network(torch.linspace(0, 1, 6))
    words = torch.tensor([[5, 0, 3]])
    one_hot = torch.nn.functional.one_hot(words, 6).float()  # (1, T, K + 1)
    x = torch.ones(1, 3)
    assert torch.allclose(net.tokens(words, x) - net.epoch.embed(x), one_hot @ net.embed.weight, atol=1e-5)


def test_tied_ends_ask_for_a_word_with_the_vector_with_which_it_is_read():
    net = LanguageModelConfig(FAMILIES["feed-forward"], 8, tied=True).network(torch.linspace(0, 1, 6))
    y = torch.full((1, 3), 0.9)  # another word than the one whose vector grows
    before = net(y).detach()
    with torch.no_grad():
        net.embed.weight[2] *= 3
    changed = (net(y) - before).abs().amax((0, 1)) > 1e-6
    assert changed.tolist() == [False, False, True, False, False]


def test_training_lowers_the_loss_and_reads_each_curve_whole():
    config = LanguageConfig(
        LanguageModelConfig(FAMILIES["feed-forward"], 8), bars=BarsConfig(buckets=8, curves=500), curves=1_280,
        draws="number", lr=2e-3, matrix_lr=0.02,
    )  # fmt: skip
    (batch,) = config.batches(0, "cpu")
    assert batch.y.shape == (64, 100) and torch.equal(batch.y, batch.y_query)
    with Training(config, config.network()) as steps:
        losses = [float(steps.step(i)) for i in range(20)]
    assert losses[-1] < losses[0] - 0.3


def test_of_a_uniform_model_it_is_the_number_of_words():
    logits = torch.zeros(5, 32)
    assert own_perplexity(logits) == pytest.approx(32)


def test_a_model_that_is_too_sure_has_a_low_entropy_and_a_high_cross_entropy():
    right = torch.tensor([0.7, 0.2, 0.1])
    for sharper, order in ((1.0, 0), (3.0, 1)):
        log_p = (sharper * right.log()).log_softmax(-1)
        on_text = (-(right * log_p).sum()).exp().item()
        apart = on_text - own_perplexity(log_p)
        assert apart == pytest.approx(0, abs=1e-5) if order == 0 else apart > 0
