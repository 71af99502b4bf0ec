"""Neural language models of curves: word vectors, a backbone that reads, and the probability of the next word.

    e_t = E[w_{t-1}] + epoch t         h_t = backbone(e_1 ... e_t)         P(w_t | w_1 ... w_{t-1}) = softmax(U norm(h_t))

With tied ends, U is E: a word is asked for with the vector with which it is read. Training needs one pass for all points of
a curve, since a causal backbone never sees a later word. So does the likelihood of a whole curve: the chain rule.

Perplexity says between how many words a model hesitates: exp(-mean log P(w_t | w_1 ... w_{t-1})), the exponential of the
cross-entropy of the model on a text. The exponential of its own mean entropy is often given instead. No text can contradict
that one: the two agree where the model is right, and a model that is too sure has the second below the first.

Shapes: B = curves, T = points, d = width, K = words.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.errors import demand
from curvecast.language.skip_gram import WindowConfig
from curvecast.networks.backbones.recurrent import LSTMConfig
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.bars import Buckets
from curvecast.networks.encodings import LogEpoch
from curvecast.training.batches import Batch, TrainConfig, curves


class Vocabulary(Buckets):
    """Values as words: word k says that the value lies in bucket k of the bar distribution.

    log density of a value = log P(its word) + log density within the bucket

    So a probability over words and a density over values are compared on one scale, nats per point. Rounding to words
    loses what lies within a bucket, and no more. An infinite value has a word, that of an outer bucket, but no density.
    """

    @property
    def size(self) -> int:
        return len(self.borders) - 1  # K

    @property
    def begin(self) -> int:
        """The word before the first point: it says that a curve begins, and no point has it."""
        return self.size

    def words(self, y: Tensor) -> Tensor:
        """(...) -> (...) in 0 .. K-1"""
        demand(not bool(y.isnan().any()), "a NaN is no value and has no word: leave it out")
        return self.bucket(y)

    def values(self, words: Tensor, shares: Tensor | None = None) -> Tensor:
        """The mean of each word's bucket, or the place in it with this share (...) of its mass below."""
        if shares is None:
            return self.centres()[words]
        return self.place(shares, 1 - shares, words)

    def before(self, words: Tensor) -> Tensor:
        """The word before each: the beginning, then all but the last.  (B, T) -> (B, T)"""
        return torch.cat([torch.full_like(words[:, :1], self.begin), words[:, :-1]], 1)


# -----------------------------------------------------------------------------------------------------------
# The neural language models by the names that tables use: 16 d^2 parameters each between the word vectors.
#
# A recurrent network or a transformer is that of curvecast/networks/backbones; only the window is new here.

FAMILIES: dict[str, Any] = {
    "feed-forward": WindowConfig(),
    "LSTM": LSTMConfig(layers=2, hands="all"),
    "transformer": TransformerConfig(heads=2, causal=True, position="rope", name="decoder"),
}


# raise by hand when the same weights give other probabilities, or the same config other weights
BEHAVIOUR = 1


@dataclass(frozen=True)
class LanguageModelConfig:
    backbone: Any  # the config of a causal family, with hands="all"
    width: int = 64  # d
    tied: bool = False

    def __post_init__(self) -> None:
        needed = "a backbone that is causal and has a state for each word: hands='all'"
        fits = self.backbone.causal and self.backbone.hands == "all"
        demand(fits, f"a language model needs {needed}")

    @property
    def label(self) -> str:
        return f"language-{self.backbone.label}-{self.width}{'-tied' if self.tied else ''}"

    def behaviour(self) -> dict[str, int]:
        return {"language": BEHAVIOUR, type(self.backbone).__name__: self.backbone.behaviour}

    def network(self, borders: Tensor) -> "LanguageModel":
        return LanguageModel(self, borders)


class LanguageModel(nn.Module):
    random_stream = ""

    def __init__(self, config: LanguageModelConfig, borders: Tensor):
        super().__init__()
        self.config, d, K = config, config.width, len(borders) - 1
        self.borders: Tensor
        self.register_buffer("borders", borders)
        self.embed = nn.Embedding(K + 1, d)  # the last one begins a curve
        nn.init.normal_(self.embed.weight, std=d**-0.5)
        self.epoch = LogEpoch(d)
        self.layers = nn.ModuleList([config.backbone.make(d)])  # Muon trains the matrices below `layers`
        self.norm = nn.LayerNorm(d)
        self.bias = nn.Parameter(torch.zeros(K))
        self.out = None if config.tied else nn.Parameter(torch.randn(K, d) * d**-0.5)

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.borders)

    def tokens(self, before: Tensor, x: Tensor) -> Tensor:
        """Previous words and the epochs that come next, (B, T) each -> (B, T, d)"""
        return self.embed(before) + self.epoch.embed(x)

    def logits(self, states: Tensor) -> Tensor:
        """(..., d) -> (..., K)"""
        out = self.embed.weight[:-1] if self.out is None else self.out
        return self.norm(states) @ out.T + self.bias

    def forward(self, y: Tensor) -> Tensor:
        """Whole curves (B, T) -> the logits of each point's word, given the points before it.  (B, T, K)"""
        words = self.vocabulary.words(y)
        x = torch.arange(1.0, y.shape[1] + 1, device=y.device).expand(y.shape)
        return self.logits(self.layers[0](self.tokens(self.vocabulary.before(words), x), x, None).states)

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Of each point of whole curves, given those before it: x, x_query = 1 .. T and y = y_query (B, T).  -> (B, T)"""
        log_p, vocabulary = self(y_query).log_softmax(-1), self.vocabulary
        words = vocabulary.words(y_query)
        return log_p.gather(-1, words[..., None])[..., 0] + vocabulary.within(y_query, words)


class LanguageConfig(TrainConfig):
    """The training of a language model: whole curves, and the next word at each of their points."""

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        y = curves(self, step, device)  # (B, T)
        x = torch.arange(1.0, y.shape[1] + 1, device=device).expand(y.shape)
        yield Batch(x, y, x, y, None)


def own_perplexity(logits: Tensor) -> float:
    """Of what a model believes (..., K), whatever came."""
    return math.exp(torch.distributions.Categorical(logits=logits.double()).entropy().mean().item())
