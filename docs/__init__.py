"""The pages, and what builds the site of them: ``python -m docs``."""
