"""The conversion of a ``torch.nn.Sequential`` of common layers into a network of Torch7.

Layers of one dimension run as pictures of height 1. `rank` is the number of dimensions of a sample without its batch, if the
layers determine it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite, prod
from typing import Any

import numpy as np
import torch

from pytorch_legacy import authors, cudnn, nn
from pytorch_legacy.errors import DtypeError, UnsupportedError

_ADVICE = (
    "write a class of your own for it (@pl.register, docs/porting.md),"
    " convert the layers before and behind it as Sequentials of their own, and add the three to an nn.Sequential"
)
_DTYPES = {torch.float32: "torch.FloatTensor", torch.float64: "torch.DoubleTensor"}


def import_network(source: Any) -> Any:
    """Returns the network for a Sequential; see `pytorch_legacy.from_torch`."""
    if isinstance(source, torch.nn.modules.loss._Loss):
        raise UnsupportedError(f"from_torch: {type(source).__name__}: losses are not converted; {_loss_advice(source)}")
    if type(source) is not torch.nn.Sequential:
        raise UnsupportedError(
            f"from_torch: expected a torch.nn.Sequential of common layers, got {type(source).__name__};"
            " what to_torch made goes back into its network: from_torch(module, like=net)"
        )
    kinds = {tensor.dtype for tensor in source.state_dict().values() if tensor.is_floating_point()}
    if len(kinds) > 1 or not kinds <= {*_DTYPES}:
        raise DtypeError(f"from_torch: expected weights of float32 or of float64, got {', '.join(sorted(map(str, kinds)))}")
    made = Importer().sequential(source, "")
    made.type(_DTYPES[next(iter(kinds), torch.float32)])
    return made.training() if source.training else made.evaluate()


def _loss_advice(source: Any) -> str:
    """Returns the nearest criterion and how it differs."""
    name, difference = _LOSSES.get(type(source).__name__, ("", ""))
    if not name:
        return "Torch7 has no criterion for this class that is known here"
    return f"the nearest criterion is {name}{difference and ', which differs: '}{difference}"


# The nearest criterion of each loss, and what is not alike.
_LOSSES = {
    "BCELoss": (
        "nn.BCECriterion",
        "it adds 1e-12 in logarithms, which PyTorch keeps above -100: a wrong output of 0 or 1 costs 27.6 here and 100 there",
    ),
    "BCEWithLogitsLoss": ("nn.MultiLabelSoftMarginCriterion", ""),
    "CrossEntropyLoss": ("nn.CrossEntropyCriterion", "it has no label_smoothing, and labels are classes"),
    "HingeEmbeddingLoss": ("nn.HingeEmbeddingCriterion", ""),
    "KLDivLoss": ("nn.DistKLDivCriterion", "its mean is that of all elements, and its target is no logarithm"),
    "L1Loss": ("nn.AbsCriterion", "its gradient of equal numbers is 1"),
    "MSELoss": ("nn.MSECriterion", ""),
    "MultiLabelMarginLoss": ("nn.MultiLabelMarginCriterion", ""),
    "MultiLabelSoftMarginLoss": ("nn.MultiLabelSoftMarginCriterion", ""),
    "MultiMarginLoss": ("nn.MultiMarginCriterion", ""),
    "NLLLoss": ("nn.ClassNLLCriterion", ""),
    "SmoothL1Loss": ("nn.SmoothL1Criterion", "its beta is 1"),
    "SoftMarginLoss": ("nn.SoftMarginCriterion", "it stays finite for large inputs"),
}


class Importer:
    """Converts layers in the order in which they run, and tracks the shape of the values between them."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}  # the module made for each layer, at the layer's first place
        self.rank: int | None = None
        self.following: int | None = None  # the inputs of the Linear layer that comes next
        self.rank_ahead: int | None = None  # the rank that the next layer with a number of dimensions takes

    def sequential(self, source: Any, place: str) -> Any:
        """The Sequential, whose layers stand in the order of `source`'s."""
        made = nn.Sequential()
        for name, layer in source._modules.items():  # named_children() leaves out what stands there twice
            way = f"{place}.{name}" if place else name
            if not place:
                self.following, self.rank_ahead = _following(source, layer), _rank_ahead(source, layer)
            is_inner = type(layer) is torch.nn.Sequential
            one = self.sequential(layer, way) if is_inner else self._layer(layer, way)
            if (first := self.made.setdefault(id(layer), one)) is not one:
                one.share(first, "weight", "bias", "gradWeight", "gradBias", "running_mean", "running_var")
            made.add(one)
        return made

    def _layer(self, layer: Any, place: str) -> Any:
        where = f"from_torch: {place} ({type(layer).__name__})"
        make = _LAYERS.get(type(layer))
        if make is None and isinstance(layer, torch.nn.modules.loss._Loss):
            raise UnsupportedError(f"{where}: a loss is no layer of a network; {_loss_advice(layer)}")
        if make is None:
            raise UnsupportedError(f"{where}: Torch7 has no layer for this class; {_ADVICE}")
        try:
            return make(self, layer)
        except _Lacks as error:
            raise UnsupportedError(f"{where}: Torch7's layer has {error}; {_ADVICE}") from None

    # ---- with weights

    def convolution(self, layer: Any) -> Any:
        rank = layer.weight.ndim - 2
        transposed = "Transpose" in type(layer).__name__
        if layer.padding_mode != "zeros":
            raise _Lacks("no padding but zeros")
        kernel, stride, dilation = ([*pair] for pair in (layer.kernel_size, layer.stride, layer.dilation))
        padding = _same(layer) if isinstance(layer.padding, str) else [*layer.padding]
        adjust = [*layer.output_padding]
        if rank == 1:
            kernel, stride, dilation = ([1, *pair] for pair in (kernel, stride, dilation))
            padding, adjust = [0, *padding], [0, *adjust]
        dilated, groups = any(size > 1 for size in dilation), layer.groups
        planes = layer.in_channels, layer.out_channels
        numbers = [*map(_ordered, (kernel, stride, padding))]
        arguments: Any = [*planes, *(number for numbers_ in numbers for number in numbers_)]
        volume = rank == 3
        if (transposed and dilated) or (groups > 1 and (dilated or volume)):
            raise _Lacks("no dilation here" if dilated else "no groups here")
        made: Any
        if transposed:
            arguments += _ordered(adjust)
            if groups > 1:
                made = _grouped(cudnn.SpatialFullConvolution, arguments, groups)
            else:
                made = (nn.VolumetricFullConvolution if volume else nn.SpatialFullConvolution)(*arguments)
        elif dilated:
            made = (nn.VolumetricDilatedConvolution if volume else nn.SpatialDilatedConvolution)(*arguments, *_ordered(dilation))
        elif groups > 1:
            made = _grouped(cudnn.SpatialConvolution, arguments, groups)
        else:
            made = (nn.VolumetricConvolution if volume else nn.SpatialConvolution)(*arguments)
        self.rank = rank + 1
        return _flat_picture(_filled(made, layer), rank)

    def linear(self, layer: Any) -> Any:
        made = _filled(nn.Linear(layer.in_features, layer.out_features, layer.bias is not None), layer)
        if self.rank is not None and self.rank > 1:
            return nn.Bottle(made)
        self.rank = 1
        return made

    def norm(self, layer: Any) -> Any:
        if layer.momentum is None or not layer.track_running_stats:
            raise _Lacks("running statistics, and a momentum")
        kind = {"1": nn.BatchNormalization, "2": nn.SpatialBatchNormalization, "3": nn.VolumetricBatchNormalization}[
            type(layer).__name__[-2]
        ]
        pictured = kind is nn.BatchNormalization and (self.rank or self.rank_ahead) == 2
        kind = nn.SpatialBatchNormalization if pictured else kind
        made = _filled(kind(layer.num_features, layer.eps, layer.momentum, layer.affine), layer)
        made.running_mean[...], made.running_var[...] = _numbers(layer.running_mean), _numbers(layer.running_var)
        return _flat_picture(made, 1) if pictured else made

    def instance_norm(self, layer: Any) -> Any:
        """The class that networks for style transfer brought along; without affine it has a scale of 1, and a shift of 0."""
        if layer.track_running_stats:
            raise _Lacks("no running statistics")
        rank = int(type(layer).__name__[-2])
        self.rank = rank + 1
        made = authors.InstanceNormalization(layer.num_features, layer.eps)
        made.weight.fill(1)
        return _flat_picture(_filled(made, layer), rank)

    def response_norm(self, layer: Any) -> Any:
        if layer.size % 2 == 0 or self.rank not in (None, 3):
            raise _Lacks("an odd number of planes, of pictures")
        return nn.SpatialCrossMapLRN(layer.size, layer.alpha, layer.beta, layer.k)

    def layer_norm(self, layer: Any) -> Any:
        """The modules of nn.LayerNormalization, with the mean of each row laid along that row."""
        shape = [*layer.normalized_shape]
        count, dimensions = prod(shape), len(shape)
        if dimensions > 1 and self.rank != dimensions:
            raise _Lacks(f"to know that a sample has {dimensions} dimensions, which a layer before it tells")
        mean = nn.Sequential().add(nn.Mean(1)).add(nn.Replicate(count, 1))
        made = nn.Sequential().add(nn.ConcatTable().add(nn.Identity()).add(mean)).add(nn.CSubTable())
        made.add(nn.Normalize(2, count * layer.eps)).add(nn.MulConstant(count**0.5))
        for kind, field, values in ((nn.CMul, "weight", layer.weight), (nn.Add, "bias", layer.bias)):
            if values is not None:
                scale = kind(count).type(_DTYPES[values.dtype])
                getattr(scale, field)[...] = _numbers(values).reshape(-1)
                made.add(scale)
        if dimensions == 1:
            return made if self.rank == 1 else nn.Bottle(made)  # nn.Bottle runs rows as they are
        made.insert(nn.View(count).setNumInputDims(dimensions), 0)
        return made.add(nn.View(*shape).setNumInputDims(1))

    def embedding(self, layer: Any) -> Any:
        if layer.scale_grad_by_freq or layer.sparse:
            raise _Lacks("neither scale_grad_by_freq nor sparse gradients")
        padding = {} if layer.padding_idx is None else {"paddingValue": layer.padding_idx}
        norm = {} if layer.max_norm is None else {"maxNorm": layer.max_norm, "normType": layer.norm_type}
        self.rank = 2
        return _filled(nn.LookupTable(layer.num_embeddings, layer.embedding_dim, **padding, **norm), layer)

    # ---- without

    def pool(self, layer: Any) -> Any:
        name = type(layer).__name__
        rank, is_max = int(name[-2]), name.startswith("Max")
        given = [layer.kernel_size, layer.stride, layer.padding, layer.dilation if is_max else 1]
        kernel, stride, padding, dilation = ([*size] if isinstance(size, tuple) else [size] * rank for size in given)
        if getattr(layer, "return_indices", False) or getattr(layer, "divisor_override", None):
            raise _Lacks("neither return_indices nor divisor_override")
        if rank == 1:
            kernel, stride, padding, dilation = [1, *kernel], [1, *stride], [0, *padding], [1, *dilation]
        numbers = [number for sizes in (kernel, stride, padding) for number in _ordered(sizes)]
        made: Any
        if any(size > 1 for size in dilation):
            made = (nn.VolumetricDilatedMaxPooling if rank == 3 else nn.SpatialDilatedMaxPooling)(*numbers, *_ordered(dilation))
        elif is_max:
            made = (nn.VolumetricMaxPooling if rank == 3 else nn.SpatialMaxPooling)(*numbers)
        else:
            made = (nn.VolumetricAveragePooling if rank == 3 else nn.SpatialAveragePooling)(*numbers)
            if not layer.count_include_pad:
                made.setCountExcludePad()
        self.rank = rank + 1
        return _flat_picture(made.ceil() if layer.ceil_mode else made, rank)

    def lp_pool(self, layer: Any) -> Any:
        rank, power = int(type(layer).__name__[-2]), layer.norm_type
        if not isfinite(power):
            raise _Lacks("finite norms; a maximum is nn.Abs and nn.SpatialMaxPooling")
        stride = layer.kernel_size if layer.stride is None else layer.stride
        kernel, stride = ([*size] if isinstance(size, tuple) else [size] * rank for size in (layer.kernel_size, stride))
        self.rank = rank + 1
        if rank == 1:
            kernel, stride = [1, *kernel], [1, *stride]
        sizes = *_ordered(kernel), *_ordered(stride)
        if rank < 3 and not layer.ceil_mode:
            return _flat_picture(nn.SpatialLPPooling(0, power, *sizes), rank)
        mean = (nn.VolumetricAveragePooling if rank == 3 else nn.SpatialAveragePooling)(*sizes)
        made = nn.Sequential().add(nn.Power(power)).add(mean.ceil() if layer.ceil_mode else mean)
        return _flat_picture(made.add(nn.MulConstant(prod(kernel))).add(nn.Power(1 / power)), rank)

    def adaptive(self, layer: Any) -> Any:
        name = type(layer).__name__
        rank, size = int(name[-2]), layer.output_size
        if getattr(layer, "return_indices", False):
            raise _Lacks("no return_indices")
        sizes = [*size] if isinstance(size, tuple) else [size] * rank
        sizes = [1, *sizes] if rank == 1 else sizes
        kind = f"{'Volumetric' if rank == 3 else 'Spatial'}Adaptive{'Max' if 'Max' in name else 'Average'}Pooling"
        self.rank = rank + 1
        return _flat_picture(getattr(nn, kind)(*_ordered(sizes)), rank)

    def flatten(self, layer: Any) -> Any:
        sizes: Any = self.following
        if layer.start_dim != 1 or layer.end_dim not in (-1, self.rank):
            raise _Lacks("the batch first, and flattens all the rest")
        if self.rank is None and self.following is None:
            raise _Lacks("to know the rank of its input, or the size of a Linear layer behind it")
        made = nn.View(-1).setNumInputDims(self.rank) if self.rank is not None else nn.View(-1, sizes)
        self.rank = 1
        return made

    def unflatten(self, layer: Any) -> Any:
        if self.rank is None or not isinstance(layer.dim, int):
            raise _Lacks("to know the rank of its input, which a layer before it tells")
        dim, sizes = layer.dim % (self.rank + 1), [*layer.unflattened_size]
        whole = [-1] * (dim - 1) + sizes + [-1] * (self.rank - dim)
        if not dim or whole.count(-1) > 1:
            raise _Lacks("the batch first, and at most one size that is not said")
        made = nn.View(*whole).setNumInputDims(self.rank)
        self.rank = len(whole)
        return made

    def soft(self, layer: Any) -> Any:
        rank = self.rank or 1
        if layer.dim not in ({None, 1, -rank} if rank != 2 else {2, -1}):
            raise _Lacks("the dimension of classes or planes alone")
        made = nn.LogSoftMax() if isinstance(layer, torch.nn.LogSoftmax) else nn.SoftMax()
        return nn.Bottle(made) if rank == 2 else made

    def drop_planes(self, layer: Any) -> Any:
        """Torch7's layer scales in evaluation, PyTorch's while training."""
        made = nn.Sequential().add((nn.SpatialDropout if "2" in type(layer).__name__ else nn.VolumetricDropout)(layer.p))
        return made.add(nn.MulConstant(1 / (1 - layer.p))) if layer.p < 1 else made

    def upsample(self, layer: Any) -> Any:
        scale = layer.scale_factor
        scale = scale[0] if isinstance(scale, tuple) and len({*scale}) == 1 else scale
        if scale is None or isinstance(scale, tuple) or scale != int(scale):
            raise _Lacks("one whole scale_factor")
        rank = self.rank or self.rank_ahead or (2 if layer.mode == "linear" else 3)
        kinds: dict[tuple[str, int], Any] = {("nearest", rank): nn.SpatialUpSamplingNearest}
        if layer.align_corners:
            kinds |= {("linear", 2): nn.SpatialUpSamplingBilinear, ("bilinear", 3): nn.SpatialUpSamplingBilinear}
        made = kinds.get((layer.mode, rank))
        if made is None or rank not in (2, 3):
            raise _Lacks("the mode nearest of pictures and lines, and bilinear or linear with align_corners=True")
        self.rank = rank
        if rank == 3:
            return made(int(scale))
        return nn.Sequential().add(nn.Unsqueeze(2, 2)).add(made(int(scale))).add(nn.Select(-1, 0))  # columns, all alike

    def pad(self, layer: Any) -> Any:
        if getattr(layer, "value", 0):
            raise _Lacks("no value but 0")
        kinds = {"Z": "SpatialZeroPadding", "C": "SpatialZeroPadding", "Refl": "SpatialReflectionPadding"}
        name = type(layer).__name__
        kind = "VolumetricReplicationPadding" if name == "ReplicationPad3d" else "SpatialReplicationPadding"
        kind = next((wanted for start, wanted in kinds.items() if name.startswith(start)), kind)
        return getattr(nn, kind)(*layer.padding)


