"""Each class declares what counts from one, or its whole numbers are listed here as sizes, or as what is the same in both."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any

from pytorch_legacy.files.classes import classes
from pytorch_legacy.lua.counting import argumentKinds, declaration, fieldKinds, methodKinds
from pytorch_legacy.nn import Module
from pytorch_legacy.objects import Object

CLASSES = [*dict.fromkeys(base for cls in classes() for base in cls.__mro__ if hasattr(base, "_counts"))]

# Names of arguments and fields that are numbers of something, in all classes: sizes, strides, paddings, numbers of dimensions.
_SIZES = """
    H T W adjH adjT adjW batchSize batch_size batchnorm batchsize block ch dH dT dW decoderNumStates decoderRnnSize depth
    depthwiseMultiplier dictSize dilationH dilationT dilationW e1x1 e3x3 embeddingSize encoderNumStates encoderRnnSize fanin
    fanout gridH gridW groups height hiddenDim hiddenSize hidden_dim hiddensize iH iW inputChannels inputDim inputFrameSize
    inputSize inputSize1 inputSize2 input_dim inputsize iwh k kH kT kW kernel kernel_size layers legendwidth length
    maxIteration maxT maxoutNumber minK n nBatch nClasses nDim nFeature nHidden nIn nIndex nInputDim nInputDims nInputPlane
    nInputs nKernel nOut nOutput nOutputDim nOutputPlane nStep nclasses ndim nelement noOfFeats noutput numDirections
    numEffectiveLayers numElements numInputDims numLayers num_layers num_noise_channels num_ops num_planes oheight otherDims
    outputDim outputFrameSize outputSize outputsize owh owidth pad pad2H pad2W padH padT padW pad_b pad_l pad_r pad_t padding
    params pback pbottom pfront pleft pool poolSizeH poolSizeT poolSizeW preTrainedVecSize prev_N pright print_interval ptop
    rH rW rho rnnSize rnn_size s1x1 scale size sizes sourceLength sourceSizes stride upscaleFactor vecSize vocabSize
    vocabSizes vocab_size wdMinDim width win wordvec_dim wordvec_size
"""
SIZES = frozenset(_SIZES.split())

# Other whole numbers that are no positions, or the same in both, with the reason: an index is declared, or it stands here.
_TREE = (
    "childIds", "childParent", "maxChildId", "maxDept", "maxFamily", "maxFamilyPath", "maxNodeId", "maxParentId",
    "minNodeId", "nChildNode", "nParentNode", "parentChildren", "parentId", "parentIds", "rootId",
)  # fmt: skip
_NODE = "nodes have numbers that their author chose"
_GPU = "GPUs count from 1 in both; a number means nothing here"
_MERGE = "the number of dimensions of a step"
SAME = {
    "BiSequencer.merge": _MERGE,
    "BiSequencerLM.merge": _MERGE,
    "BorderPadding.first": "a padding",
    "BorderPadding.others": "paddings",
    "DataParallelTable.gpus": _GPU,
    "GPU.device": _GPU,
    "GPU.outdevice": _GPU,
    "IndexLinear.keysOffset": "the distance of keys and rows",
    "IndexLinear.normalize": "the number of columns in front of a row",
    "Kmeans.dim": "a size",
    "MultiMarginCriterion.p": "an exponent",
    "NaN.id": "a name",
    "OnmtFeaturesEmbedding.dim": "a size",
    "OnmtGlobalAttention.dim": "a size",
    "OnmtNoAttention.dim": "a size",
    "Recurrent.start": "a size",
    "SpatialConvolutionCUDA.partialSum": "a number of positions",
    "SpatialS3Pooling.p": "a stride",
    **dict.fromkeys((f"SoftMaxTree.{name}" for name in _TREE), _NODE),
}


def numbers(cls: Any) -> Iterator[tuple[str, str]]:
    """Yields the classes and names of whole numbers, and of arrays of them, that a class neither counts nor declares."""
    constructor = vars(cls).get("__init__")
    for parameter in inspect.signature(constructor).parameters.values() if constructor else ():
        if "int" in str(parameter.annotation) and parameter.name not in argumentKinds(cls):
            yield cls.__name__, parameter.name
    for name, method in [*vars(cls).items()]:
        if name[0] == "_" or not inspect.isfunction(method):
            continue
        for parameter in inspect.signature(method).parameters.values():
            if "int" in str(parameter.annotation) and parameter.name not in methodKinds(cls, name):
                yield cls.__name__, parameter.name
    form = vars(cls).get("_file")
    for name, kind in form.kinds.items() if form else ():
        if "whole number" in kind and name not in fieldKinds(cls):
            yield cls.__name__, name


def test_whole_numbers_are_declared_or_listed() -> None:
    found = {pair for cls in CLASSES for pair in numbers(cls)}
    unlisted = sorted(pair for pair in found if pair[1] not in SIZES and ".".join(pair) not in SAME)
    assert not unlisted, "declare them as _lua = Lua(...), or list them as sizes"
    assert not SIZES - {name for _, name in found}, "no class has them"
    assert not SAME.keys() - {".".join(pair) for pair in found}, "no class has them"


def test_classes_that_take_labels_say_so() -> None:
    """A class whose code reads labels, or looks at the range of indices, declares what its passes or methods count."""
    silent = []
    for cls in CLASSES:
        tree = ast.parse(inspect.getsource(inspect.getmodule(cls)))  # type: ignore[arg-type]
        body = next((node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == cls.__name__), None)
        calls = {ast.unparse(node.func) for node in ast.walk(body) if isinstance(node, ast.Call)} if body else set()
        if calls & {"check.labels", "check.below"} and declaration(cls) == declaration(Module):
            silent.append(cls.__name__)
    assert not silent


def test_what_a_docstring_says_is_declared() -> None:
    """A class whose docstring says that something counts from 0 declares it."""
    plain = declaration(Module), declaration(Object)
    speaking = [cls for cls in CLASSES if re.search(r"count(s|ed)?\s+from\s+0", cls.__doc__ or "")]
    silent = [cls.__name__ for cls in speaking if declaration(cls) in plain and not fieldKinds(cls)]
    assert not silent
