"""Torch7's nngraph: networks as graphs of modules, run in the order of their dependencies."""

__all__: list[str] = []
