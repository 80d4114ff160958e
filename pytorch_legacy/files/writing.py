"""Files that appear whole or not at all: the one way in which this package writes what it makes."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, BinaryIO, cast

# Names of files that are open: one writes into them, even where an ordinary file stands behind.
_DESCRIPTOR = re.compile(r"/(?:proc/[^/]+(?:/task/[^/]+)?|dev)/fd/\d+")


@contextmanager
def whole(target: str | os.PathLike[Any]) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `target` if all goes well. It can be sought in and read, too.

    It stands beside the target under another name until it is complete and on the disk; then it gets the target's name
    in one step. Whatever goes wrong before, an existing file is as it was, and nothing else is left. Its mode is kept,
    and its owner where that is allowed. Through a symbolic link, what it leads to is replaced. Other hard links keep the
    old contents: a loaded model may be a map of them, so nothing is ever overwritten in place. For the same reason an
    existing file needs a folder that takes new files, and one that is protected from writing stays.

    A FIFO, a terminal or another device of characters is not replaced: it gets the bytes when they are complete.

    Raises
    ------
    OSError
        Names the target: it or its folder cannot be written to, the disk is full.
    """
    given = os.fsdecode(target)
    with _naming(given):
        status = _existing(given)
    if status is not None and (not stat.S_ISREG(status.st_mode) or _is_open(given)):
        with tempfile.TemporaryFile() as file, _naming(given):
            yield cast(BinaryIO, file)
            file.seek(0)
            with open(given, "wb") as stream:
                shutil.copyfileobj(file, stream, 1 << 20)
        return
    path = os.path.realpath(given)
    folder, name = os.path.split(path)
    unfinished = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(4)}.tmp")
    mode = 0o666 if status is None else 0o600  # nobody else reads what is to be private
    with _naming(given, unfinished), open(unfinished, "x+b", 1 << 20, opener=partial(os.open, mode=mode)) as new:
        try:
            yield cast(BinaryIO, new)
            new.flush()
            if status is not None:
                _resemble(unfinished, status)
            os.fsync(new.fileno())
            os.replace(unfinished, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(unfinished)
            raise
    _settle(folder)


def check_target(target: str | os.PathLike[Any]) -> None:
    """Refuses, before long work, a name that `whole` would refuse after it: that of a folder, or in a folder that is not there.

    Raises
    ------
    OSError
        As `whole`.
    """
    given = os.fsdecode(target)
    with _naming(given):
        _existing(given)
    try:
        os.stat(os.path.dirname(os.path.realpath(given)))
    except OSError as error:
        raise _error(error.errno or errno.ENOENT, given) from None


def _existing(given: str) -> os.stat_result | None:
    """What there is already, links followed; an error if it is nothing to write to."""
    if not given or given.endswith(os.sep):
        raise _error(errno.EISDIR if given else errno.ENOENT, given)
    try:
        status = os.stat(given)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise _error(errno.EISDIR, given)
    if stat.S_ISSOCK(status.st_mode) or stat.S_ISBLK(status.st_mode):
        raise OSError(errno.EINVAL, "A socket or a disk is no place for a file", given)
    if not os.access(given, os.W_OK):
        raise _error(errno.EACCES, given)
    return status


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def _is_open(path: str) -> bool:
    """Is it the name of an open file, such as /dev/stdout?"""
    for _ in range(40):
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if _DESCRIPTOR.fullmatch(path):
            return True
        if not os.path.islink(path):
            return False
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return False


@contextmanager
def _naming(given: str, unfinished: str | None = None) -> Iterator[None]:
    """Errors of the system name the file that was asked for."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, unfinished):
            raise
        text = error.strerror or ""
        if unfinished and error.filename == unfinished and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            text += " to its folder, where the file must be complete before it replaces another"
        raise OSError(error.errno, text, given) from error


def _resemble(path: str, status: os.stat_result) -> None:
    """Gives the file the owner, where that is allowed, and the mode of the one that it replaces."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode))


def _settle(folder: str) -> None:
    """Makes sure that the new name, too, is on the disk."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
