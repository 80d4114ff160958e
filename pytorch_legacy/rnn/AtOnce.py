"""A sequencer whose module looks at each row alone, and so gets those of all steps at once."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.errors import BusyError
from pytorch_legacy.rnn.Recursor import Recursor
from pytorch_legacy.rnn.Sequencer import Sequencer

# What these give for a row of a matrix depends on that row alone.
_OF_ROWS = {
    *(nn.Linear, nn.LogSoftMax, nn.SoftMax, nn.SoftMin, nn.Dropout, nn.Identity, nn.AddConstant, nn.MulConstant, nn.ReLU),
    *(nn.Tanh, nn.Sigmoid, nn.LogSigmoid, nn.SoftPlus, nn.SoftSign, nn.HardTanh, nn.LeakyReLU, nn.ELU),
    *(nn.Abs, nn.Power, nn.Square),
}


class AtOnce(Sequencer):
    """An nn.Sequencer in evaluation. In files it is that, and whatever it cannot do at once goes step by step."""

    _typename = "nn.Sequencer"

    def updateOutput(self, input: Any) -> Any:
        layer = self.module.modules[0]
        try:
            if input.size and input.ndim == rank_of(layer):
                output = layer.updateOutput(input.reshape(-1, *input.shape[2:]))
                self.output = output.reshape(*input.shape[:2], *output.shape[1:])
                return self.output
        except BusyError:
            raise
        except Exception:
            pass  # step by step, which says what is wrong
        return super().updateOutput(input)


def rank_of(layer: Any) -> int:
    """The dimensions of a sequence, if the layer looks at each row of a step alone and keeps nothing for the next one; else 0."""
    modules = layer.modules if type(layer) is nn.Sequential else [layer]
    ofWords = type(modules[0]) is nn.LookupTable if modules else False
    return (2 if ofWords else 3) if modules and all(map(is_of_rows, modules[ofWords:])) else 0


def is_of_rows(layer: Any) -> bool:
    if type(layer) is nn.Sequential:
        return all(map(is_of_rows, layer.modules))
    return type(layer) in _OF_ROWS and "updateOutput" not in vars(layer) and not (type(layer) is nn.Dropout and layer._isRandom())


def at_once(sequencer: Sequencer) -> Sequencer:
    """The same sequencer, which does all steps at once if its module lets it."""
    recursor: Any = sequencer.modules[0]
    isUsual = type(sequencer) is Sequencer and type(recursor) is Recursor and "updateOutput" not in vars(sequencer)
    if not isUsual or not rank_of(recursor.modules[0]):
        return sequencer
    other = AtOnce.__new__(AtOnce)
    other.__dict__.update(sequencer.__dict__)
    return other
