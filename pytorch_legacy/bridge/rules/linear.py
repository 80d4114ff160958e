"""Affine maps, lookup tables and distances from learned points."""

import numpy as np

from pytorch_legacy import dpnn, nn, rnn

from ..registry import rule
from ..texts import joined, lacks, number, options, whole
from .arithmetic import distance
from .normalization import WITH_LOSS


def fully_connected(w, weight, bias):
    """``self.fc1`` of a weight of outputs x inputs."""
    outputs, inputs = weight.shape
    return w.layer("fc", f"nn.Linear({inputs}, {outputs}{options(bias=(bias is not None, True))})", weight=weight, bias=bias)


@rule(nn.Linear)
def linear(m, x, w):
    if (turned := w.fields.holder(m.weight.T)) is not None and m.weight.ndim == 2 and min(m.weight.shape) > 1:
        w.note("the same memory in the file, turned")
        bias = "" if m.bias is None else f", {w.parameter('bias', m.bias)}"
        return f"F.linear({x}, {turned}.T{bias})"
    return f"{fully_connected(w, m.weight, m.bias)}({x})"


@rule(nn.LinearWeightNorm)
def linear_weight_norm(m, x, w):
    v, g = w.parameter("direction", m.v), w.parameter("length", m.g)
    bias = "" if m.bias is None else f", {w.parameter('bias', m.bias)}"
    return f"F.linear({x}, {v} * ({g} / {v}.norm(dim=1, keepdim=True)){bias})"


@rule(nn.SparseLinear)
def sparse_linear(m, x, w):
    name = w.helper('''
def sparse_linear(entries, weight, bias):
    """Of rows (column, value), of one sample or of a batch; those of value 0 are padding."""
    columns = torch.where(entries[..., 1] == 0, 0, entries[..., 0]).long()
    return (weight.T[columns] * entries[..., 1:]).sum(-2) + bias''')
    weight, bias = w.parameter("weight", m.weight), w.parameter("bias", m.bias)
    w.note("columns count from 0")
    if isinstance(x, list):
        return f"torch.stack([{', '.join(f'{name}({part}, {weight}, {bias})' for part in x)}])"
    return f"{name}({x}, {weight}, {bias})"


@rule(nn.IndexLinear)
def index_linear(m, x, w):
    name = w.helper('''
def index_linear(keys, values, weight, bias, offset=0):
    """Returns the map of one vector that comes as keys and values."""
    return values @ weight[keys.long() + offset] + bias''')
    bias, more = w.parameter("bias", m.bias), options(offset=(number(m.offset), "0"))
    if m.normalize:
        name = w.helper('''
def normalized_index_linear(keys, values, weight, bias, shift, largest, factor, training, offset=0):
    """The same for values that are divided by the largest magnitude of their key, which training keeps, and shifted."""
    rows = keys.long() + offset
    if training:
        before = largest.clone()
        largest.scatter_reduce_(0, rows, values.detach().abs(), "amax")
        factor.copy_(torch.where(largest > before, 1 / largest, factor))
    values = torch.where(values.abs() > largest[rows], values.sign(), values * factor[rows]) + shift[rows]
    return index_linear(keys, values, weight, bias, offset)''')
        kept = (w.buffer(f"running_{stem}", m.weight[:, i]) for i, stem in enumerate(("largest", "factor")))
        bias = joined([bias, w.parameter("shift", m.weight[:, 3]), *kept, "self.training"])
    more = f"{w.parameter('weight', m.weight[:, m.normalize :])}, {bias}{more}"
    w.note("keys count from 0")
    keys, values = x[:2]
    if not isinstance(keys, list) and len(x) == 2:
        return f"{name}({keys}, {values}, {more})"
    if not isinstance(keys, list):
        keys, values = (f"{part}.split({x[2]}.tolist())" for part in x[:2])
        lengths = [array.tolist() for array in x[2].arrays]
        if any(len(each) != len(lengths[0]) for each in lengths):
            raise lacks(m, "the number of vectors varies; give examples that agree there")
        keys, values = (w.let(text, len(lengths[0])) for text in (keys, values))
    return f"torch.stack([{', '.join(f'{name}({k}, {v}, {more})' for k, v in zip(keys, values, strict=True))}])"


