"""The layers of Element-Research's rnn: recurrent networks, unrolled step by step. Torch7 knows them as ``nn.*``."""

__all__: list[str] = []
