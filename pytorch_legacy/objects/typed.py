"""Objects whose type is that of the objects inside them."""

from typing import Any, ClassVar

from pytorch_legacy.files.stored import Stored


class Typed(Stored):
    """An object that has the type of what is inside it: its own type, which ``type`` sets, counts while it is empty.

    So the type of a network is known in one place, whatever was converted first: `_dtype` and `_array` are what `_typed` returns.
    Files have the object's own type, as in Torch7.
    """

    @property
    def _dtype(self) -> Any:  # type: ignore[override]
        return self._typed()[0]

    @_dtype.setter
    def _dtype(self, dtype: Any) -> None:
        self.__dict__["_dtype"] = dtype

    @property
    def _array(self) -> Any:  # type: ignore[override]
        return self._typed()[1]

    @_array.setter
    def _array(self, kind: Any) -> None:
        self.__dict__["_array"] = kind

    def _ownType(self) -> tuple[Any, Any]:
        return self.__dict__.get("_dtype", Stored._dtype), self.__dict__.get("_array", Stored._array)

    def _typed(self) -> tuple[Any, Any]:
        """The dtype of what is inside, and the class of its arrays: NumPy's or CuPy's."""
        raise NotImplementedError


class Wrapping(Typed):
    """An object that has the type of the object, or of the first object of a list, in the field `_wrapped`."""

    _wrapped: ClassVar[str] = "criterion"

    def _typed(self) -> tuple[Any, Any]:
        inner: Any = self
        known: set[int] = set()
        while isinstance(inner, Wrapping) and id(inner) not in known:  # one that contains itself has the type of none inside
            known.add(id(inner))
            outer, inner = inner, inner.__dict__.get(inner._wrapped)
            if isinstance(inner, list):
                inner = inner[0] if inner else None
        isInside = isinstance(inner, Stored) and id(inner) not in known
        return (inner._dtype, inner._array) if isInside else outer._ownType()
