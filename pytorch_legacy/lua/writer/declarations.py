"""Declarations of functions and fields of Torch7's packages: how many values they have, and of which kind."""

from __future__ import annotations

from functools import cache
from typing import Any

from pytorch_legacy import nn

from ..session import Session

STRINGS = frozenset(("byte", "find", "format", "gmatch", "gsub", "len", "lower", "match", "rep", "reverse", "sub", "upper"))
"""Methods of strings."""
AMBIGUOUS = frozenset(("byte", "sub"))
"""Methods of strings and of tensors."""
LIBRARIES = frozenset(("math", "string", "table", "os", "io", "coroutine", "debug", "package"))
KNOWN = frozenset(
    [
        *("torch", "nn", "nngraph", "nnx", "optim", "cutorch", "cunn", "cudnn", "image", "paths", "sys", "xlua"),
        *("math", "string", "table", "os", "io"),
    ]
)
"""Packages whose functions have one result, unless `SEVERAL` names them."""
ONE = frozenset(
    [
        *("collectgarbage", "error", "getmetatable", "print", "rawequal", "rawget", "rawset", "require", "setmetatable"),
        *("tonumber", "tostring", "type"),
    ]
)
"""Functions without a package that have one result or none."""
SEVERAL: dict[str, int | None] = {
    **dict.fromkeys(("sort", "topk", "gesv", "gels", "eig", "symeig", "qr", "geqrf", "trtrs"), 2),
    **dict.fromkeys(("getParameters", "parameters", "findModules", "frexp", "modf", "testIO"), 2),
    **dict.fromkeys(("adadelta", "adagrad", "adam", "adamax", "asgd", "cg", "cmaes", "de", "fista", "FistaLS", "lbfgs"), 2),
    **dict.fromkeys(("lswolfe", "nag", "rmsprop", "rprop", "sgd", "checkgrad"), 2),
    **dict.fromkeys(("recursiveAdd", "recursiveCopy", "recursiveResizeAs", "recursiveSet", "sparseParameters", "flatten"), 2),
    **dict.fromkeys(("pstrf", "getNodeParameters", "getMemoryUsage", "splice", "installed"), 2),
    **{"svd": 3, "gsub": 2, "uname": 3, "getJPGsize": 3, "getPNGsize": 3, "farFrr": 4},
    **dict.fromkeys(("kthvalue", "median", "mode", "split", "find", "match", "byte", "unpack", "open", "read", "execute"), None),
    **dict.fromkeys(
        (
            "remove",
            "rename",
            "mkdir",
            "rmdir",
            "rmall",
            "popen",
            "close",
            "write",
            "resume",
            "yield",
            "wrap",
            "getinfo",
            "getlocal",
        ),
        None,
    ),
    **dict.fromkeys(("loadlib", "seek", "unpackWeights"), None),
}
"""Functions and methods that may have more than one result, or none: how many; None if it depends."""
NONE = frozenset(("accUpdateGradParameters", "evaluate", "training", "updateParameters", "zeroGradParameters"))
"""Methods of modules that have no result, unless a class of the package says otherwise."""
WITH_DIMENSION = frozenset(("max", "min"))
"""Functions of tensors that have two results if a dimension is given, and one else."""
KINDS: dict[str, str] = {
    **dict.fromkeys(("dim", "nElement", "nDimension", "numel", "storageOffset", "elementSize"), "int"),
    **dict.fromkeys(("sum", "mean", "std", "var", "norm", "prod", "dot", "dist", "max", "min"), "number"),
    **dict.fromkeys(
        ("clone", "get", "double", "float", "cuda", "long", "byte", "view", "narrow", "select", "t", "add"), "object"
    ),
    **dict.fromkeys(("add", "contiguous", "resize", "resizeAs", "expandAs", "expand", "transpose", "index", "forward"), "object"),
    **dict.fromkeys(("lower", "upper", "rep", "format", "type", "reverse", "typename", "date", "tmpname"), "string"),
    **dict.fromkeys(("findModules", "parameters", "listModules", "totable"), "table"),
    **dict.fromkeys(("isTensor", "isStorage", "isTypeOf", "isSameSizeAs", "isSize", "isContiguous"), "boolean"),
}
"""Kinds of what methods and functions of packages return first. Those of numbers have no argument, or a tensor."""
MATH = {"floor": "int", "ceil": "int"}
FIELDS: dict[str, str] = {
    **dict.fromkeys(("weight", "bias", "gradWeight", "gradBias", "running_mean", "running_var", "indices"), "object"),
    **dict.fromkeys(("train", "inplace", "affine", "sizeAverage", "ceil_mode"), "boolean"),
    **dict.fromkeys(("modules",), "table"),
}
"""Kinds of fields of modules, for programs that set them to nothing else; they may be nil."""
POSITIVE = frozenset(("kT", "kW", "kH", "dT", "dW", "dH", "nInputPlane", "nOutputPlane"))
"""Fields of modules that are numbers above 0."""
REFUSED = frozenset(("_G", "dofile", "getfenv", "include", "load", "loadfile", "loadstring", "module", "newproxy", "setfenv"))
"""Functions that need the program as text, or its globals as a table."""


@cache
def methods() -> frozenset[str]:
    """Returns the names of methods of tensors and modules, which objects of programs may have, too."""
    ofTensors = Session(requires=["torch"]).execute("return torch.getmetatable('torch.DoubleTensor')")
    classes = [getattr(nn, name) for name in nn.__all__]
    found = {name for cls in classes for name in dir(cls) if name[:1] != "_" and callable(getattr(cls, name))}
    return frozenset(ofTensors) | found


def count(name: str, arguments: int) -> int | None:
    """Returns how many results a function or method of a package has that gets so many arguments; None if it depends."""
    if name in WITH_DIMENSION:
        return 2 if arguments else 1
    return None if name in NONE else SEVERAL.get(name, 1)


def kind(name: str, arguments: list[Any]) -> str:
    """Returns the kind of the first result of a method that gets these arguments; "" if it is not known."""
    if name in ("size", "stride"):
        return "int" if arguments else ""
    if name == "type" and arguments:
        return "object"
    found = KINDS.get(name, "")
    return "" if found == "number" and arguments else found
