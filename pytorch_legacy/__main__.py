"""``python -m pytorch_legacy`` is the command ``pytorch-legacy``."""

import sys

from pytorch_legacy.cli import main

if __name__ == "__main__":
    sys.exit(main())
