"""Texts of the command line that make an object, written as in Python: "SpatialMaxPooling(3, 3, 2, 2)"."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from pytorch_legacy.inference.problem import Problem


def made(text: str, name: str, find: Callable[[str], Any], wanted: str) -> Any:
    """Returns the object of a text: a class that `find` knows by its name, called with numbers.

    Parameters
    ----------
    text : str
        A line of Python. Without brackets it has no arguments.
    name : str
        Name of the argument of the command line, for errors.
    find : callable
        Returns the class of a name, or None.
    wanted : str
        What errors expect.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
        call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
        function = call.func.id if isinstance(call.func, ast.Name) else ""
        arguments = [ast.literal_eval(argument) for argument in call.args]
        named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg is not None}
        if len(named) < len(call.keywords):
            raise ValueError("**")
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        function, arguments, named = "", [], {}
    shown = text if len(text) < 200 else f"{text[:200]} ..."
    found = find(function)
    if found is None:
        raise Problem(f"{name} {shown}: expected {wanted}")
    try:
        return found(*arguments, **named)
    except TypeError as error:
        raise Problem(f"{name} {shown}: {error}") from None
