"""The layers of Element-Research's dpnn, as far as published models hold them. Torch7 knows them as ``nn.*``."""

__all__: list[str] = []
