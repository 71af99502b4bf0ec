"""What tests draw with: the same numbers in every run."""

import torch


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