@rule(nn.PartialLinear)
def partial_linear(m, x, w):
    layer = fully_connected(w, m.weight, None if m.bias is None else m.bias.reshape(-1))
    rows = f"{x}[None]" if x.ndim == 1 else str(x)
    if m.partition is None:
        return f"{layer}({rows})"
    w.note("only the outputs that were asked for")
    return f"{layer}({rows}).index_select(1, {w.buffer('partition', np.asarray(m.partition, np.int64))})"


@rule(nn.Bilinear)
def bilinear(m, x, w):
    outputs, first, second = m.weight.shape
    constructor = f"nn.Bilinear({first}, {second}, {outputs}{options(bias=(m.bias is not None, True))})"
    return f"{w.layer('bilinear', constructor, weight=m.weight, bias=m.bias)}({x[0]}, {x[1]})"


def embedding(w, weight, **more):
    """``self.embed1`` of a weight of rows x anything."""
    size = weight[0].size
    return w.layer("embed", f"nn.Embedding({len(weight)}, {size}{options(**more)})", weight=weight.reshape(len(weight), size))


def indices(x, w):
    """`x` as indices, which PyTorch takes as integers."""
    w.note("indices count from 0")
    return whole(x)


@rule(nn.LookupTable)
def lookup_table(m, x, w):
    more = {
        "max_norm": ("None" if m.maxNorm is None else number(float(m.maxNorm)), "None"),
        "norm_type": (number(float(m.normType)) if m.maxNorm is not None else "2.0", "2.0"),
        "scale_grad_by_freq": (bool(m.shouldScaleGradByFreq), False),
        "padding_idx": (m.paddingValue if 0 <= m.paddingValue < len(m.weight) else "None", "None"),
    }
    text = f"{embedding(w, m.weight, **more)}({indices(x, w)})"
    return text if m.weight.ndim == 2 else f"{text}.unflatten(-1, {m.weight.shape[1:]})"


@rule(rnn.LookupTableMaskZero)
def lookup_table_mask_zero(m, x, w):
    m.weight[0] = 0  # as each of its passes does
    layer = embedding(w, m.weight, padding_idx=(0, None))
    w.note("index 0 is padding: a row of zeros")
    return f"{layer}({whole(x)})"


@rule(nn.Cosine)
def cosine(m, x, w):
    return f"F.linear(F.normalize({x}, dim=-1), F.normalize({w.parameter('weight', m.weight)}, dim=-1))"


@rule(nn.Euclidean, nn.WeightedEuclidean)
def euclidean(m, x, w):
    difference = f"{x}.unsqueeze(-1) - {w.parameter('weight', m.weight)}"
    if isinstance(m, nn.WeightedEuclidean):
        difference = f"({difference}) * {w.parameter('scale', m.diagCov)}"
    return distance(w, difference, 2, m.EPS, -2)


@rule(nn.Kmeans)
def kmeans(m, x, w):
    w.helper(WITH_LOSS)
    name = w.helper('''
def nearest_center(x, centers, scale=1.0):
    """Returns the number of the center that is nearest to each row. A step of SGD moves centers to the means of their rows."""
    number = (x.unsqueeze(1) - centers).square().sum(-1).argmin(1)
    counts = (number[:, None] == torch.arange(len(centers), device=x.device)).sum(0).to(x.dtype)
    squares = (centers[number] - x.detach()).square().sum(-1)
    return with_loss(number.to(x.dtype), scale / 2 * (squares / (counts[number] + 1e-7)).sum())''')
    w.note("the number of the nearest center")
    more = options(scale=("1.0" if m.scale is None else number(float(m.scale)), "1.0"))
    return f"{name}({x}, {w.parameter('centers', m.weight)}{more})"


@rule(dpnn.Dictionary)
def dictionary(m, x, w):
    return lookup_table(m, x, w)
