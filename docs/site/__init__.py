"""The generator of the site: each file does one thing. The pages themselves are docs/*.md, docs/book and generated ones."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
