"""OpenNMT's way from the states of the encoder to those of the decoder."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check


class OnmtBridge(OnmtNetwork):
    """Makes the first states of the decoder from the last states of the encoder.

    Parameters
    ----------
    bridgeType : {"copy", "dense", "dense_nonlinear", "last", "none"}
        Take them as they are; multiply all of them by one matrix, and take tanh of the products or not; take the last ones;
        or no states at all.
    encoderRnnSize, encoderNumStates : int
        Number of elements of a state, and number of states, of the encoder.
    decoderRnnSize, decoderNumStates : int
        Those of the decoder.

    Raises
    ------
    ValueRangeError
        If bridgeType is another word, or does not fit to the sizes.
    ShapeError, DtypeError
        If the input is no list of arrays of these sizes.

    Notes
    -----
    Shapes: a list of arrays ``N x encoderRnnSize`` to a list of arrays ``N x decoderRnnSize``. The output of "none", and the
    gradient of its input, are None.
    Source: OpenNMT ``onmt.Bridge``.

    Examples
    --------
    >>> states = [np.float32([[1]]), np.float32([[2]]), np.float32([[3]])]
    >>> authors.OnmtBridge("last", 1, 3, 1, 2).forward(states)
    [array([[2.]], dtype=float32), array([[3.]], dtype=float32)]
    """

    _typename = "onmt.Bridge"
    _file = Form(defaults={"modules": lambda fields: []})

    def __init__(
        self, bridgeType: str, encoderRnnSize: int, encoderNumStates: int, decoderRnnSize: int, decoderNumStates: int
    ) -> None:
        encoder = check.count(self, "encoderRnnSize", encoderRnnSize), check.count(self, "encoderNumStates", encoderNumStates)
        decoder = check.count(self, "decoderRnnSize", decoderRnnSize), check.count(self, "decoderNumStates", decoderNumStates)
        net: Any = None
        if bridgeType == "copy":
            if encoder != decoder:
                self._refuse(bridgeType, "as many states of the same size", encoder, decoder)
            net = nn.MapTable(nn.Identity())
        elif bridgeType in ("dense", "dense_nonlinear"):
            size, count = decoder
            net = nn.Sequential().add(nn.JoinTable(1)).add(nn.Linear(encoder[0] * encoder[1], size * count, False))
            if bridgeType == "dense_nonlinear":
                net.add(nn.Tanh())
            net.add(nn.View(-1, count, size)).add(nn.SplitTable(1))
        elif bridgeType == "last":
            if encoder[0] != decoder[0] or encoder[1] <= decoder[1]:
                self._refuse(bridgeType, "more states of the encoder, of the same size", encoder, decoder)
            net = nn.NarrowTable(encoder[1] - decoder[1], decoder[1])
        elif bridgeType != "none":
            words = '"copy", "dense", "dense_nonlinear", "last" or "none"'
            raise ValueRangeError(f"{self._typename}: bridgeType: expected {words}, got {bridgeType!r}")
        super().__init__(net or nn.Identity())
        if net is None:
            self.modules = []

    def updateOutput(self, input: Any) -> Any:
        self.output = super().updateOutput(input) if self.modules else None
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        self.gradInput = super().updateGradInput(input, gradOutput) if self.modules else None
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        if self.modules:
            super().accGradParameters(input, gradOutput, scale)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        if self.modules:
            super().accUpdateGradParameters(input, gradOutput, lr)

    def _refuse(self, bridgeType: str, wanted: str, encoder: tuple[int, int], decoder: tuple[int, int]) -> None:
        counts = " and ".join(f"{count} states of size {size}" for size, count in (encoder, decoder))
        raise ValueRangeError(f"{self._typename}: bridgeType: {bridgeType!r} expects {wanted}, got {counts}")

    def __repr__(self) -> str:
        return super().__repr__() if self.modules else self._typename
