"""Guards curvecast/training/stream.py: a curve is its place in the stream, however it is cut into chunks."""

import torch

from curvecast.curves import by_number
from curvecast.curves.prior import PriorConfig, sample
from curvecast.training.stream import Chunk, curves_of, seed_of

PRIOR = PriorConfig(length=20)


def chunks(size: int, count: int, seed: int = 0) -> torch.Tensor:
    return torch.cat([curves_of(Chunk(PRIOR, seed, "number", size, i, "cpu")).noisy for i in range(count)])


def test_a_numbered_curve_is_its_place_in_the_stream():
    """Whatever the size of a chunk; each can be drawn alone."""
    stream = chunks(400, 12)
    assert stream.dtype == torch.float32 and len(stream.unique(dim=0)) == len(stream) == 4800
    assert torch.allclose(chunks(1600, 3), stream, atol=1e-6)
    alone = by_number.sample(PRIOR, 0, torch.tensor([4242])).noisy.float()
    assert torch.allclose(alone, stream[4242:4243], atol=1e-6)
    assert not torch.allclose(stream[:16], chunks(16, 1, seed=1), atol=1e-3)


def test_a_chunk_of_a_generator_has_a_seed_of_its_own():
    generator = torch.Generator().manual_seed(seed_of(7, "curves", 3))
    made = curves_of(Chunk(PRIOR, 7, "generator", 64, 3, "cpu")).noisy
    assert torch.equal(made, sample(PRIOR, 64, generator).noisy)
