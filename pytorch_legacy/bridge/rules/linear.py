"""Affine maps, lookup tables and distances from learned points."""

import numpy as np

from pytorch_legacy import dpnn, nn, rnn

from ..registry import rule
from ..texts import lacks, number, options, whole


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
def index_linear(keys, values, weight, bias, offset=0, normalized=False):
    """The map of one vector that comes as keys and values; rows may begin with 4 columns that normalize values."""
    rows = weight[keys.long() + offset]
    if normalized:
        values = torch.where(values.abs() > rows[:, 0], values.sign(), values * rows[:, 1]) + rows[:, 3]
        rows = rows[:, 4:]
    return values @ rows + bias''')
    more = options(offset=(number(m.offset), "0"), normalized=(bool(m.normalize), False))
    more = f"{w.parameter('weight', m.weight)}, {w.parameter('bias', m.bias)}{more}"
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


@rule(nn.Euclidean)
def euclidean(m, x, w):
    return f"({x}.unsqueeze(-1) - {w.parameter('weight', m.weight)}).norm(dim=-2)"


@rule(nn.WeightedEuclidean)
def weighted_euclidean(m, x, w):
    weight, scale = w.parameter("weight", m.weight), w.parameter("scale", m.diagCov)
    return f"(({x}.unsqueeze(-1) - {weight}) * {scale}).norm(dim=-2)"


@rule(nn.Kmeans)
def kmeans(m, x, w):
    w.note("the number of the nearest center")
    kind = "double" if m._dtype == np.float64 else "float"
    return f"({x}.unsqueeze(1) - {w.parameter('centers', m.weight)}).square().sum(-1).argmin(1).{kind}()"


@rule(dpnn.Dictionary)
def dictionary(m, x, w):
    return lookup_table(m, x, w)