class _Lacks(Exception):
    pass


def _grouped(kind: Any, arguments: Any, groups: int) -> Any:
    return kind(*arguments, groups=groups)


def _from(source: Any, layer: Any) -> list[Any]:
    """`layer` and what comes behind it."""
    modules = [*source.modules()]
    return modules[next(i for i, module in enumerate(modules) if module is layer) :]


def _following(source: Any, layer: Any) -> int | None:
    """The inputs of the first Linear layer behind `layer`."""
    return next((module.in_features for module in _from(source, layer) if isinstance(module, torch.nn.Linear)), None)


def _rank_ahead(source: Any, layer: Any) -> int | None:
    """The rank of a sample that the first layer tells which has a number of dimensions in its name: 3 for Conv2d."""
    isStretched = False
    for module in _from(source, layer):
        name = type(module).__name__
        isStretched |= isinstance(module, torch.nn.Upsample)
        if isinstance(module, torch.nn.BatchNorm1d) and not isStretched:
            continue  # BatchNorm1d takes rows, too
        if isinstance(module, (torch.nn.Linear, torch.nn.Flatten)):
            return None
        if name[-1] == "d" and name[-2:-1].isdigit():
            return int(name[-2]) + 1
    return None


def _ordered(sizes: list[Any]) -> list[Any]:
    """Time, height, width as Torch7 takes them: time, width, height."""
    return [*sizes[:-2], sizes[-1], sizes[-2]]


