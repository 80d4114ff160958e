"""Networks as programs that run in C.

`compiling` records a network (`recording`), `listing` makes lists of calls of that, and `state` of what a recurrent network
keeps. `encoding` lays out the memory of lists and writes them as bytes, `decoding` reads them, and `notes` is what files hold
beside them. `proof` compares programs with the network, `execution` runs them. `csource` writes them as C.
"""

from pytorch_legacy.program.csource import to_c
from pytorch_legacy.program.program import Program, compile

__all__ = ["Program", "compile", "to_c"]
