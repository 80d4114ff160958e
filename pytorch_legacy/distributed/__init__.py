"""Networks over many inputs, by Dask: its threads, processes or clusters run them; nothing here schedules.

>>> import dask.array as da, pytorch_legacy as pl                                                   # doctest: +SKIP
>>> photos = da.from_zarr("photos.zarr")                                                            # doctest: +SKIP
>>> scores = pl.distributed.map(pl.load("net.t7"), photos)                                          # doctest: +SKIP
>>> scores.argmax(1).compute()                                                                      # doctest: +SKIP

``pytorch-legacy run-many NET.t7 FOLDER -o RESULTS.parquet`` is the same for files, with preprocessing, errors and resumption.
"""

from .mapping import map

__all__ = ["map"]