def _same(layer: Any) -> list[int]:
    if layer.padding == "valid":
        return [0] * len(layer.kernel_size)
    whole = [step * (size - 1) for step, size in zip(layer.dilation, layer.kernel_size, strict=True)]
    if any(pad % 2 for pad in whole):
        raise _Lacks("the same padding on both sides")
    return [pad // 2 for pad in whole]


def _numbers(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().numpy())


def _filled(made: Any, layer: Any) -> Any:
    """The layer with the weight and bias of PyTorch's, in its type."""
    if getattr(layer, "weight", None) is None:
        return made
    made.type(_DTYPES[layer.weight.dtype])
    made.weight[...] = _numbers(layer.weight).reshape(made.weight.shape)
    if getattr(layer, "bias", None) is not None:
        made.bias[...] = _numbers(layer.bias)
    elif isinstance(layer, torch.nn.modules.conv._ConvNd):
        made.noBias()
    return made


def _flat_picture(made: Any, rank: int) -> Any:
    """The layer of pictures for lines, which have no height."""
    if rank != 1:
        return made
    return nn.Sequential().add(nn.Unsqueeze(1, 2)).add(made).add(nn.Squeeze(1, 3))


def _softplus(layer: Any) -> Any:
    made = nn.SoftPlus(layer.beta)
    made.threshold = layer.threshold
    return made


def _layers() -> Iterator[tuple[type, Callable[[Importer, Any], Any]]]:
    t = torch.nn
    for kind in (t.Conv1d, t.Conv2d, t.Conv3d, t.ConvTranspose1d, t.ConvTranspose2d, t.ConvTranspose3d):
        yield kind, Importer.convolution
    for kind in (t.MaxPool1d, t.MaxPool2d, t.MaxPool3d, t.AvgPool1d, t.AvgPool2d, t.AvgPool3d):
        yield kind, Importer.pool
    for width in "123":
        for name in ("AdaptiveMaxPool", "AdaptiveAvgPool"):
            yield getattr(t, f"{name}{width}d"), Importer.adaptive
        yield getattr(t, f"BatchNorm{width}d"), Importer.norm
        yield getattr(t, f"LPPool{width}d"), Importer.lp_pool
    for kind in (t.ZeroPad2d, t.ConstantPad2d, t.ReflectionPad2d, t.ReplicationPad2d, t.ReplicationPad3d):
        yield kind, Importer.pad
    yield from {
        t.Linear: Importer.linear, t.Embedding: Importer.embedding, t.Flatten: Importer.flatten, t.Upsample: Importer.upsample,
        t.InstanceNorm1d: Importer.instance_norm, t.InstanceNorm2d: Importer.instance_norm, t.LayerNorm: Importer.layer_norm,
        t.LocalResponseNorm: Importer.response_norm, t.Unflatten: Importer.unflatten,
        t.UpsamplingNearest2d: Importer.upsample, t.UpsamplingBilinear2d: Importer.upsample,
        t.Softmax: Importer.soft, t.LogSoftmax: Importer.soft,
        t.Dropout2d: Importer.drop_planes, t.Dropout3d: Importer.drop_planes,
    }.items()  # fmt: skip
    plain: dict[type, Callable[[Any], Any]] = {
        t.Identity: lambda m: nn.Identity(),
        t.ReLU: lambda m: nn.ReLU(m.inplace),
        t.ReLU6: lambda m: nn.ReLU6(m.inplace),
        t.LeakyReLU: lambda m: nn.LeakyReLU(m.negative_slope, m.inplace),
        t.ELU: lambda m: nn.ELU(m.alpha, m.inplace),
        t.RReLU: lambda m: nn.RReLU(m.lower, m.upper, m.inplace),
        t.PReLU: lambda m: _filled(nn.PReLU(m.num_parameters if m.num_parameters > 1 else 0), m),
        t.Threshold: lambda m: nn.Threshold(m.threshold, m.value, m.inplace),
        t.Hardtanh: lambda m: nn.HardTanh(m.min_val, m.max_val, m.inplace),
        t.Sigmoid: lambda m: nn.Sigmoid(),
        t.Tanh: lambda m: nn.Tanh(),
        t.Softplus: _softplus,
        t.Softsign: lambda m: nn.SoftSign(),
        t.LogSigmoid: lambda m: nn.LogSigmoid(),
        t.Softshrink: lambda m: nn.SoftShrink(m.lambd),
        t.Hardshrink: lambda m: nn.HardShrink(m.lambd),
        t.Tanhshrink: lambda m: nn.TanhShrink(),
        t.SiLU: lambda m: nn.Sequential().add(nn.ConcatTable().add(nn.Identity()).add(nn.Sigmoid())).add(nn.CMulTable()),
        t.SELU: lambda m: nn.Sequential().add(nn.ELU(1.6732632423543772)).add(nn.MulConstant(1.0507009873554805)),
        t.Softmax2d: lambda m: nn.SpatialSoftMax(),
        t.Dropout: lambda m: nn.Dropout(m.p),
        t.PixelShuffle: lambda m: nn.PixelShuffle(m.upscale_factor),
    }
    for kind, make in plain.items():
        yield kind, lambda importer, layer, make=make: make(layer)  # type: ignore[misc]


_LAYERS = dict(_layers())
