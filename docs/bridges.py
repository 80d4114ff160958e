"""Lists the classes that go to PyTorch and ONNX, and those that do not: ``python docs/bridges.py``."""

from __future__ import annotations

from importlib import import_module

from pytorch_legacy import nn, rnn
from pytorch_legacy.bridge.rules import find_rule
from pytorch_legacy.files.classes import PACKAGES
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module


def page() -> str:
    """The whole text."""
    parts: list[str] = []
    missing: list[str] = []
    for package in PACKAGES:
        module = import_module(f"pytorch_legacy.{package}")
        entries = {name: getattr(module, name) for name in sorted(module.__all__)}
        found = {name: cls for name, cls in entries.items() if isinstance(cls, type) and issubclass(cls, (Module, Criterion))}
        kinds = {"layers": Module, "criterions": Criterion}
        for kind, base in kinds.items():
            names = [f"`{name}`" for name, cls in found.items() if issubclass(cls, base) and find_rule(cls)]
            if names:
                parts.append(f"**pl.{package}**, {kind}: {', '.join(names)}\n")
        missing += [f"pl.{package}.{name}" for name, cls in found.items() if find_rule(cls) is None and cls not in BASES]
    names = ", ".join(f"`{name}`" for name in missing)
    return "\n".join([*parts, f"Without a rule: {names or 'none'}.\n"])


BASES = (Module, Criterion, nn.Container, nn.Decorator, nn.Unknown, rnn.AbstractSequencer)

if __name__ == "__main__":
    print(page(), end="")
