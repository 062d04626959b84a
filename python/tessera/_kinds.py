# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries of arrays. A kind makes results that are like X, and knows the stream that X's library queues work on."""

from __future__ import annotations

import sys
from typing import Any, Protocol

import numpy as np

from . import _tessera


class Kind(Protocol):
    """A library of arrays. CuPy and PyTorch are imported only after a program has imported them."""

    name: str

    def empty(self, like: Any, shape: tuple[int, ...]) -> Any:
        """Makes an array without values, where `like` is, of its type; column-major if `like` is."""

    def stream(self, array: Any) -> int:
        """Returns the current stream of the array's GPU; 0 on a host."""

    def copy_to(self, out: Any, array: Any) -> None:
        """Copies an array to another one of the same shape."""


class _NumPy:
    name = "numpy"

    def empty(self, like: Any, shape: tuple[int, ...]) -> Any:
        return np.empty(shape, like.dtype, order="F" if _is_column_major(like) else "C")

    def stream(self, array: Any) -> int:
        return 0

    def copy_to(self, out: Any, array: Any) -> None:
        np.copyto(out, array, casting="same_kind")


class _CuPy:
    name = "cupy"

    def empty(self, like: Any, shape: tuple[int, ...]) -> Any:
        cupy = sys.modules["cupy"]
        with like.device:
            return cupy.empty(shape, like.dtype, order="F" if _is_column_major(like) else "C")

    def stream(self, array: Any) -> int:
        cupy = sys.modules["cupy"]
        with array.device:
            return int(cupy.cuda.get_current_stream().ptr)

    def copy_to(self, out: Any, array: Any) -> None:
        out[...] = array


class _Torch:
    name = "torch"

    def empty(self, like: Any, shape: tuple[int, ...]) -> Any:
        try:
            if like.dim() == 2 and like.stride(0) == 1 and like.stride(1) > 1:
                return like.new_empty(shape[::-1]).t()
            return like.new_empty(shape)
        except (NotImplementedError, RuntimeError) as error:  # of sparse and nested tensors
            if like.layout == sys.modules["torch"].strided and not like.is_nested:
                raise  # there is no memory
            raise TypeError(f"tessera.spmm: X is a tensor of the layout {like.layout}; expected a dense one") from error

    def stream(self, array: Any) -> int:
        if not array.is_cuda:
            return 0
        found = _tessera.current_stream(array)  # PyTorch before 2.10 does not tell
        return int(sys.modules["torch"].cuda.current_stream(array.device).cuda_stream) if found is None else found

    def copy_to(self, out: Any, array: Any) -> None:
        out.copy_(array)


class _Other:
    """Any other library: results are arrays of NumPy on the host and, on a GPU, of CuPy or else PyTorch."""

    name = "numpy"

    def empty(self, like: Any, shape: tuple[int, ...]) -> Any:
        interface = getattr(like, "__cuda_array_interface__", None)
        if interface is not None:
            return _cuda_kind().empty(_cuda_kind_array(like), shape)
        is_dlpack = hasattr(like, "__dlpack__") and not hasattr(like, "__array_interface__")
        return NUMPY.empty(np.from_dlpack(like) if is_dlpack else np.asarray(like), shape)

    def stream(self, array: Any) -> int:
        interface = getattr(array, "__cuda_array_interface__", None) or {}
        return int(interface.get("stream") or 0)

    def copy_to(self, out: Any, array: Any) -> None:
        NUMPY.copy_to(out, array)


NUMPY, CUPY, TORCH, OTHER = _NumPy(), _CuPy(), _Torch(), _Other()
_kinds: dict[type, Kind] = {np.ndarray: NUMPY}


def kind_of(array: Any) -> Kind:
    """Returns the library that an array belongs to."""
    found = _kinds.get(type(array))
    if found is None:
        roots = {base.__module__.partition(".")[0] for base in type(array).__mro__}
        named: dict[str, Kind] = {"torch": TORCH, "cupy": CUPY, "numpy": NUMPY}
        found = next((kind for root, kind in named.items() if root in roots), OTHER)
        _kinds[type(array)] = found
    return found


def shape_of(array: Any, name: str) -> tuple[int, ...]:
    """Returns the shape of an array."""
    for interface in ("__array_interface__", "__cuda_array_interface__"):
        if not hasattr(array, "shape") and hasattr(array, interface):
            return tuple(getattr(array, interface)["shape"])
    try:
        shape: Any = array.shape if hasattr(array, "shape") else memoryview(array).shape
        return tuple(shape)
    except TypeError:
        raise TypeError(f"{name} is of the type {type(array).__qualname__}; expected an array") from None


def is_recorded(tensor: Any) -> bool:
    """Returns whether PyTorch records what is computed from the tensor: it needs a gradient or has a tangent, or
    torch.jit traces.

    Raises RuntimeError where PyTorch would miss the product.
    """
    reject_proxies()
    torch = sys.modules["torch"]
    if (tensor.requires_grad and torch.is_grad_enabled()) or torch.jit.is_tracing():
        return True
    forward = torch.autograd.forward_ad
    if getattr(forward, "_current_level", 0) < 0:  # saves a slow call outside dual_level()
        return False
    return forward.unpack_dual(tensor).tangent is not None


def reject_proxies() -> None:
    """Raises RuntimeError if make_fx records PyTorch's operations."""
    modes = getattr(sys.modules["torch"]._C, "_len_torch_dispatch_stack", None)  # 0.03 us: often there is no mode
    if modes is not None and modes() == 0:
        return
    get_mode = getattr(sys.modules.get("torch.fx.experimental.proxy_tensor"), "get_proxy_mode", None)
    if get_mode is not None and get_mode() is not None:
        raise RuntimeError(
            "tessera.spmm: PyTorch records its operations (make_fx, torch.export, linearize) and would miss this "
            "product; expected a call outside"
        )


def stream_number(stream: Any) -> int:
    """Returns a stream as a number: of PyTorch, of CuPy, with __cuda_stream__, or a number."""
    if isinstance(stream, int):
        return stream
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    raise TypeError(f"tessera: stream is {stream!r}; expected a stream of PyTorch or CuPy, or a number: a cudaStream_t")


def _is_column_major(array: Any) -> bool:
    return bool(array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous)


def _cuda_kind() -> Kind:
    for name, kind in (("cupy", CUPY), ("torch", TORCH)):
        try:
            __import__(name)
        except ImportError:
            continue
        return kind
    raise TypeError("tessera.spmm: X is on a GPU, and neither CuPy nor PyTorch is there to make a result; expected out")


def _cuda_kind_array(array: Any) -> Any:
    if _cuda_kind() is CUPY:
        return sys.modules["cupy"].asarray(array)
    return sys.modules["torch"].as_tensor(array, device="cuda")
