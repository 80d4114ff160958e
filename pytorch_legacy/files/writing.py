"""Files that appear whole or not at all: the one way in which this package writes what it makes."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, BinaryIO, cast

try:
    import fcntl
except ImportError:  # Windows has none, so that what a killed process left stays
    fcntl = None  # type: ignore[assignment]

_MAX_NAME_LENGTH = 40  # characters of a target's name in that of an unfinished file: file systems limit its bytes
_MAX_UNFINISHED = 100  # processes that write one target at once
# Names of files that are open: one writes into them, even where an ordinary file stands behind.
_DESCRIPTOR = re.compile(r"/(?:proc/[^/]+(?:/task/[^/]+)?|dev)/fd/\d+")


@contextmanager
def whole(target: str | os.PathLike[Any]) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `target` if all goes well. It can be sought in and read, too.

    It stands beside the target under another name until it is complete and on the disk; then it gets the target's name
    in one step. Whatever goes wrong before, an existing file is as it was, and nothing else is left. What a killed process
    left is removed when the same target is written again. The mode of an existing file is kept, and its owner where that
    is allowed. Through a symbolic link, what it leads to is replaced. Other hard links keep the old contents: a loaded model
    may be a map of them, so nothing is ever overwritten in place. For the same reason an existing file needs a folder that
    takes new files, and one that is protected from writing stays.

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
    mode = 0o666 if status is None else 0o600  # nobody else reads what is to be private
    with _naming(given, folder), _unfinished(folder, name, mode) as new:
        unfinished = new.name
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


def _unfinished(folder: str, name: str, mode: int) -> Any:
    """Creates the file that becomes `name`: the first of ``.name.0.tmp``, ``.name.1.tmp``, ... that no other process writes.

    A process holds a lock on the file that it writes, and the system releases the lock however the process ends. So a file
    without a lock was left by a killed process, and is removed.
    """
    start = os.path.join(folder, f".{name[:_MAX_NAME_LENGTH]}.")
    for number in range(_MAX_UNFINISHED):
        path = f"{start}{number}.tmp"
        _sweep(path)
        with suppress(FileExistsError):
            new = open(path, "x+b", 1 << 20, opener=partial(os.open, mode=mode))  # noqa: SIM115
            if not _lock(new.fileno(), wait=True) or _is_at(path, new.fileno()):
                _sweep(f"{start}{number + 1}.tmp")
                _sweep(f"{start}{number + 2}.tmp")
                return new
            new.close()  # before the lock, another process took it for one that was left
    raise FileExistsError(errno.EEXIST, f"{_MAX_UNFINISHED} other processes write it", path)


def _sweep(path: str) -> None:
    """Removes a file that a killed process left."""
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return  # there is none, or it is somebody else's
    try:
        isFile = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if isFile and _lock(descriptor, wait=False) and _is_at(path, descriptor):
            with suppress(OSError):
                os.unlink(path)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, wait: bool) -> bool:
    """Locks an open file until it is closed; False if another process has locked it, or the system has no locks there."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _is_at(path: str, descriptor: int) -> bool:
    """True if an open file has this name."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), os.fstat(descriptor))
    except OSError:
        return False


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
    """Returns the status of an existing target, links followed, or None; raises an error if it cannot be written to."""
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
    """Returns True for the name of an open file, such as /dev/stdout."""
    for _ in range(40):
        path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        if _DESCRIPTOR.fullmatch(path):
            return True
        if not os.path.islink(path):
            return False
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return False


@contextmanager
def _naming(given: str, folder: str | None = None) -> Iterator[None]:
    """Errors of the system name the file that was asked for, in the place of an unfinished one in `folder`."""
    try:
        yield
    except OSError as error:
        where, name = os.path.split(error.filename) if isinstance(error.filename, str) else (None, "")
        isUnfinished = folder is not None and where == folder and name.startswith(".") and name.endswith(".tmp")
        if error.errno is None or (error.filename is not None and not isUnfinished):
            raise
        text = error.strerror or ""
        if isUnfinished and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
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
