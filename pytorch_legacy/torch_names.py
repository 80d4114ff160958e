"""PyTorch's names and Torch7's: an error about an unknown name of PyTorch shows the equivalent in Torch7."""

from __future__ import annotations

from collections.abc import Collection

_FREEZE = "backward() computes all gradients; to freeze a layer, give updateParameters() to the others alone"
_FILES = 'pl.save("net.t7", net) and pl.load("net.t7") keep networks; pl.interop.tensors(net) names their arrays'

ATTRIBUTES = {
    "add_module": "write add(module)",
    "append": "write add(module)",
    "bfloat16": "write .float() or .double()",
    "buffers": "pl.interop.tensors(net) names all arrays",
    "children": "write net.modules, or for a container `for module in net`",
    "cpu": "write .float() or .double(): both bring a module to the host",
    "eval": "write evaluate()",
    "grad": "gradients are in gradWeight and gradBias, and in gradInput",
    "load_state_dict": _FILES,
    "named_children": "write enumerate(net.modules)",
    "named_modules": "write net.listModules()",
    "named_parameters": "net.parameters() gives two lists, parameters and gradients; pl.interop.tensors(net) names them",
    "numpy": "outputs are NumPy's arrays",
    "register_backward_hook": "there are no hooks: put a module of your own into the network",
    "register_buffer": "an attribute is enough: self.name = array",
    "register_forward_hook": "there are no hooks: put a module of your own into the network",
    "register_parameter": "call them weight and bias, with gradWeight and gradBias, or override parameters()",
    "requires_grad": _FREEZE,
    "requires_grad_": _FREEZE,
    "state_dict": _FILES,
    "to": "write .float(), .double() or .cuda()",
    "zero_grad": "write zeroGradParameters()",
}

CLASSES = {
    "AdaptiveAvgPool1d": "TemporalAdaptiveAveragePooling",
    "AdaptiveAvgPool2d": "SpatialAdaptiveAveragePooling",
    "AdaptiveAvgPool3d": "VolumetricAdaptiveAveragePooling",
    "AdaptiveMaxPool1d": "TemporalAdaptiveMaxPooling",
    "AdaptiveMaxPool2d": "SpatialAdaptiveMaxPooling",
    "AdaptiveMaxPool3d": "VolumetricAdaptiveMaxPooling",
    "AvgPool1d": "TemporalAveragePooling",
    "AvgPool2d": "SpatialAveragePooling",
    "AvgPool3d": "VolumetricAveragePooling",
    "BCELoss": "BCECriterion",
    "BCEWithLogitsLoss": "MultiLabelSoftMarginCriterion",
    "BatchNorm1d": "BatchNormalization",
    "BatchNorm2d": "SpatialBatchNormalization",
    "BatchNorm3d": "VolumetricBatchNormalization",
    "Conv1d": "TemporalConvolution",
    "Conv2d": "SpatialConvolution",
    "Conv3d": "VolumetricConvolution",
    "ConvTranspose2d": "SpatialFullConvolution",
    "ConvTranspose3d": "VolumetricFullConvolution",
    "CosineEmbeddingLoss": "CosineEmbeddingCriterion",
    "CosineSimilarity": "CosineDistance",
    "CrossEntropyLoss": "CrossEntropyCriterion",
    "DataParallel": "DataParallelTable",
    "Dropout2d": "SpatialDropout",
    "Dropout3d": "VolumetricDropout",
    "Embedding": "LookupTable",
    "EmbeddingBag": "LookupTable",
    "Flatten": "Collapse",
    "FractionalMaxPool2d": "SpatialFractionalMaxPooling",
    "GLU": "GatedLinearUnit",
    "GRUCell": "GRU",
    "Hardshrink": "HardShrink",
    "Hardtanh": "HardTanh",
    "HingeEmbeddingLoss": "HingeEmbeddingCriterion",
    "InstanceNorm2d": "SpatialInstanceNormalization",
    "KLDivLoss": "DistKLDivCriterion",
    "L1Loss": "AbsCriterion",
    "LPPool2d": "SpatialLPPooling",
    "LSTMCell": "LSTM",
    "LayerNorm": "LayerNormalization",
    "LocalResponseNorm": "SpatialCrossMapLRN",
    "LogSoftmax": "LogSoftMax",
    "MSELoss": "MSECriterion",
    "MarginRankingLoss": "MarginRankingCriterion",
    "MaxPool1d": "TemporalMaxPooling",
    "MaxPool2d": "SpatialMaxPooling",
    "MaxPool3d": "VolumetricMaxPooling",
    "MaxUnpool2d": "SpatialMaxUnpooling",
    "MaxUnpool3d": "VolumetricMaxUnpooling",
    "ModuleList": "Container",
    "MultiLabelMarginLoss": "MultiLabelMarginCriterion",
    "MultiLabelSoftMarginLoss": "MultiLabelSoftMarginCriterion",
    "MultiMarginLoss": "MultiMarginCriterion",
    "NLLLoss": "ClassNLLCriterion",
    "NLLLoss2d": "SpatialClassNLLCriterion",
    "RNN": "Recurrent",
    "ReflectionPad2d": "SpatialReflectionPadding",
    "ReplicationPad2d": "SpatialReplicationPadding",
    "ReplicationPad3d": "VolumetricReplicationPadding",
    "SmoothL1Loss": "SmoothL1Criterion",
    "SoftMarginLoss": "SoftMarginCriterion",
    "Softmax": "SoftMax",
    "Softmax2d": "SpatialSoftMax",
    "Softmin": "SoftMin",
    "Softplus": "SoftPlus",
    "Softshrink": "SoftShrink",
    "Softsign": "SoftSign",
    "Tanhshrink": "TanhShrink",
    "Unflatten": "View",
    "Upsample": "SpatialUpSamplingNearest",
    "UpsamplingBilinear2d": "SpatialUpSamplingBilinear",
    "UpsamplingNearest2d": "SpatialUpSamplingNearest",
    "ZeroPad2d": "SpatialZeroPadding",
}

