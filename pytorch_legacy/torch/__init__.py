"""Our modules inside PyTorch: layers that autograd, optimizers and PyTorch's tools take for its own.

>>> import torch                                                                                    # doctest: +SKIP
>>> import pytorch_legacy as pl, pytorch_legacy.torch                                               # doctest: +SKIP
>>> net = pl.torch.Module(pl.load("net.t7"))                                                        # doctest: +SKIP
>>> optimizer = torch.optim.SGD(net.parameters(), lr=0.1)                                           # doctest: +SKIP

`Module` runs a network by our layers, on PyTorch's memory. ``pl.to_torch`` writes it in PyTorch's own layers instead.
"""

import sys

if __name__ == "torch":
    # Python was started in the package's folder, where `import torch` finds this one first: it makes way for PyTorch.
    from importlib import import_module
    from pathlib import Path

    _folder = Path(__file__).resolve().parent.parent
    _here = [entry for entry in sys.path if Path(entry).resolve() == _folder]
    sys.path[:] = [entry for entry in sys.path if entry not in _here]
    del sys.modules["torch"]
    try:
        import_module("torch")
    finally:
        sys.path[:0] = _here
else:
    from pytorch_legacy.errors import UnsupportedError

    try:
        import torch as _torch  # noqa: F401
    except ModuleNotFoundError as error:
        raise UnsupportedError('pytorch_legacy.torch needs torch; run: pip install "pytorch-legacy[torch]"') from error

    from .module import Module

    __all__ = ["Module"]
