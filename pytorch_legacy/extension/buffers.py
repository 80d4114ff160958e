"""The memory that a layer owns: what its passes write, and its parameters."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object


def resize_output(module: Object, shape: tuple[int, ...], name: str = "output", dtype: Any = None) -> Tensor:
    """The buffer in field `name`: the array of the last pass where it fits, else a new one with any contents.

    Parameters
    ----------
    module : Module or Criterion
        Whose field it is. The array is where the module is, on the host or a device.
    shape : tuple of int
        That of the array.
    name : str
        The field: "output", "gradInput" or another one.
    dtype : optional
        That of the array; the module's own if it is not given.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> layer = pl.nn.Identity()
    >>> buffer = pl.extension.resize_output(layer, (2, 3))
    >>> pl.extension.resize_output(layer, (2, 3)) is buffer is layer.output
    True
    """
    return module._resize(name, shape, dtype)


def new_parameters(module: Module, **shapes: int | tuple[int, ...]) -> None:
    """Makes parameters of these names and shapes, for the layer to fill, and zeros for their gradients.

    ``new_parameters(self, weight=(3, 2))`` makes ``weight`` and ``gradWeight``. The layer's ``parameters()`` is to name all but
    ``weight`` and ``bias``.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> layer = pl.nn.Module()
    >>> pl.extension.new_parameters(layer, weight=(3, 2), bias=3)
    >>> layer.weight.shape, layer.gradBias
    ((3, 2), array([0., 0., 0.], dtype=float32))
    """
    module._newParameters(**shapes)
