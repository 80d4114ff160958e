"""Networks as C that people read: a header, a source with a call for each layer, and the weights.

`names` has numbers and identifiers, `passes` writes the calls of a list, `source` what stands around them.
"""

from pytorch_legacy.program.csource.writing import to_c

__all__ = ["to_c"]
