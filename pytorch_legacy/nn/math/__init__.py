"""Arithmetic: learned and constant terms and factors, sums and extrema, products of matrices."""

from .Add import Add
from .AddConstant import AddConstant
from .CAdd import CAdd
from .CMul import CMul
from .Constant import Constant
from .CosineDistance import CosineDistance
from .DotProduct import DotProduct
from .Max import Max
from .Mean import Mean
from .Min import Min
from .MM import MM
from .Mul import Mul
from .MulConstant import MulConstant
from .MV import MV
from .PairwiseDistance import PairwiseDistance
from .Sum import Sum

__all__ = [
    "MM",
    "MV",
    "Add",
    "AddConstant",
    "CAdd",
    "CMul",
    "Constant",
    "CosineDistance",
    "DotProduct",
    "Max",
    "Mean",
    "Min",
    "Mul",
    "MulConstant",
    "PairwiseDistance",
    "Sum",
]
