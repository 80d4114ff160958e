"""What stands in for a class that nobody has registered."""

from typing import Any, NoReturn

from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.nn.Container import Container


class Unknown(Container):
    """An object of a .t7 file whose class is not known: it keeps its fields and cannot run.

    It has a place in the network, prints the name of its class and can be inspected, converted, cloned and replaced;
    ``forward`` raises UnsupportedError and says how to register a class for it.

    Attributes
    ----------
    fields : object
        What the file holds for the object, as it stands there (dimensions and indices count from 1).
    """

    def __init__(self, typename: str) -> None:
        super().__init__()
        self._typename = typename
        self.fields: Any = {}

    def updateOutput(self, input: Any) -> NoReturn:
        raise self._missing()

    def updateGradInput(self, input: Any, gradOutput: Any) -> NoReturn:
        raise self._missing()

    def _missing(self) -> UnsupportedError:
        names = ", ".join(sorted(map(str, self.fields))) if isinstance(self.fields, dict) else type(self.fields).__name__
        return UnsupportedError(
            f"{self._typename}: this class is not known here, so it cannot run; write it as a subclass of nn.Module "
            f'and register it before loading: @pl.register("{self._typename}"). Its fields in the file: {names}'
        )

    def _fromTorch7(self, fields: Any, version: int) -> None:
        self.fields = fields
        if isinstance(fields, dict):
            super()._fromTorch7({key: value for key, value in fields.items() if key not in ("fields", "_typename")}, version)
        else:
            super()._fromTorch7({}, version)
