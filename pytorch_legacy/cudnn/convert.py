"""From cudnn's layers to those of nn and back."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from pytorch_legacy.cudnn.pooling import EXCLUDE, INCLUDE
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn.Module import Module

# Layers that both packages have under one name.
_SHARED = (
    "BatchNormalization", "LogSoftMax", "ReLU", "Sigmoid", "SoftMax", "SpatialAveragePooling", "SpatialBatchNormalization",
    "SpatialConvolution", "SpatialCrossMapLRN", "SpatialDilatedConvolution", "SpatialFullConvolution", "SpatialLogSoftMax",
    "SpatialMaxPooling", "SpatialSoftMax", "Tanh", "VolumetricAveragePooling", "VolumetricBatchNormalization",
    "VolumetricConvolution", "VolumetricDilatedConvolution", "VolumetricFullConvolution", "VolumetricMaxPooling",
)  # fmt: skip
_OTHERS = {"nn.SpatialConvolutionMM": "SpatialConvolution", "inn.SpatialCrossResponseNormalization": "SpatialCrossMapLRN"}
# Fields that the layers of cudnn have and those of nn have not.
_CUDNN_ONLY = ("mode", "algorithm", "groups", "iSize", "fmode", "bdmode", "bwmode")
_MODES = {"ReLU": "CUDNN_ACTIVATION_RELU", "Tanh": "CUDNN_ACTIVATION_TANH", "Sigmoid": "CUDNN_ACTIVATION_SIGMOID"}


def convert(net: Module, dst: ModuleType, exclusion_fn: Callable[[Module], bool] | None = None) -> Module:
    """Replaces, in `net`, layers of the one package by those of the other, and returns `net` (or what replaces it).

    The new layers take over the fields of the old ones: parameters are shared, not copied. What has no counterpart stays
    as it is: it runs beside the others. That holds for grouped convolutions on the way to ``nn``, and for pooling without
    division on the way to cudnn.

    Parameters
    ----------
    net : Module
    dst : module
        ``pl.nn`` or ``pl.cudnn``: the package of the layers to get.
    exclusion_fn : callable, optional
        Layers for which it returns True stay as they are.

    Raises
    ------
    ValueRangeError
        If `dst` is another package.

    Notes
    -----
    cudnn's SoftMax and LogSoftMax take all places of a sample together, those of ``nn`` each place by itself. Where there is
    one place only, as behind Linear, they are the same.
    Source: cudnn.torch ``cudnn.convert``.

    Examples
    --------
    >>> net = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    >>> cudnn.convert(net, pl.cudnn).modules
    [nn.Linear(3 -> 2), cudnn.ReLU]
    >>> cudnn.convert(net, pl.nn).modules
    [nn.Linear(3 -> 2), nn.ReLU]
    """
    target = dst.__name__.rpartition(".")[2]
    if target not in ("nn", "cudnn"):
        raise ValueRangeError(f"cudnn.convert: dst: expected pl.nn or pl.cudnn, got {dst.__name__}")
    source = "nn" if target == "cudnn" else "cudnn"

    def replacement(module: Module) -> Module:
        package, _, name = module._typename.partition(".")
        name = _OTHERS.get(module._typename, name if package == source and name in _SHARED else "")
        if not name or (exclusion_fn and exclusion_fn(module)):
            return module
        return (_to_nn if target == "nn" else _to_cudnn)(module, name, getattr(dst, name))

    return net.replace(replacement)


def _to_nn(module: Any, name: str, cls: type[Module]) -> Module:
    if getattr(module, "groups", 1) != 1 or module._typename == "nn.SpatialConvolutionMM":
        return module
    more: dict[str, Any] = {"threshold": 0.0, "val": 0.0} if name == "ReLU" else {}
    if name.endswith("MaxPooling"):
        more["indices"] = np.empty(0, np.int64)
    return _with(cls, {key: value for key, value in module._ownFields().items() if key not in _CUDNN_ONLY} | more)


def _to_cudnn(module: Any, name: str, cls: Any) -> Module:
    fields = {key: value for key, value in module._ownFields().items() if key not in cls._form.private}
    if name.endswith("AveragePooling"):
        if not module.divide:
            return module
        fields["mode"] = INCLUDE if module.count_include_pad else EXCLUDE
    if name in _MODES:
        fields["mode"] = _MODES[name]
    result = _with(cls, fields)
    for key in ("weight", "gradWeight"):
        if module._typename == "nn.SpatialConvolutionMM" and getattr(module, key) is not None:
            setattr(result, key, getattr(module, key).reshape(result._weightShape()))
    return result


def _with(cls: type[Module], fields: dict[str, Any]) -> Any:
    result = cls.__new__(cls)
    result.__dict__ = fields
    return result
