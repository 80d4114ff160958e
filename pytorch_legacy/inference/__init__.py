"""Running a network: what it takes, the inputs that are made or read for it, and what becomes of its output.

- `expected`: what a network takes, by its layers and by trials; `inputs`: what ``--input`` says.
- `examples`, `given`: arrays of it.
- `models`: the network in a file; `files`: pictures and arrays, read and written; `preprocessing`: what becomes of a picture.
- `output`, `progress`, `problem`: what the user is told.

The command line, many inputs (`distributed`) and conversions (`bridge`) stand on it.
"""
