"""A pass of a network as a list of calls.

`recorder` notes them, `array` has the arrays of such a pass, `numpy_functions` says which functions of libTHNN stand for
NumPy's, and `network` records a whole network.
"""

from pytorch_legacy.recording.network import Recording, record
from pytorch_legacy.recording.recorder import Call, Ref, Scalar

__all__ = ["Call", "Recording", "Ref", "Scalar", "record"]
