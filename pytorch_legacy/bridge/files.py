"""The written file and the weights beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.interop import replacing


def write(module: Any, path: str | os.PathLike[str]) -> None:
    """Writes the module's text to `path`, its weights beside it. Each file is replaced when the new one is complete."""
    target = Path(path)
    if target.suffix != ".py":
        raise ValueRangeError(f"{target}: expected a name that ends in .py")
    weights = {name: tensor.detach().clone().contiguous() for name, tensor in module.state_dict().items()}
    with replacing(target.with_suffix(".safetensors")) as unfinished:
        save_file(weights, unfinished)
    with replacing(target) as unfinished:
        Path(unfinished).write_text(module.source, encoding="utf-8")
