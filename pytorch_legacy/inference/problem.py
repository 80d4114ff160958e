"""The error that ends a command."""


class Problem(Exception):
    """Something the user can mend; the text says how."""
