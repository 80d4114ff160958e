"""The layers of nnx, experiments that found their way into models. Torch7 knows them as ``nn.*``."""

__all__: list[str] = []
