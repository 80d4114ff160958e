"""The stand-in for a class that nobody has registered."""

from typing import Any, NoReturn

from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files import migration, t7
from pytorch_legacy.files.classes import find_class
from pytorch_legacy.files.fields import listed
from pytorch_legacy.nn.Container import Container


class Unknown(Container):
    """An object of a .t7 file whose class is not known: it keeps its fields and cannot run.

    It has a place in the network, prints the name of its class and can be inspected, converted, cloned, replaced and
    saved; ``forward`` raises UnsupportedError and says how to register a class for it.

    Attributes
    ----------
    fields : object
        Contents of the object in the file, as they stand there (dimensions and indices count from 1). Changes of them, and
        of attributes with the same names, are saved.
    header : object
        Data that precede the fields in files of a few classes; otherwise None.

    Examples
    --------
    >>> thing = nn.Unknown("nn.MyLayer")
    >>> thing.forward(np.float32([1]))
    Traceback (most recent call last):
        ...
    pytorch_legacy.errors.UnsupportedError: nn.MyLayer: this class is not known here, so it cannot run; ...
    """

    _knowsFields = False

    def __init__(self, typename: str) -> None:
        super().__init__()
        self._typename = typename
        self.fields: Any = {}
        self.header: Any = None
        self._mended: dict[str, Any] = {}

    def updateOutput(self, input: Any) -> NoReturn:
        raise self._missing()

    def updateGradInput(self, input: Any, gradOutput: Any) -> NoReturn:
        raise self._missing()

    def _missing(self) -> UnsupportedError:
        names = ", ".join(sorted(map(str, self.fields))) if isinstance(self.fields, dict) else type(self.fields).__name__
        known = find_class(self._typename)
        reason = "this class is not known here"
        if known is not None:
            reason = f"the file has the fields of another author's class than {known.__module__}, which is not known here"
        source = f'pl.load(file, lua=["{self._typename.rpartition(".")[2]}.lua"])'
        return UnsupportedError(
            f"{self._typename}: {reason}, so it cannot run; write it as a subclass of nn.Module "
            f'and register it before loading: @pl.register("{self._typename}"), or load the file with its source in Lua: '
            f"{source} (--lua at the command line). Its fields in the file: {names}"
        )

    def _fromTorch7(self, fields: Any, version: int) -> None:
        self.fields = fields
        known = fields if isinstance(fields, dict) else {}
        plain = {key: value for key, value in known.items() if key not in self._OWN and not isinstance(value, t7.Function)}
        with migration.collect():  # nothing that would concern anybody
            super()._fromTorch7(plain, version)
            modules = listed(self, "modules", self.modules)
            self.modules = modules if isinstance(modules, list) else []
        self._mended = {key: self.__dict__[key] for key in plain if self.__dict__.get(key, plain[key]) is not plain[key]}

    # These attributes are not what files have under such names.
    _OWN = frozenset(("fields", "header", "_mended", *Container._reserved)) - {"_type"}

    def _remember(self, record: t7.TorchObject) -> None:
        self._version = record.version
        self.header = record.header

    def _toRecord(self) -> t7.TorchObject:
        """Returns the record that the file had, with all changes since."""
        fields = self.fields
        if isinstance(fields, dict):
            own = {key: value for key, value in self.__dict__.items() if key in fields and key not in self._OWN}
            fields = fields | {key: value for key, value in own.items() if value is not self._mended.get(key, fields)}
            if "_type" in fields:
                fields["_type"] = self._ownTypeName
        return t7.TorchObject(self._typename, 1 if self._version is None else self._version, fields, self.header)
