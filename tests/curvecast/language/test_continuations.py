"""Guards curvecast/language/continuations.py: sampled densities tend to the marginal, which can be summed for few words."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.language.continuations import continuations
from curvecast.language.families import FAMILIES
from curvecast.language.model import LanguageModelConfig

BORDERS = torch.linspace(0, 1, 5)


@pytest.fixture(params=["LSTM", "feed-forward"])
def net(request):
    torch.manual_seed(1)
    return LanguageModelConfig(FAMILIES[request.param], 8).network(BORDERS).eval()


@torch.no_grad()
def test_the_second_later_epoch_is_the_sum_over_all_words_of_the_first(net):
    y, centres = torch.rand(1, 3), net.vocabulary.values(torch.arange(4))
    first = net(torch.cat([y, y[:, :1]], 1))[0, 3].softmax(-1)
    after = torch.cat([y.expand(4, -1), centres[:, None], centres[:, None]], 1)
    exact = first @ net(after)[:, 4].softmax(-1)
    grown = continuations(net, y, 2, 4_000, torch.Generator().manual_seed(0))
    assert torch.allclose(grown.marginals.log_p[0, 1].exp(), exact, atol=0.01)
    counted = torch.bincount(grown.words[0, :, 1], minlength=4) / 4_000
    assert torch.allclose(counted, exact, atol=0.04)


def test_a_curve_can_be_sampled_from_its_beginning_on(net):
    grown = continuations(net, torch.empty(2, 0), 5, 3, torch.Generator().manual_seed(0))
    assert grown.words.shape == (2, 3, 5)


@torch.no_grad()
def test_rare_words_can_be_left_out(net):
    """Of four words the one that is rarest next is never drawn."""
    p = net(torch.zeros(1, 1))[0, 0].softmax(-1)
    grown = continuations(
        net, torch.empty(1, 0), 1, 500, torch.Generator().manual_seed(0), float(p.min()) + 1e-4
    )
    assert set(grown.words.unique().tolist()) == set(range(4)) - {int(p.argmin())}
    with pytest.raises(UserError, match="none may be left"):
        continuations(net, torch.empty(1, 0), 1, 5, torch.Generator(), 0.3)


@pytest.mark.parametrize(
    ("y", "ahead", "samples"), [((0, 3), 1, 1), ((1, 3), 0, 1), ((1, 3), 1, 0), ((3,), 1, 1)]
)
def test_nothing_to_sample_is_refused(net, y, ahead, samples):
    with pytest.raises(UserError, match="at least one of each"):
        continuations(net, torch.rand(y), ahead, samples, torch.Generator())
