"""Layers that take or return tables: lists of arrays, or of tables of arrays."""

from .CAddTable import CAddTable
from .CAddTensorTable import CAddTensorTable
from .CDivTable import CDivTable
from .CMaxTable import CMaxTable
from .CMinTable import CMinTable
from .CMulTable import CMulTable
from .ConcatTable import ConcatTable
from .CriterionTable import CriterionTable
from .CSubTable import CSubTable
from .FlattenTable import FlattenTable
from .JoinTable import JoinTable
from .MixtureTable import MixtureTable
from .NarrowTable import NarrowTable
from .ParallelTable import ParallelTable
from .SelectTable import SelectTable
from .SplitTable import SplitTable
from .ZipTable import ZipTable
from .ZipTableOneToMany import ZipTableOneToMany

__all__ = [
    "CAddTable",
    "CAddTensorTable",
    "CDivTable",
    "CMaxTable",
    "CMinTable",
    "CMulTable",
    "CSubTable",
    "ConcatTable",
    "CriterionTable",
    "FlattenTable",
    "JoinTable",
    "MixtureTable",
    "NarrowTable",
    "ParallelTable",
    "SelectTable",
    "SplitTable",
    "ZipTable",
    "ZipTableOneToMany",
]
