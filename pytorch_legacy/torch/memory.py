"""Tensors of PyTorch as arrays, and arrays as tensors, on the memory that they have."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from pytorch_legacy.arrays import Tensor, cupy, on_device
from pytorch_legacy.errors import DtypeError, UnsupportedError

DTYPES = (torch.float32, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def as_array(tensor: torch.Tensor) -> Tensor:
    """Returns an array over the tensor's memory: NumPy's, or CuPy's on a CUDA device."""
    if tensor.dtype not in DTYPES and not (tensor.is_cuda and tensor.dtype == torch.float16):
        cure = "call .float() or .double() on the module, and on the tensor"
        raise DtypeError(f"expected a tensor of float32 or float64, or of integers, got one of {tensor.dtype}; {cure}")
    if tensor.layout != torch.strided:
        raise UnsupportedError(f"expected a dense tensor, got one of layout {tensor.layout}; call .to_dense()")
    tensor = tensor.detach().resolve_neg()
    if tensor.device.type == "cpu":
        try:
            return tensor.numpy()
        except RuntimeError as error:  # one without numbers, as torch.export has
            text = f"expected a tensor with numbers, got a {type(tensor).__name__}; "
            cure = "layers that pytorch_legacy runs cannot be exported: pl.to_torch(net, example) writes those of a network"
            raise UnsupportedError(text + cure) from error
    if tensor.is_cuda:
        array: Tensor = cupy().from_dlpack(tensor)
        return array
    raise UnsupportedError(f"expected a tensor on the CPU or on a CUDA device, got one on {tensor.device}")


def as_tensor(array: Tensor) -> torch.Tensor:
    """Returns a tensor over the array's memory."""
    return torch.from_dlpack(array) if on_device(array) else torch.from_numpy(array)


def as_copied_tensor(array: Any) -> torch.Tensor:
    """Returns a tensor with a copy of the array's elements, because the next pass overwrites a layer's buffer."""
    return as_tensor(array.copy() if on_device(array) else np.array(array))


def torch_type(tensor: torch.Tensor) -> str:
    """Returns Torch7's name for a tensor's type, as ``Module.type`` takes it."""
    if tensor.dtype not in (torch.float16, torch.float32, torch.float64):
        raise DtypeError(f"expected parameters of float32 or float64, got {tensor.dtype}; call .float() or .double()")
    if tensor.is_cuda:
        name = {torch.float16: "CudaHalf", torch.float32: "Cuda", torch.float64: "CudaDouble"}[tensor.dtype]
    else:
        name = {torch.float16: "Half", torch.float32: "Float", torch.float64: "Double"}[tensor.dtype]
    return f"torch.{name}Tensor"
