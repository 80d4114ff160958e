"""The golden files and a comparison of what was read with what Torch7 says is in them."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy import t7
from pytorch_legacy.arrays import base_storage, placement
from pytorch_legacy.files.t7 import layouts

FOLDER = Path(__file__).parent.parent / "golden" / "serialization"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
FILES = sorted(EXPECTED)
DOUBLE = np.dtype(np.float64)


class Comparison:
    """Compares a value with a description from expected.json; `seen` maps its object ids to ours.

    `storages` False leaves out the storage of empty tensors, which Torch7 keeps and our writer drops.
    """

    def __init__(self, storages: bool = True) -> None:
        self.seen: dict[int, Any] = {}
        self.storages = storages

    def check(self, want: dict[str, Any], value: Any) -> None:
        if "ref" in want:
            known = self.seen[want["ref"]]
            # A storage may be known as the base of a tensor before it comes up as a value.
            assert known is (base_storage(value) if isinstance(value, t7.Storage) else value)
            return
        kind = want["type"]
        if "id" in want:
            assert want["id"] not in self.seen
            self.seen[want["id"]] = base_storage(value) if kind in layouts.STORAGES else value
        if kind == "nil":
            assert value is None
        elif kind == "boolean":
            assert value is want["value"]
        elif kind == "number":
            check_number(want["value"], value)
        elif kind == "string":
            assert value.encode("utf-8", "surrogateescape") == bytes.fromhex(want["hex"])
        elif kind == "table":
            self.table(want["entries"], value)
        elif kind == "tds.Hash":
            assert type(value) is t7.Hash
            self.table(want["items"], value)
        elif kind == "tds.Vec":
            assert type(value) is t7.Vec and len(value) == len(want["items"])
            for item, entry in zip(want["items"], value, strict=True):
                self.check(item, entry)
        elif kind == "function":
            assert type(value) is t7.Function and value.bytecode.startswith(b"\x1bLJ")
            assert len(value.upvalues) == len(want["upvalues"])
            for (name, upvalue), entry in zip(want["upvalues"], value.upvalues, strict=True):
                if value.form == 8:
                    assert entry["name"] == name
                    entry = entry["value"]
                self.check(upvalue, entry)
        elif kind in layouts.TENSORS:
            self.tensor(want, value)
        elif kind in layouts.STORAGES:
            assert type(value) is t7.Storage and value.ndim == 1
            self.elements(want, value)
        else:
            self.object(want, value)

    def table(self, entries: list[Any], value: Any) -> None:
        assert len(value) == len(entries)
        plain = {item["value"] for item, _ in entries if item["type"] == "number"}
        assert (type(value) is list) == (len(entries) > 0 and plain == set(range(1, len(entries) + 1)))
        for key, entry in entries:
            if type(value) is list:
                self.check(entry, value[key["value"] - 1])
            else:
                self.check(entry, value[self.key(key, value)])

    def key(self, want: dict[str, Any], table: dict[Any, Any]) -> Any:
        """The key of the table that fits the description."""
        for key in table:
            value = key.value if isinstance(key, t7.IdentityKey) else key
            seen = dict(self.seen)
            try:
                self.check(want, value)
            except (AssertionError, AttributeError):
                self.seen = seen
            else:
                return key
        raise AssertionError(f"no key fits {want}")

    def tensor(self, want: dict[str, Any], value: Any) -> None:
        assert type(value) is np.ndarray
        assert value.dtype == layouts.TENSORS[want["type"]]
        assert value.dtype.isnative and value.flags.writeable
        size, stride, storage = want["size"], want["stride"], want["storage"]
        assert value.shape == tuple(size or [0])
        if size:
            place = placement(value)
            assert (list(place.strides), place.offset + 1) == (stride, want["offset"])
        if storage is None:
            assert value.size == 0 and value.base is None
        elif self.storages or size:
            root = base_storage(value)
            # One step leads from any tensor to its storage.
            assert value.base is root and root.ndim == 1
            self.check(storage, root.view(t7.Storage))

    def elements(self, want: dict[str, Any], value: Any) -> None:
        assert value.dtype == layouts.STORAGES[want["type"]] and value.dtype.isnative
        assert value.size == len(want["elements"])
        for element, entry in zip(want["elements"], value.tolist(), strict=True):
            if isinstance(element, str) and value.dtype.kind == "i":
                element = int(element)
            check_number(element, entry, value.dtype)

    def object(self, want: dict[str, Any], value: Any) -> None:
        assert type(value) is t7.TorchObject and value.typename == want["type"]
        if "version" in want:
            assert value.version == want["version"]
        if want.get("opaque"):
            assert type(value.fields) is bytes and len(value.fields) == 5048
        elif "value" in want:
            check_number(want["value"], value.fields)
        else:
            self.table(want["fields"], value.fields)


def check_number(want: Any, value: Any, dtype: Any = DOUBLE) -> None:
    assert type(value) in (int, float)
    number = float(want) if isinstance(want, str) else want
    if isinstance(number, float) and math.isnan(number):
        assert math.isnan(value)
        return
    # The description has the shortest decimals that give the number in its own type.
    assert value == (dtype.type(number).item() if dtype.kind == "f" else number)
    assert math.copysign(1, value) == math.copysign(1, number)
