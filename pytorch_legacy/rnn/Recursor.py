"""Any module as one that goes through a sequence step by step."""

from typing import Any

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent


class Recursor(AbstractRecurrent):
    """Runs a module at each step and keeps what the way back needs::

        output(t) = module(input(t))

    Recurrent modules inside, as in ``Recursor(Sequential().add(LSTM(3, 4)).add(Linear(4, 2)))``, hand their states on.

    Parameters
    ----------
    module : Module
    rho : int
        Steps to keep for the way back; an nn.Sequencer sets it.

    Notes
    -----
    Source: Element-Research rnn ``Recursor``.

    Examples
    --------
    >>> layer = rnn.Recursor(nn.Square())
    >>> _ = layer.forward(np.float32([1])), layer.forward(np.float32([5]))
    >>> layer.backward(np.float32([5]), np.float32([1]))  # the last step comes first
    array([10.], dtype=float32)
    >>> layer.backward(np.float32([1]), np.float32([1]))
    array([2.], dtype=float32)
    """

    _file = Form(properties=("module",), defaults={"rho": 9999999})

    def __init__(self, module: Module, rho: int = 9999999) -> None:
        super().__init__(rho)
        self.modules.append(module)
        self._dtype = module._dtype
        self.forget()

    @property
    def module(self) -> Module:
        return self.modules[0]

    def _backwardStep(self, module: Module, step: int, input: Any, gradOutput: Any) -> Any:
        module.setOutputStep(step)
        return super()._backwardStep(module, step, input, gradOutput)

    def _accumulateStep(self, module: Module, step: int, input: Any, gradOutput: Any, scale: float) -> None:
        module.setOutputStep(step)
        super()._accumulateStep(module, step, input, gradOutput, scale)

    def __repr__(self) -> str:
        return f"{self._typename} @ {self.module!r}"


def recurrent(module: Module) -> AbstractRecurrent:
    """`module`, in a Recursor if it cannot go through a sequence itself."""
    return module if isinstance(module, AbstractRecurrent) else Recursor(module)