OPTIMIZERS = {
    "ASGD": "asgd",
    "Adadelta": "adadelta",
    "Adagrad": "adagrad",
    "Adam": "adam",
    "Adamax": "adamax",
    "LBFGS": "lbfgs",
    "RMSprop": "rmsprop",
    "Rprop": "rprop",
    "SGD": "sgd",
}

# For constructors: the names that the argument may have here.
ARGUMENTS = {
    "affine": ("affine",),
    "bias": ("bias", "noBias"),
    "dilation": ("dilationT", "dilationW", "dilationH"),
    "dim": ("dimension", "dim"),
    "embedding_dim": ("nOutput",),
    "hidden_size": ("outputSize", "hiddenSize"),
    "in_channels": ("nInputPlane", "inputFrameSize"),
    "in_features": ("inputSize",),
    "input_size": ("inputSize",),
    "kernel_size": ("kT", "kW", "kH"),
    "lambd": ("lambda_",),
    "max_norm": ("maxNorm",),
    "negative_slope": ("negval",),
    "num_embeddings": ("nIndex",),
    "num_features": ("nOutput",),
    "num_layers": ("numLayers",),
    "out_channels": ("nOutputPlane", "outputFrameSize"),
    "out_features": ("outputSize",),
    "output_padding": ("adjT", "adjW", "adjH"),
    "output_size": ("owidth", "oheight", "W", "H"),
    "padding": ("padT", "padW", "padH", "pad_l", "pad_r", "pad_t", "pad_b"),
    "padding_idx": ("paddingValue",),
    "reduction": ("sizeAverage",),
    "scale_factor": ("scale", "scale_factor"),
    "size_average": ("sizeAverage",),
    "start_dim": ("nInputDim",),
    "stride": ("dT", "dW", "dH"),
    "upscale_factor": ("upscaleFactor",),
    "weight": ("weights",),
}


def attribute_hint(name: str) -> str:
    """Returns what to add to an error about an attribute that a module or criterion lacks."""
    return f"; {ATTRIBUTES[name]}" if name in ATTRIBUTES else ""


def class_hint(name: str) -> str:
    """Returns what to add to an error about a class that ``nn`` lacks."""
    return f"; Torch7 calls it nn.{CLASSES[name]}" if name in CLASSES else ""


def optimizer_hint(name: str) -> str:
    """Returns what to add to an error about an optimizer that ``optim`` lacks."""
    if name not in OPTIMIZERS:
        return ""
    return f"; Torch7 has functions: optim.{OPTIMIZERS[name]}(opfunc, x, config), where opfunc(x) is the loss and its gradient"


def argument_hint(name: str, known: Collection[str]) -> str:
    """Returns what to add to an error about an argument that is not among the `known` ones."""
    found = [here for here in ARGUMENTS.get(name, ()) if here in known]
    if found:
        return f"; Torch7 calls it {', '.join(found)}"
    return "; call noBias() on the layer" if name == "bias" and "nOutputPlane" in known else ""
