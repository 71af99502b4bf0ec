"""The methods of this blog: one name and one colour each, in every figure, on light and on dark pages.

The hues are those of Okabe and Ito, which people with any colour vision can tell apart, darkened for light pages and
lightened for dark ones to a contrast of at least 3 : 1.
"""

# method: (its printed name, colour on a light page, colour on a dark page, dashes)
METHODS: dict[str, tuple[str, str, str, str]] = {
    "ours": ("LC-PFN (ours)", "#0072b2", "#56b4e9", "-"),
    "paper": ("the paper’s recipe (minutes)", "#c1500f", "#f08a4b", "-"),
    "last": ("last value", "#6b6b6b", "#a8a8a8", ":"),
    "best": ("best so far", "#8c6a5a", "#c9ab9d", ":"),
    "steps": ("last value, own steps", "#4f6d7a", "#a3bfcb", "--"),
    "new": ("LC-PFN (prior of real runs)", "#00796b", "#4fd1c0", "-"),
    "shipped": ("released model", "#ad1457", "#ff80ab", "-"),
    "old": ("previous release (0.1)", "#37658c", "#8bb8dd", "--"),
    "pow3": ("pow3, least squares", "#007a59", "#2bc79b", "--"),
    "pow4": ("pow4, least squares", "#8a6d00", "#e5cf3f", "--"),
    "mmf4": ("MMF4, least squares", "#5c8a00", "#b5d86a", "-."),
    "sum": ("sum of the prior’s families, least squares", "#9a5b2e", "#d9a27a", "--"),
    "mcmc": ("MCMC", "#b3478a", "#e39cc5", "-."),
    "vector": ("MCMC, vectorised", "#00838f", "#4dd0e1", "-."),
    "exact": ("exact posterior", "#5b4bb3", "#a99cf0", "-"),
    "fracast": ("Fracast-0", "#75506b", "#cfa5c4", "-"),
    "told": ("given the planned rate", "#00695f", "#5fd8c6", "-"),
    "untold": ("the same, not given it", "#a84a00", "#ffab66", "--"),
    "oracle": ("oracle", "#1a1a1a", "#f2f2f2", ":"),
    "small": ("1 × 64", "#3d9bd1", "#9fd6f5", "-"),
    "medium": ("2 × 96", "#0072b2", "#56b4e9", "-"),
    "large": ("3 × 128", "#004a75", "#2f8fcf", "-"),
    "coarse": ("LC-PFN, four checks", "#4a7fc1", "#8fb8f0", "--"),
    "none": ("no stopping", "#7a4a21", "#c79a6b", "-"),
    "patience": ("patience", "#9a3fb5", "#d08be6", "-"),
    "one epoch": ("one epoch", "#c2255c", "#ff8fb0", "-."),
    "rungs": ("successive halving", "#4d7a1f", "#a3d06b", "--"),
    "old port": ("old port, faults kept", "#b23c17", "#ff9472", "-"),
    "decoder": ("decoder, forced", "#7b3fa0", "#c08ae0", "-"),
    "epoch given": ("epoch given", "#1f6f8b", "#7fc8e0", "-"),
    "epoch not given": ("epoch not given", "#b5541c", "#f5a26f", "-"),
    "encoding sincos": ("sin–cos", "#2f6db5", "#7db3f2", "-"),
    "recurrent": ("recurrent", "#a3480f", "#f29b5e", "-"),
    "convolution": ("convolution", "#7d3c98", "#c99be0", "-"),
    "attention": ("attention", "#0b6aa6", "#5fb6ea", "-"),
    "state space": ("state space", "#1d7a34", "#7acb8c", "-"),
    "linear attention": ("linear attention", "#b0307a", "#f08cc0", "-"),
    "laws": ("the laws of real runs", "#b8860b", "#f0c75e", "-"),
}
