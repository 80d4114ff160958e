"""The layers of imagine-nn (``inn.*``)."""

__all__: list[str] = []
