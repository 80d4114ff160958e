"""Torch7's nn: every class by its own name, each in a file of that name in its family's folder."""

from importlib import import_module

_FAMILIES = {
    "": ("Module", "Container", "Criterion", "Unknown"),
    "container": ("Sequential", "Concat"),
    "table": ("ConcatTable", "ParallelTable", "JoinTable", "CAddTable"),
    "shape": ("Identity", "View", "Reshape", "PixelShuffle"),
    "regularization": ("Dropout",),
    "linear": ("Linear",),
    "convolution": ("SpatialConvolution", "SpatialConvolutionMM"),
    "pooling": ("SpatialMaxPooling", "SpatialAveragePooling", "SpatialAdaptiveAveragePooling", "SpatialAdaptiveMaxPooling", "SpatialGlobalAveragePooling"),
    "activation": ("Threshold", "ReLU", "Tanh", "Sigmoid", "SoftMax", "LogSoftMax"),
    "normalization": ("BatchNormalization", "SpatialBatchNormalization", "VolumetricBatchNormalization"),
    "padding": ("SpatialReplicationPadding",),
    "criterion": ("ClassNLLCriterion", "MSECriterion", "CrossEntropyCriterion"),
    "training": ("StochasticGradient",),
}
_HOME = {name: family for family, names in _FAMILIES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no class {name!r}")
    module = import_module(".".join(filter(None, [__name__, _HOME[name], name])))
    globals()[name] = value = getattr(module, name)
    return value
