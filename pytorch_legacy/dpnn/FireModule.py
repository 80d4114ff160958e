"""The building block of SqueezeNet."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.container.Concat import Concat
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module


class FireModule(Decorator):
    """Few planes by a 1 x 1 convolution, then more planes by two convolutions side by side::

        output = activation(concatenate([conv1x1(squeezed), conv3x3(squeezed)]))    squeezed = activation(conv1x1(input))

    Parameters
    ----------
    nInputPlane : int
        Number of planes of the input.
    s1x1, e1x1, e3x3 : int
        Number of planes of the first convolution, and of the two others.
    activation : str
        The name of a class of ``nn`` that needs no arguments.

    Attributes
    ----------
    module : Sequential
        The one module inside, which has `squeeze` and `expand`, a Concat, in places 0 and 2.

    Raises
    ------
    ShapeError, ValueRangeError
        If a number is out of range, the activation is not known, or the input is not ``N x nInputPlane x H x W``.

    Notes
    -----
    Shapes: ``N x nInputPlane x H x W`` to ``N x (e1x1 + e3x3) x H x W``. Source: Element-Research dpnn ``FireModule``; Iandola et
    al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters" (2016).

    Examples
    --------
    >>> net = dpnn.FireModule(8, 2, 3, 4)
    >>> net.forward(np.zeros((1, 8, 5, 5), np.float32)).shape  # 8 planes squeezed to 2, expanded to 3 + 4
    (1, 7, 5, 5)
    """

    # The first release was no container, and called e3x3 e1x3.
    _file = Form(
        properties=("module", "squeeze", "expand"),
        formerly={"e1x3": "e3x3"},
        defaults={"modules": lambda fields: [fields["module"]], "activation": "ReLU"},
        kinds={"module": "a module"},
    )

    def __init__(self, nInputPlane: int, s1x1: int, e1x1: int, e3x3: int, activation: str = "ReLU") -> None:
        between = getattr(nn, activation, None) if activation in nn.__all__ else None
        if not (isinstance(between, type) and issubclass(between, Module)):
            raise ValueRangeError(f"{self._typename}: activation: expected the name of a layer of nn, got {activation!r}")
        expand = Concat(1)
        squeeze = SpatialConvolution(nInputPlane, s1x1, 1, 1)
        expand.add(SpatialConvolution(s1x1, e1x1, 1, 1))
        expand.add(SpatialConvolution(s1x1, e3x3, 3, 3, 1, 1, 1, 1))
        super().__init__(Sequential().add(squeeze).add(between()).add(expand).add(between()))
        self.nInputPlane = nInputPlane
        self.s1x1, self.e1x1, self.e3x3 = s1x1, e1x1, e3x3
        self.activation = activation

    @property
    def module(self) -> Any:
        return self.modules[0]

    @property
    def squeeze(self) -> Any:
        return self.module.get(0)

    @property
    def expand(self) -> Any:
        return self.module.get(2)

    def __repr__(self) -> str:
        return (
            f"{self._typename} inputPlanes: {self.nInputPlane} -> Squeeze Planes: {self.s1x1} -> "
            f"Expand: {self.e1x1}(1x1) + {self.e3x3}(3x3), activation: {self.activation}"
        )
