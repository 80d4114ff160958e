"""The rows of layers that combine tensors: tables, arithmetic, reductions, distances, look-up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pytorch_legacy import nn

from .rows import Row, Shape, text

PLANES = (32, 64, 56, 56)


def rows() -> Iterator[Row]:
    yield from tables()
    yield from arithmetic()
    yield from distances()
    yield from lookup()


def _several(count: int, shape: Shape) -> Callable[[], list[Any]]:
    return lambda: [np.random.default_rng(i).uniform(0.5, 1.5, shape).astype(np.float32) for i in range(count)]


def tables() -> Iterator[Row]:
    n = prod(PLANES)
    for layer, peer, backward in [
        ("CAddTable", torch.add, 12), ("CSubTable", torch.sub, 12), ("CMulTable", torch.mul, 20), ("CDivTable", torch.div, 20),
        ("CMaxTable", torch.maximum, 20), ("CMinTable", torch.minimum, 20),
    ]:  # fmt: skip
        yield Row(layer, f"2 of {text(PLANES)}", PLANES, getattr(nn, layer), lambda m, x, peer=peer: peer(*x),
                  (12 * n, backward * n), input=_several(2, PLANES))  # fmt: skip
    yield Row("JoinTable", f"2 of {text(PLANES)}", PLANES, lambda: nn.JoinTable(1), lambda m, x: torch.cat(x, 1),
              (16 * n, 16 * n), input=_several(2, PLANES))  # fmt: skip
    shape = (64, 128, 128)
    n = prod(shape)
    yield Row("MM", f"2 of {text(shape)}", shape, nn.MM, lambda m, x: torch.bmm(*x), (12 * n, 20 * n),
              (256 * n, 512 * n), input=_several(2, shape))  # fmt: skip


def arithmetic() -> Iterator[Row]:
    n = prod(PLANES)

    def weight(m: Any, name: str) -> Any:
        if not hasattr(m, "peer"):
            m.peer = [torch.from_numpy(getattr(m, name).copy()).requires_grad_()]
        return m.peer[0]

    yield Row("CMul", f"{text(PLANES)} planes", PLANES, lambda: nn.CMul(1, 64, 1, 1), lambda m, x: x * weight(m, "weight"),
              (8 * n, 12 * n), parameters=True)  # fmt: skip
    yield Row("CAdd", f"{text(PLANES)} planes", PLANES, lambda: nn.CAdd(1, 64, 1, 1), lambda m, x: x + weight(m, "bias"),
              (8 * n, 8 * n), parameters=True)  # fmt: skip
    yield Row("Mul", text(PLANES), PLANES, nn.Mul, lambda m, x: x * weight(m, "weight"), (8 * n, 12 * n), parameters=True)
    shape = (4096, 1000)
    n = prod(shape)
    for layer, peer in [
        ("Sum", lambda x: x.sum(1)), ("Mean", lambda x: x.mean(1)), ("Max", lambda x: x.max(1).values),
        ("Min", lambda x: x.min(1).values),
    ]:  # fmt: skip
        yield Row(layer, f"{text(shape)} over 1", shape, lambda layer=layer: getattr(nn, layer)(1),
                  lambda m, x, peer=peer: peer(x), (4 * n, 4 * n))  # fmt: skip
    yield Row("Transpose", text(shape), shape, lambda: nn.Transpose([0, 1]), lambda m, x: x.t().contiguous(), (8 * n, 8 * n))


def distances() -> Iterator[Row]:
    shape = (4096, 1000)
    n = prod(shape)
    for layer, peer in [
        ("PairwiseDistance", lambda x: F.pairwise_distance(*x, eps=0)), ("CosineDistance", lambda x: F.cosine_similarity(*x)),
        ("DotProduct", lambda x: (x[0] * x[1]).sum(1)),
    ]:  # fmt: skip
        make = (lambda: nn.PairwiseDistance(2)) if layer == "PairwiseDistance" else getattr(nn, layer)
        yield Row(layer, f"2 of {text(shape)}", shape, make, lambda m, x, peer=peer: peer(x), (8 * n, 16 * n),
                  input=_several(2, shape))  # fmt: skip
    shape = (256, 64)

    def bilinear(m: Any, x: Any) -> Any:
        if not hasattr(m, "peer"):
            m.peer = [torch.from_numpy(a.copy()).requires_grad_() for a in (m.weight, m.bias)]
        return F.bilinear(*x, *m.peer)

    work = 2 * 256 * 64 * 64 * 32
    yield Row("Bilinear", f"2 of {text(shape)} to 32", shape, lambda: nn.Bilinear(64, 64, 32), bilinear,
              (4 * 64 * 64 * 32, 12 * 64 * 64 * 32), (work, 3 * work), input=_several(2, shape), parameters=True)  # fmt: skip


def lookup() -> Iterator[Row]:
    words, width, count = 20000, 256, 64 * 200

    def peer(m: Any, x: Any) -> Any:
        if not hasattr(m, "peer"):
            m.peer = [torch.from_numpy(m.weight.copy()).requires_grad_()]
        return F.embedding(x, m.peer[0])

    def drawn() -> Any:
        return np.random.default_rng(0).integers(0, words, (64, 200))

    moved = count * (8 + 8 * width)
    yield Row("LookupTable", f"64x200 of {words}x{width}", (64, 200), lambda: nn.LookupTable(words, width), peer,
              (moved, moved), input=drawn, parameters=True)  # fmt: skip
