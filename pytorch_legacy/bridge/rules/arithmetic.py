"""Sums, products and distances; learned scales and shifts."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.nn.math.broadcasting import aligned

from ..registry import rule
from ..texts import axis, joined, lacks, number, options
from .normalization import STRAIGHT_THROUGH

COSINE = '''
def cosine(x, y, eps=1e-12):
    """Returns the cosines of the angles between rows; eps is under the roots, unlike that of F.cosine_similarity."""
    return (x * y).sum(-1) / (((x * x).sum(-1) + eps).sqrt() * ((y * y).sum(-1) + eps).sqrt())'''


@rule(nn.CosineDistance)
def cosine_distance(m, x, w):
    return _of_rows(x, f"{w.helper(COSINE)}({x[0]}, {x[1]})")


@rule(nn.DotProduct)
def dot_product(m, x, w):
    return _of_rows(x, f"({x[0]} * {x[1]}).sum(-1)")


def distance(w, difference, p, eps, dimension):
    """Returns the text of a norm whose gradient has an eps, as Torch7 has it."""
    w.helper(STRAIGHT_THROUGH)
    name = w.helper('''
def distance(difference, p, eps, dim):
    """Returns the p-norms along a dimension. In the denominator of their gradient eps is added to the norm."""
    norm = torch.linalg.vector_norm(difference, p, dim)
    factor = torch.where(norm > 0, (norm / (norm + eps)).pow(p - 1), 1)
    return straight_through(norm, norm * factor.detach())''')
    return f"{name}({difference}, {number(p)}, {number(eps)}, {dimension})"


@rule(nn.PairwiseDistance)
def pairwise_distance(m, x, w):
    return _of_rows(x, distance(w, f"{x[0]} - {x[1]}", m.norm, 1e-6, -1))


def _of_rows(x, text):
    """Two single vectors give an array of one."""
    return text if x[0].ndim > 1 else f"{text}[None]"


@rule(nn.MM)
def matrix_product(m, x, w):
    first, second = (
        f"{part}.transpose(-1, -2)" if turned else str(part) for part, turned in zip(x, (m.transA, m.transB), strict=True)
    )
    return f"{first} @ {second}"


@rule(nn.MV)
def matrix_vector_product(m, x, w):
    return f"({x[0]}{'.transpose(-1, -2)' if m.trans else ''} @ {x[1]}.unsqueeze(-1)).squeeze(-1)"


def laid(m, name, stem, x, w):
    """A parameter as our layer lays it over its input."""
    array = aligned(m, getattr(m, name), x.shapes[0])
    if any(aligned(m, getattr(m, name), shape).shape != array.shape for shape in x.shapes):
        raise lacks(m, f"its {name} fits the input of one example only; give examples that agree in all sizes but the batch")
    while array.ndim > 1 and array.shape[0] == 1:
        array = array[0]
    return w.parameter(stem, array)


@rule(nn.CMul)
def scale(m, x, w):
    return f"{x} * {laid(m, 'weight', 'scale', x, w)}"


@rule(nn.CAdd)
def shift(m, x, w):
    return f"{x} + {laid(m, 'bias', 'shift', x, w)}"


@rule(nn.Add)
def add(m, x, w):
    if m.scalar:
        return f"{x} + {w.parameter('shift', m.bias.reshape(()))}"
    bias = m.bias if all(shape == m.bias.shape for shape in x.shapes) else m.bias.reshape(x.shapes[0][1:])
    return f"{x} + {w.parameter('shift', bias)}"


@rule(nn.Mul)
def multiply(m, x, w):
    return f"{x} * {w.parameter('scale', m.weight.reshape(()))}"


@rule(nn.AddConstant)
def add_constant(m, x, w):
    return f"{x} + {_constant(m, w, 'shift')}"


@rule(nn.MulConstant)
def multiply_constant(m, x, w):
    return f"{x} * {_constant(m, w, 'scale')}"


def _constant(m, w, stem):
    value = m.constant_scalar
    return w.buffer(stem, np.asarray(value, m._dtype)) if isinstance(value, np.ndarray) else number(float(value))


@rule(nn.Constant)
def constant(m, x, w):
    value = w.buffer("constant", np.asarray(m.value, m._dtype))
    after = w.shape_after(m, x)
    if len(after) == np.ndim(m.value):
        return value
    return f"{value}.expand({w.size(x, 0)}, {joined(['-1'] * np.ndim(m.value))})"


@rule(nn.Sum)
def total(m, x, w):
    kept = options(keepdim=(not m.squeeze or x.ndim == 1, False))
    return f"{x}.{'mean' if m.sizeAverage else 'sum'}({axis(m, m.dimension, x, m.nInputDims)}{kept})"


@rule(nn.Max, nn.Min)
def extremum(m, x, w):
    # Not amax, which divides the gradient among equal elements.
    name = "max" if isinstance(m, nn.Max) else "min"
    return f"{x}.{name}({axis(m, m.dimension, x, m.nInputDims)}{options(keepdim=(x.ndim == 1, False))}).values"
