"""What to do about the classes of networks that the bridge does not write."""

from __future__ import annotations

from pytorch_legacy import dpnn, nnx, rnn

ADVICE: dict[type, str] = {
    nnx.SoftMaxTree: "take its weight and bias by pl.interop, and write the sum over the path of each target",
    nnx.SpatialReSamplingEx: "use F.interpolate, F.avg_pool2d or repeat_interleave, for the mode that it has",
    dpnn.SpatialGlimpse: "cut the patches by F.pad and indexing, and reduce them by F.avg_pool2d",
    dpnn.VRClassReward: "its reward is no function to differentiate: use torch.distributions and their log_prob",
    dpnn.BinaryClassReward: "its reward is no function to differentiate: use torch.distributions and their log_prob",
    rnn.RecurrentAttention: "convert its modules rnn and action one by one, and write the loop over its steps",
}


def advice_of(cls: type) -> str:
    """What to do about a class that has no rule."""
    found = next((ADVICE[base] for base in cls.__mro__ if base in ADVICE), None)
    return found or "convert the parts around it one by one, and write this one yourself"
