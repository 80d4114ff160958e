"""The base of modules that take whole sequences."""

from typing import Any

from pytorch_legacy.errors import FieldError
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent
from pytorch_legacy.rnn.Remembering import Remembering


class AbstractSequencer(Remembering, Container):
    """Leads recurrent modules through a sequence, forward and back.

    Notes
    -----
    An error that is raised in a step says so: "at step 3 of nn.Sequencer", counted from 1.
    Source: Element-Research rnn ``AbstractSequencer``.

    Examples
    --------
    >>> issubclass(rnn.Sequencer, rnn.AbstractSequencer)
    True
    >>> layer = rnn.Sequencer(rnn.Recurrence(nn.CAddTable(), 1, 1))
    >>> _ = layer.remember()  # the next call goes on where this one ends
    >>> [x.item() for x in layer.forward([np.float32([[1]]), np.float32([[2]])])]
    [1.0, 3.0]
    >>> [x.item() for x in layer.forward([np.float32([[10]])])]
    [13.0]
    """

    _isSequencer = True

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        if not self.modules:
            raise FieldError("modules: expected the module of a step, got none")

    def _rewind(self) -> None:
        """The next way back begins at the last step."""
        for module in self.listModules():
            if isinstance(module, AbstractRecurrent):
                module.rewind()
