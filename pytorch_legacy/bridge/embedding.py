"""Embeds a layer that has no rule in the written module: our layer runs it, and its file is stored beside the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytorch_legacy.nn.Module import Module

from .registry import NoRule

if TYPE_CHECKING:
    from .writer import Writer

LEGACY = '''
def legacy(place):
    """A layer that PyTorch has no words for: pytorch_legacy runs it, from the file of that place beside this one."""
    import pytorch_legacy
    from pytorch_legacy.torch import Module

    return Module(pytorch_legacy.load(Path(__file__).with_suffix(f".{place}.t7")))'''


def embedded(m: Module, x: Any, w: Writer) -> Any:
    """The rule of classes that have none: ``self.legacy1(x)``."""
    place = re.sub(r"[^0-9A-Za-z_.]", "_", w.place) or "whole"
    known = next((name for name, module in w.legacy.items() if module is m), None)
    if known is None:
        w.legacy[place] = m
        w.helper(LEGACY)
        w.space["legacy"] = lambda place: live(w.legacy[place])  # there is no file yet
    name = w.fields.embedded(known or place, m, live)
    w.note("run by pytorch_legacy")
    sample = w.ours(m, x)[0]
    return _taken_apart(f"{name}({_listed(x)})", sample, w)


def live(module: Module) -> Any:
    """A layer that ours run, as a module of PyTorch; the one of the network stays apart."""
    from pytorch_legacy.torch import Module as Live

    return Live(module.clone()).eval()


def _listed(x: Any) -> str:
    return f"[{', '.join(map(_listed, x))}]" if isinstance(x, list) else str(x)


def _taken_apart(text: str, sample: Any, w: Writer) -> Any:
    """The values of a table."""
    if isinstance(sample, dict):
        raise NoRule("its output is a table with keys, which is not written")
    if not isinstance(sample, list):
        return w.let(text)
    values = w.let(text, len(sample))
    pairs = zip(values, sample, strict=True)
    return [_taken_apart(str(value), entry, w) if isinstance(entry, list) else value for value, entry in pairs]
