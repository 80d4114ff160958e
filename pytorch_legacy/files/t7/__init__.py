"""The .t7 files of Torch7: bytes to plain Python objects, and back.

This package knows the format and nothing of ``nn``. It runs no code from a file, and a broken or
hostile file ends in one :class:`~pytorch_legacy.errors.T7Error` that says where and what.

=====================================  ====================================================
in the file                            in Python
=====================================  ====================================================
nil, boolean                           ``None``, ``bool``
number                                 ``int`` if it is one and below 2**53, else ``float``
string                                 ``str``, decoded as UTF-8 with ``surrogateescape``
table with the keys 1..n, n > 0        ``list``
any other table                        ``dict``, keys as stored (the empty table is ``{}``)
``tds.Hash``, ``tds.Vec``              :class:`Hash`, a ``dict``; :class:`Vec`, a ``list``
tensor, on any device                  ``numpy.ndarray``, a view of its storage
storage that stands as a value         :class:`Storage`
function                               :class:`Function`, which never runs
any other Torch object                 :class:`TorchObject`, or what the object factory makes
=====================================  ====================================================

Identity is kept: what was one object in Lua is one object in Python, cycles included, and tensors
that shared a storage are views of one array. A key that Python cannot hash (a table, a tensor) is
wrapped in :class:`IdentityKey`; so is a boolean key that a Python dict could not tell from the
number 0 or 1 in the same table.

Arrays from binary files are views of the mapped file, made without copying and perhaps unaligned.
They are writable, and writing never changes the file; but while arrays of a mapped file are alive, nobody
may truncate it or write into it (:func:`write` never does: it replaces the file). Files that others may
write are therefore read, and ``mmap=False`` reads any.

Making one's own objects
------------------------
``read(..., objectFactory=factory)`` asks the factory about every Torch object that is not a
tensor, a storage, ``tds.Hash`` or ``tds.Vec``. It does so in two steps, so that cycles work:

1. ``factory.create(typename, version)`` returns a fresh, still empty instance, or ``None`` to
   leave the object a :class:`TorchObject`. Tables and other objects of the file are not filled
   at this time. The instance may become the key of a table, so its hash must not depend on what
   ``fill`` does.
2. ``factory.fill(instance, record, path)`` gives the instance its contents. ``record`` is a
   :class:`TorchObject` with ``typename``, ``version``, ``fields`` (normally a dict) and ``header``
   (``None`` but for classes that store two objects, such as ``nn.GPU``). Everything reached from
   ``record`` is already filled, children before parents, unless a cycle leads back to an object
   that is still waiting for its turn. ``str(path)`` says where the object stands in the file, in
   Lua's notation (``root.modules[1]`` is the first module); it is worked out only when asked for,
   and ``path`` is good only until `read` returns.

Every ``create`` comes before the first ``fill``. A T7Error of the factory gets file, offset and
path of the object put in front; other exceptions pass through unchanged.
``write(..., describe=function)`` is the way back: the function gets every value that is not plain
and returns its :class:`TorchObject`, or ``None`` if it does not know the value.
"""

from pytorch_legacy.errors import T7Error

from .objects import DeviceTensor, Function, Hash, IdentityKey, ObjectFactory, Path, Storage, TorchObject, Vec, longs
from .reader import read, read_all
from .writer import write

__all__ = [
    "DeviceTensor",
    "Function",
    "Hash",
    "IdentityKey",
    "ObjectFactory",
    "Path",
    "Storage",
    "T7Error",
    "TorchObject",
    "Vec",
    "longs",
    "read",
    "read_all",
    "write",
]
