"""Bytes of binary files, put together by hand."""

import struct


def i32(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}i", *values)


def i64(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}q", *values)


def text(content: str) -> bytes:
    return i32(len(content)) + content.encode()


def string(content: str) -> bytes:
    return i32(2) + text(content)


def number(value: float) -> bytes:
    return i32(1) + struct.pack("<d", value)


def obj(index: int, typename: str, version: str = "V 1") -> bytes:
    return i32(4, index) + text(version) + text(typename)


def table(index: int, *items: bytes) -> bytes:
    return i32(3, index, len(items) // 2) + b"".join(items)


def storage(index: int, *values: float) -> bytes:
    return obj(index, "torch.DoubleStorage") + i64(len(values)) + struct.pack(f"<{len(values)}d", *values)


def tensor(index: int, size: tuple[int, ...], stride: tuple[int, ...], offset: int, body: bytes) -> bytes:
    return obj(index, "torch.DoubleTensor") + i32(len(size)) + i64(*size, *stride, offset) + body
