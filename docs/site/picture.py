"""The picture of a class: what it does to a small input, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from docs.site import cells, curves
from docs.site.catalog import Entry
from docs.site.example import Example, elements
from pytorch_legacy.nn.Criterion import Criterion

MOST_WEIGHTS = 60


def html(entry: Entry, one: Example) -> str:
    """Curves for what goes element by element, the cells of all arrays for the rest."""
    drawn = curves.of(entry, one)
    if drawn:
        return f'<div class="picture"><div class="pass">{drawn}</div></div>'
    isCriterion = isinstance(one.module, Criterion)
    given = cells.figure(one.input, "input") + (cells.figure(one.target, "target") if isCriterion else "")
    forward = _pass("forward", given, "→", cells.figure(one.output, "loss" if isCriterion else "output"))
    gradInput = cells.figure(one.gradInput, "gradInput")
    backward = _pass("backward", gradInput, "←", "" if isCriterion else cells.figure(one.gradOutput, "gradOutput"))
    return f'<div class="picture">{forward}{backward}{_parameters(one)}</div>'


def _pass(name: str, left: str, arrow: str, right: str) -> str:
    middle = f'<span class="arrow" aria-hidden="true">{arrow}</span>{right}' if right else ""
    return f'<div class="pass {name}"><span class="name">{name}</span>{left}{middle}</div>'


def _parameters(one: Example) -> str:
    """The parameters of a layer, and the gradients that backward added."""
    found = ""
    for name, gradient in one.gradients.items():
        value: Any = getattr(one.module, name[4].lower() + name[5:], None)
        if isinstance(value, np.ndarray) and 0 < elements(value) <= MOST_WEIGHTS:
            found += f'<div class="pair">{cells.figure(value, name[4].lower() + name[5:])}{cells.figure(gradient, name)}</div>'
    title = '<span class="name">parameters, and what backward adds to their gradients</span>'
    return f'<div class="pass parameters">{title}{found}</div>' if found else ""
