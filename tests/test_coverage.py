"""Nothing of Torch7 is forgotten: its classes and C functions are here, or on a list of those still to come.

torch_nn_classes.txt has all classes of torch/nn, thnn_functions.txt all functions of the original THNN.h.
"""

from __future__ import annotations

from pathlib import Path

from pytorch_legacy import nn
from tests.capi import FUNCTIONS

HERE = Path(__file__).parent
CLASSES = (HERE / "torch_nn_classes.txt").read_text(encoding="utf-8").split()
ORIGINAL = (HERE / "thnn_functions.txt").read_text(encoding="utf-8").split()

CLASSES_TO_COME = {
    "FeatureLPPooling",
    "IndexLinear",
    "LookupTable",
    "Normalize",
    "SparseLinear",
    "SpatialContrastiveNormalization",
    "SpatialCrossMapLRN",
    "SpatialDilatedConvolution",
    "SpatialDivisiveNormalization",
    "SpatialFullConvolution",
    "SpatialLPPooling",
    "SpatialReflectionPadding",
    "SpatialSubSampling",
    "SpatialSubtractiveNormalization",
    "SpatialUpSamplingBilinear",
    "SpatialUpSamplingNearest",
    "SpatialZeroPadding",
    "TemporalConvolution",
    "TemporalSubSampling",
    "UpSampling",
    "VolumetricConvolution",
    "VolumetricDilatedConvolution",
    "VolumetricFullConvolution",
    "VolumetricReplicationPadding",
}

# A layer stands for all its functions.
LAYERS_TO_COME = {
    "FeatureLPPooling",
    "GRUFused",
    "IndexLinear",
    "LSTMFused",
    "LookupTable",
    "LookupTableBag",
    "SparseLinear",
    "SpatialCrossMapLRN",
    "SpatialDilatedConvolution",
    "SpatialFullConvolution",
    "SpatialFullDilatedConvolution",
    "SpatialGridSamplerBilinear",
    "SpatialReflectionPadding",
    "SpatialSubSampling",
    "SpatialUpSamplingBilinear",
    "SpatialUpSamplingNearest",
    "TemporalConvolution",
    "TemporalSubSampling",
    "VolumetricConvolution",
    "VolumetricConvolutionMM",
    "VolumetricDilatedConvolution",
    "VolumetricFullConvolution",
    "VolumetricFullDilatedConvolution",
    "VolumetricReplicationPadding",
    "VolumetricUpSamplingNearest",
    "VolumetricUpSamplingTrilinear",
    "unfolded",
}


def layer(function: str) -> str:
    return function.rpartition("_")[0]


def test_lists_are_whole() -> None:
    assert len(CLASSES) == len(set(CLASSES)) == 190
    assert len(ORIGINAL) == len(set(ORIGINAL)) == 185


def test_every_class_is_here() -> None:
    missing = {name for name in CLASSES if not (name in nn.__all__ and isinstance(getattr(nn, name), type))}
    assert missing <= CLASSES_TO_COME, "classes of Torch7 that are neither here nor on the list"
    assert missing >= CLASSES_TO_COME, "they are here now: take them off CLASSES_TO_COME"


def test_every_function_is_declared() -> None:
    declared = {function.name for function in FUNCTIONS}
    missing = {layer(name) for name in ORIGINAL if name not in declared}
    assert missing <= LAYERS_TO_COME, "functions of the original THNN.h that are neither here nor on the list"
    assert missing >= LAYERS_TO_COME, "they are here now: take them off LAYERS_TO_COME"
