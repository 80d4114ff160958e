"""A network over the collections of Dask."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ArgumentError, DtypeError, ShapeError, UnsupportedError
from pytorch_legacy.nn.Module import Module

from .batches import MOST, Failed, outputs, run
from .sent import Sent, compiled


def map(net: Module, blocks: Any, client: Any = None) -> Any:
    """The outputs of a network for the samples of a collection of Dask, as a collection that is computed when it is asked for.

    The network runs as it is now, in evaluation mode, in batches of at most 64. Each thread has a clone; the parameters go to
    each process once.

    Parameters
    ----------
    net : Module
        Takes a batch and gives one array with a row for each sample.
    blocks : dask.array.Array or dask.bag.Bag
        An array with a sample in each row, or a bag of samples: arrays, whose shapes may differ.
    client : distributed.Client, optional
        Whose scheduler gets the network now; each worker fetches it once. Without it the network travels with the tasks, for
        whatever scheduler runs them.

    Returns
    -------
    dask.array.Array or dask.bag.Bag
        With a row, or an item, for each sample, in their order; blocks and partitions are those of `blocks`.

    Raises
    ------
    ArgumentError
        If `net` is no module, or `blocks` no such collection.
    ShapeError, DtypeError
        If the network does not take rows like these (zeros are tried at once), or, later, a sample of a bag.
    UnsupportedError
        If Dask is not installed.

    Notes
    -----
    A row depends on the rows that it runs with by rounding alone. Threads of Dask are enough to fill a processor:
    ``pl.setNumThreads(1)`` keeps the library from adding its own.

    Examples
    --------
    >>> import numpy as np, pytorch_legacy as pl
    >>> from pytorch_legacy import nn
    >>> import dask.array as da                                                                     # doctest: +SKIP
    >>> rows = da.ones((1000, 3), chunks=(100, 3), dtype=np.float32)                                # doctest: +SKIP
    >>> pl.distributed.map(nn.Sequential(nn.Linear(3, 2), nn.Tanh()), rows)                         # doctest: +SKIP
    dask.array<_of_block, shape=(1000, 2), dtype=float32, chunksize=(100, 2), chunktype=numpy.ndarray>
    """
    try:
        import dask.array as da
        import dask.bag as db
        from dask import delayed
    except ImportError:
        raise UnsupportedError('distributed.map needs dask; run: pip install "pytorch-legacy[dask]"') from None
    if not isinstance(net, Module):
        raise ArgumentError(f"distributed.map: net: expected a module, got {type(net).__name__}")
    if not isinstance(blocks, (da.Array, db.Bag)):
        kind = type(blocks).__name__
        raise ArgumentError(f"distributed.map: blocks: expected a dask.array.Array or a dask.bag.Bag, got {kind}")
    program = None
    if isinstance(blocks, da.Array):
        like = _example(Sent(net).here(), blocks)
        program, _ = compiled(net, blocks.shape[1:], 0 if np.isnan(blocks.shape[0]) else blocks.shape[0])
    sent = Sent(net, program=program)
    there = delayed(sent, traverse=False) if client is None else _kept(sent, client)
    if isinstance(blocks, db.Bag):
        return blocks.map_partitions(_of_items, sent=there)
    if blocks.ndim > 1:
        blocks = blocks.rechunk(dict.fromkeys(range(1, blocks.ndim), -1))
    return blocks.map_blocks(
        _of_block,
        sent=there,
        like=like[None][:0],
        chunks=(blocks.chunks[0], *((size,) for size in like.shape)),
        drop_axis=list(range(1, blocks.ndim)),
        new_axis=list(range(1, 1 + like.ndim)),
        dtype=like.dtype,
        meta=np.empty((0,) * (1 + like.ndim), like.dtype),
    )


def _kept(sent: Sent, client: Any) -> Any:
    """A future of the network. It is a task, not scattered data, so that workers that end cannot lose it."""
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):  # the network is meant to travel
        return client.submit(_same, sent, key=f"network-{sent.key}", pure=False)


def _same(sent: Sent) -> Sent:
    return sent


def _example(net: Module, blocks: Any) -> Tensor:
    """The output for a row of zeros."""
    if blocks.ndim == 0 or any(np.isnan(size) for size in blocks.shape[1:]):
        raise ShapeError(f"distributed.map: blocks: expected rows of a known shape, got {blocks.shape}")
    if blocks.dtype != (wanted := net._inputDtype):
        raise DtypeError(f"distributed.map: blocks: expected {wanted}, as the network, got {blocks.dtype}; pass blocks.astype")
    return run(net, [np.zeros(blocks.shape[1:], blocks.dtype)])[0]


def _of_block(block: Tensor, sent: Sent, like: Tensor) -> Tensor:
    net = sent.here()
    return np.concatenate([like, *(run(net, list(block[start : start + MOST])) for start in range(0, len(block), MOST))])


def _of_items(items: Iterable[Tensor], sent: Sent) -> list[Tensor]:
    net, waiting = sent.here(), iter(items)
    found: list[Tensor] = []
    while some := [np.asarray(item) for item in islice(waiting, MOST)]:
        for output in outputs(net, some):
            if isinstance(output, Failed):
                raise ShapeError(output.text)
            found.append(output)
    return found
