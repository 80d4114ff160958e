"""The written file and the weights beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pytorch_legacy import interop
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.writing import whole

from .conversion import save_embedded


def write(module: Any, path: str | os.PathLike[str]) -> None:
    """Writes the module's weights beside `path`, then its text to `path`; each whole or not at all."""
    target = Path(path)
    if target.suffix != ".py":
        raise ValueRangeError(f"{target}: expected a name that ends in .py")
    state = module.state_dict(keep_vars=True)
    if "load_model(" in module.source:  # load_model takes shared weights under one name
        names = {id(tensor): name for name, tensor in reversed([*state.items()])}
        state = {name: tensor for name, tensor in state.items() if names[id(tensor)] == name}
    weights = {name: tensor.detach().cpu().numpy() for name, tensor in state.items()}
    save_embedded(module.legacy_parts, target)
    interop.save(target.with_suffix(".safetensors"), weights)
    with whole(target) as file:
        file.write(module.source.encode())
