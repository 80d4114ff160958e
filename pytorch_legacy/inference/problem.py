"""What the command line says when it cannot go on."""


class Problem(Exception):
    """Something the user can mend; the text says how."""
