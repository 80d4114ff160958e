"""Convolutions of several sizes side by side."""

from typing import Any

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.ReLU import ReLU
from pytorch_legacy.nn.container.DepthConcat import DepthConcat
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.normalization.SpatialBatchNormalization import SpatialBatchNormalization
from pytorch_legacy.nn.pooling.SpatialMaxPooling import SpatialMaxPooling

FIELDS = ("inputSize", "outputSize", "reduceSize", "reduceStride", "transfer", "kernelSize", "kernelStride", "padding",
          "poolSize", "poolStride", "pool", "batchNorm")  # fmt: skip


class Inception(Decorator):
    """Joins the planes of several columns, each of which sees the whole input; OpenFace is made of it.

    ==============================  ==========================================================================
    a column for each kernel size   1 x 1 convolution, transfer, convolution with the kernel, transfer
    one column                      pooling, 1 x 1 convolution, transfer
    one column                      1 x 1 convolution, transfer
    ==============================  ==========================================================================

    With `batchNorm`, a SpatialBatchNormalization stands before each transfer.

    Parameters
    ----------
    config : dict, optional
        The arguments below by their names, as Torch7 has them; they may also be given as such.
    inputSize : int
        Number of planes of the input.
    outputSize : list of int
        Number of planes that each kernel gives.
    reduceSize : list of int or None
        Number of planes of the 1 x 1 convolutions: one for each kernel, that behind the pooling (None for no convolution there),
        that of the last column (None for no such column). Missing ones at the end are None.
    reduceStride : list of int, optional
        The strides of these convolutions, 1 where there is none.
    transfer : Module
        Module that follows each convolution, cloned; a ReLU by default.
    kernelSize, kernelStride : list of int
        Height and width, and the stride, of each kernel.
    padding : bool
        Whether kernels are padded so that with stride 1 height and width stay as they are.
    pool : Module, optional
        The pooling; without it a SpatialMaxPooling of `poolSize` and `poolStride`, without padding.
    batchNorm : bool

    Raises
    ------
    ShapeError, ValueRangeError
        If sizes do not fit together, or there is an argument of another name.

    Notes
    -----
    Shapes: ``(N x) inputSize x H x W`` to ``(N x) C x oH x oW``; the one module inside is a DepthConcat.
    Source: Element-Research dpnn ``Inception``; Szegedy et al., "Going deeper with convolutions" (2014).

    Examples
    --------
    >>> columns = {"kernelSize": [3, 5], "kernelStride": [1, 1], "outputSize": [4, 2]}
    >>> net = dpnn.Inception({"inputSize": 8, "reduceSize": [3, 1, 5, 6], **columns})
    >>> net.forward(np.zeros((1, 8, 7, 7), np.float32)).shape  # 4 + 2 + 5 + 6 planes
    (1, 17, 7, 7)
    """

    inputSize: int
    outputSize: list[int]
    reduceSize: Any
    reduceStride: Any
    kernelSize: list[int]
    kernelStride: list[int]
    padding: bool
    batchNorm: bool | None

    _file = Form(kinds={"pool": "a module"})
    _lua = Lua(isNamed=True)

    def __init__(self, config: dict[str, Any] | None = None, **arguments: Any) -> None:
        options = {
            "reduceStride": [],
            "transfer": None,
            "batchNorm": None,
            "padding": True,
            "kernelSize": [5, 3],
            "kernelStride": [1, 1],
            "poolSize": 3,
            "poolStride": 1,
            "pool": None,
        } | {key: value for key, value in {**(config or {}), **arguments}.items() if value is not None}
        required = {"inputSize", "outputSize", "reduceSize"}
        if missing := sorted(required - options.keys()):
            raise ValueRangeError(f"{self._typename}: {missing[0]}: expected a value, got none")
        super().__init__(DepthConcat(1))
        self.transfer = options.pop("transfer") or ReLU()
        size, stride = options["poolSize"], options["poolStride"]
        self.pool = options.pop("pool") or SpatialMaxPooling(size, size, stride, stride)
        for name, value in options.items():
            if name not in FIELDS:
                raise ValueRangeError(f"{self._typename}: {name}: expected one of {', '.join(FIELDS)}")
            setattr(self, name, list(value) if isinstance(value, (list, tuple)) else value)
        self._build()

    def _build(self) -> None:
        columns = self.modules[0]
        assert isinstance(columns, DepthConcat)
        kernels = len(self.kernelSize)
        for name in ("outputSize", "kernelStride"):
            if len(getattr(self, name)) != kernels:
                raise ShapeError(f"{self._typename}: {name}: expected a list of {kernels}, got {getattr(self, name)}")
        if not kernels <= len(self.reduceSize) <= kernels + 2 or None in self.reduceSize[:kernels]:
            raise ShapeError(f"{self._typename}: reduceSize: expected {kernels} to {kernels + 2} numbers, got {self.reduceSize}")
        planes = [*self.reduceSize, None, None][: kernels + 2]
        strides = [stride or 1 for stride in [*self.reduceStride, *[1] * len(planes)]]

        def reduced(i: int) -> list[Module]:
            stride = strides[i]
            return self._convolved(SpatialConvolution(self.inputSize, planes[i], 1, 1, stride, stride)) if planes[i] else []

        for i, size in enumerate(self.kernelSize):
            pad, stride = size // 2 if self.padding else 0, self.kernelStride[i]
            first = reduced(i)  # the reducing layers draw their parameters first
            kernel = SpatialConvolution(planes[i], self.outputSize[i], size, size, stride, stride, pad)
            columns.add(_chain([*first, *self._convolved(kernel)]))
        columns.add(_chain([self.pool, *reduced(kernels)]))
        if planes[kernels + 1]:
            columns.add(_chain(reduced(kernels + 1)))

    def _convolved(self, convolution: SpatialConvolution) -> list[Module]:
        """A convolution and what follows it."""
        normalization = [SpatialBatchNormalization(convolution.nOutputPlane)] if self.batchNorm else []
        return [convolution, *normalization, self.transfer.clone()]

    def _inner(self, method: str, *arguments: Any) -> Any:
        """As for every Decorator, with a picture made a batch of one."""
        if check.tensor(self, "input", arguments[0], 3, 4).ndim == 4:
            return super()._inner(method, *arguments)
        batch = [argument[None] if is_tensor(argument) else argument for argument in arguments]
        result = super()._inner(method, *batch)
        return None if result is None else result[0]


def _chain(modules: list[Module]) -> Sequential:
    chain = Sequential()
    for module in modules:
        chain.add(module)
    return chain
