"""The packages ``stn``, spatial transformers, and ``spy``, which scales what they sample: classes of ``nn``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..classes import border_of

if TYPE_CHECKING:
    from ..language.state import State
    from ..language.table import Table


def library(state: State) -> Table:
    """Returns the table of nn, which gets stn's classes."""
    table: Table = state.require("nn")
    names = ("AffineGridGeneratorBHWD", "AffineTransformMatrixGenerator", "BilinearSamplerBHWD")
    border_of(state).packages.add("authors", names)
    return table


def spy(state: State) -> Table:
    """Returns the table of nn, which gets the class of spy."""
    table: Table = state.require("nn")
    border_of(state).packages.add("authors", ("ScaleBHWD",))
    return table
