"""The base of OpenNMT's modules: a module around one network."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module


class OnmtNetwork(nn.Decorator):
    """A decorator that only calls its network. OpenNMT's other modules derive from it.

    Parameters
    ----------
    net : Module
        The network, often a gModule.

    Notes
    -----
    In .t7 files it is called onmt.Network. Files of OpenNMT hold tables: ``pl.load(path)["models"]["encoder"]["modules"]`` is a
    list with one network, which computes one step. The words of a batch count from 0 here, and from 1 in Lua.
    Source: OpenNMT ``onmt.Network``.

    Examples
    --------
    >>> layer = authors.OnmtNetwork(nn.Square())
    >>> layer.forward(np.float32([1, 2, 3]))
    array([1., 4., 9.], dtype=float32)
    >>> layer.net
    nn.Square
    """

    _typename = "onmt.Network"
    _file = Form(
        properties=("net",),
        defaults={"modules": lambda fields: [fields["net"]]},
        kinds={"net": "a module"},
    )

    def __init__(self, net: Module) -> None:
        super().__init__(net)

    @property
    def net(self) -> Any:
        return self.modules[0] if self.modules else None

    def set(self, net: Module) -> None:
        """Replaces the network."""
        self.modules[:] = [net]
