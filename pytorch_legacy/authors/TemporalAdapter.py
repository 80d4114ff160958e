"""The TemporalAdapter of torch-rnn."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.shape.View import View


class TemporalAdapter(Container):
    """Applies a module for vectors to every step of sequences: ``N x T x A`` to ``N x T x B``.

    Parameters
    ----------
    module : Module
        Takes ``M x A`` and gives ``M x B``.

    Notes
    -----
    Source: torch-rnn ``TemporalAdapter.lua``.

    Examples
    --------
    >>> layer = authors.TemporalAdapter(nn.Linear(3, 2))
    >>> layer.forward(np.zeros((5, 4, 3), np.float32)).shape  # five sequences of four steps
    (5, 4, 2)
    """

    _file = Form(
        private=("modules",),
        properties=("net",),
        defaults={"modules": lambda fields: [fields["net"]]},
        kinds={"view_in": "a module", "view_out": "a module", "net": "a module"},
    )

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.view_in, self.view_out = View(1, -1).setNumInputDims(3), View(1, -1).setNumInputDims(2)
        self.add(Sequential().add(self.view_in).add(module).add(self.view_out))

    @property
    def net(self) -> Any:
        """The chain of the module between two views."""
        return self.modules[0]

    def updateOutput(self, input: Tensor) -> Tensor:
        N, T = input.shape[:2]
        self.view_in.resetSize(N * T, -1)
        self.view_out.resetSize(N, T, -1)
        self.output = self.net.updateOutput(input)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self.gradInput = self.net.updateGradInput(input, gradOutput)
        return self.gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        self.net.accGradParameters(input, gradOutput, scale)

    def accUpdateGradParameters(self, input: Tensor, gradOutput: Tensor, lr: float) -> None:
        self.net.accUpdateGradParameters(input, gradOutput, lr)

    def __repr__(self) -> str:
        return f"{self._typename}: {self.net.get(1)!r}"
