"""The layers of cudnn.torch, computed by those of ``nn``: the same numbers without a GPU."""

__all__: list[str] = []
