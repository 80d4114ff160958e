"""Shows what pooling layers do: which cells feed which output, and a picture through every layer.

>>> import pytorch_legacy as pl
>>> print(pl.explain.windows("adaptive", 5, 3))
adaptive: 5 cells to 3
<BLANKLINE>
output  cells  01234  fixed  01234   (kernel 3, stride 1)
     0  0-1    ##...  0-2    ###..   differs
     1  1-3    .###.  1-3    .###.
     2  3-4    ...##  2-4    ..###   differs
2 of 3 windows differ from fixed ones: 0, 2
cells in several windows: 1 (in 0-1), 3 (in 1-2)
"""

from .gallery import LONGEST, Gallery, pooling
from .windows import KINDS, SLIDING, Axis, Windows, windows

__all__ = ["KINDS", "LONGEST", "SLIDING", "Axis", "Gallery", "Windows", "pooling", "windows"]
