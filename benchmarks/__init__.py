"""Speed, as a ratio to PyTorch measured in one interleaved run. Start it with ``python -m benchmarks``."""
