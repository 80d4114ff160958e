"""matplotlib, where it is asked for."""

from typing import Any

from pytorch_legacy.errors import UnsupportedError


def pyplot(who: str) -> Any:
    """The module matplotlib.pyplot; without it an error that says what to install."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise UnsupportedError(f"{who}: needs matplotlib: pip install matplotlib") from None
    return matplotlib.pyplot
