"""A pass of a network as a list of calls.

`network` records a whole network, and `recorder` notes its calls. `array` has the arrays of such a pass. Four files say which
array functions of libTHNN stand for NumPy's functions: `universal`, `reductions`, `indexing` and, for all others,
`numpy_functions`. `operands` is what they have in common.
"""

from pytorch_legacy.recording.network import Recording, record
from pytorch_legacy.recording.recorder import Call, Ref, Scalar

__all__ = ["Call", "Recording", "Ref", "Scalar", "record"]
