"""Batch normalisations of trained networks, folded into what stands before them or replaced by fixed numbers."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.inn.ConstAffine import ConstAffine
from pytorch_legacy.nn.convolution.Convolution import Convolution
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.normalization.BatchNormalization import BatchNormalization


def foldBatchNorm(net: Module) -> Module:
    """Folds each batch normalisation behind a convolution or a Linear into its weight and bias, in place.

    After ``evaluate()`` the network computes what it did before. Normalisations behind anything else stay. Returns `net`.

    Notes
    -----
    Source: imagine-nn ``utils.foldBatchNorm``, which raised an error if one stayed.
    """
    modules = net._children()
    for place in reversed(range(1, len(modules) if isinstance(net, nn.Sequential) else 0)):
        layer, normalization = modules[place - 1], modules[place]
        if isinstance(normalization, BatchNormalization) and _takes(layer, normalization.running_mean.size):
            _fold(layer, *_affine(normalization))
            del modules[place]
    for module in modules:
        foldBatchNorm(module)
    return net


def BNtoFixed(net: Module, inplace: bool = False) -> Module:
    """Replaces each batch normalisation by a ConstAffine that does what it does after ``evaluate()``.

    Parameters
    ----------
    net : Module
        A network, changed in place.
    inplace : bool
        Whether the new layers write over their inputs.

    Returns
    -------
    Module
        `net`, or what replaces it.

    Notes
    -----
    Source: imagine-nn ``utils.BNtoFixed``.
    """

    def replacement(module: Module) -> Module:
        if not isinstance(module, BatchNormalization):
            return module
        fixed = ConstAffine(module.running_mean.size, inplace)
        fixed.type(module._type)
        fixed.a, fixed.b = _affine(module)
        return fixed

    return net.replace(replacement)


def _takes(layer: Module, channels: int) -> bool:
    """Returns True if each row of the weight makes one of so many channels."""
    if isinstance(layer, FullConvolution) or not isinstance(layer, (nn.Linear, Convolution)):
        return False
    return layer.weight is not None and len(layer.weight) == channels


def _affine(normalization: Any) -> tuple[Tensor, Tensor]:
    """The scale and the shift of each channel in evaluation."""
    scale = 1 / np.sqrt(normalization.running_var + normalization.eps)
    if normalization.weight is not None:
        scale *= normalization.weight
    shift = -normalization.running_mean * scale
    return scale, shift if normalization.bias is None else shift + normalization.bias


def _fold(layer: Any, scale: Tensor, shift: Tensor) -> None:
    layer.weight *= scale.reshape(-1, *[1] * (layer.weight.ndim - 1)).astype(layer.weight.dtype)
    if layer.bias is None:
        layer.bias, layer.gradBias = np.zeros((2, scale.size), layer._dtype)
    layer.bias *= scale
    layer.bias += shift
