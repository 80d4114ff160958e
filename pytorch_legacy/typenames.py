"""torch.type and similar functions: what Lua programs call the kinds of values."""

from numbers import Number
from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor, on_device, type_name
from pytorch_legacy.files.stored import Stored


def typename(value: Any) -> str | None:
    """The name of a class of Torch7, "nn.Linear" or "torch.FloatTensor"; None for anything else.

    >>> import numpy as np
    >>> import pytorch_legacy as pl
    >>> pl.typename(pl.nn.Linear(2, 3)), pl.typename(np.zeros(3)), pl.typename([1, 2])
    ('nn.Linear', 'torch.DoubleTensor', None)
    """
    if isinstance(value, Stored):
        return value._typename
    return type_name(value.dtype, on_device(value)) if is_tensor(value) else None


def type(value: Any) -> str:
    """As `typename`; other values are what Lua calls them: "table", "number", "string", "boolean", "function", "nil".

    >>> import pytorch_legacy as pl
    >>> pl.type(pl.nn.Tanh()), pl.type({}), pl.type(2.5), pl.type(None)
    ('nn.Tanh', 'table', 'number', 'nil')
    """
    if (name := typename(value)) is not None:
        return name
    if value is None:
        return "nil"
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    if isinstance(value, (str, bytes)):
        return "string"
    if isinstance(value, (list, tuple, dict)):
        return "table"
    if isinstance(value, (Number, np.number)):
        return "number"
    return "function" if callable(value) else "userdata"
