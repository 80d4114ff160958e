"""Linear algebra, by the names of LAPACK: systems of equations, decompositions, eigenvalues.

Matrices of results lie in memory by columns, as LAPACK leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..language.errors import raise_error
from .signatures import Form, forms
from .tensor import DTYPES, Array, Tensor
from .values import cast, contiguous, offset_of, resize, store


def _matrix(x: Tensor, name: str, isSquare: bool = False) -> Array:
    array = x.array
    if array.ndim != 2:
        raise_error(f"bad argument to '{name}' (A should be 2 dimensional)")
    if isSquare and array.shape[0] != array.shape[1]:
        raise_error(f"bad argument to '{name}' (A should be square)")
    if x.dtype.kind != "f":
        raise_error(f"{name} is not defined for {x.name}")
    return array.astype(np.float64)


def _columns(result: Tensor | None, array: Array, kind: type[Tensor]) -> Tensor:
    """Stores a matrix by columns."""
    if array.ndim != 2:
        return store(result, array, kind)
    if result is None:
        return kind(np.asfortranarray(cast(array, kind.dtype)))
    resize(result, array.shape)
    if result.array.flags.c_contiguous and result.array.size:
        strides = tuple(reversed(contiguous(array.shape[::-1])))
        result.place(result.storage, offset_of(result), array.shape, strides)
    result.array[...] = cast(array, result.dtype)
    return result


def _right(b: Tensor, rows: int, name: str) -> Array:
    array = b.array.astype(np.float64)
    if array.ndim not in (1, 2) or array.shape[0] != rows:
        raise_error(f"bad argument to '{name}' (A,B size incompatible - A has {rows} rows, B has {array.shape[0]} rows)")
    return array.reshape(rows, -1)


def _check(isFine: bool, name: str, problem: str) -> None:
    if not isFine:
        raise_error(f"Lapack Error {name} : {problem}")


@contextmanager
def _lapack(name: str, problem: str) -> Iterator[None]:
    """A block in which LAPACK may find that a matrix has no result."""
    try:
        yield
    except np.linalg.LinAlgError:
        raise_error(f"Lapack Error {name} : {problem}")


# ------------------------------------------------------------------------------------------------------ equations


def _factors(a: Array) -> Array:
    """Returns the factors of LU with partial pivoting in one matrix, as getrf gives them."""
    lu = a.copy()
    for k in range(min(lu.shape)):
        row = k + int(np.argmax(np.abs(lu[k:, k])))
        lu[[k, row]] = lu[[row, k]]
        if lu[k, k]:
            lu[k + 1 :, k] /= lu[k, k]
            lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return lu


def _gesv(rb: Tensor | None, ra: Tensor | None, b: Tensor, a: Tensor) -> Any:
    matrix = _matrix(a, "gesv", True)
    right = _right(b, len(matrix), "gesv")
    with _lapack("gesv", "U(i,i) is zero, singular U."):
        solved = np.linalg.solve(matrix, right)
    return _columns(rb, solved, b.__class__), _columns(ra, _factors(matrix), a.__class__)


def _solve_triangular(a: Array, b: Array, isUpper: bool) -> Array:
    x = b.copy()
    order = range(len(a) - 1, -1, -1) if isUpper else range(len(a))
    for i in order:
        rest = slice(i + 1, None) if isUpper else slice(0, i)
        x[i] = (x[i] - a[i, rest] @ x[rest]) / a[i, i]
    return x


def _trtrs(rb: Tensor | None, ra: Tensor | None, b: Tensor, a: Tensor, uplo: str, trans: str, diag: str) -> Any:
    matrix = _matrix(a, "trtrs", True)
    right = _right(b, len(matrix), "trtrs")
    isUpper = uplo.upper() != "L"
    used = np.triu(matrix) if isUpper else np.tril(matrix)
    if diag.upper() == "U":
        np.fill_diagonal(used, 1)
    _check(bool(np.diagonal(used).all()), "trtrs", "A(i,i) is zero, singular A")
    if trans.upper() != "N":
        used, isUpper = used.T, not isUpper
    return _columns(rb, _solve_triangular(used, right, isUpper), b.__class__), _columns(ra, matrix, a.__class__)


def _gels(rb: Tensor | None, ra: Tensor | None, b: Tensor, a: Tensor) -> Any:
    matrix = _matrix(a, "gels")
    right = _right(b, len(matrix), "gels")
    with _lapack("gels", "the singular values of A did not converge"):
        solved = np.linalg.lstsq(matrix, right, rcond=None)[0]
    factors, _ = np.linalg.qr(matrix, mode="raw")
    return _columns(rb, solved, b.__class__), _columns(ra, factors.T, a.__class__)


def _inverse(result: Tensor | None, a: Tensor) -> Tensor:
    with _lapack("getri", "U(i,i) is zero, singular U."):
        found = np.linalg.inv(_matrix(a, "inverse", True))
    return _columns(result, found, a.__class__)


# ------------------------------------------------------------------------------------------------------ eigenvalues


def _symeig(re: Tensor | None, rv: Tensor | None, a: Tensor, job: str, uplo: str) -> Any:
    with _lapack("syev", "off-diagonal elements did not converge to 0"):
        values, vectors = np.linalg.eigh(_matrix(a, "syev", True), "L" if uplo.upper() == "L" else "U")
    second = vectors if job.upper() == "V" else np.empty(0)
    return store(re, values, a.__class__), _columns(rv, second, a.__class__)


def _eig(re: Tensor | None, rv: Tensor | None, a: Tensor, job: str) -> Any:
    with _lapack("geev", "the eigenvalues did not converge"):
        values, vectors = np.linalg.eig(_matrix(a, "geev", True))
    pairs = np.stack([values.real, values.imag], 1)
    second: Array = np.empty(0)
    if job.upper() == "V":
        second = np.ascontiguousarray(vectors.real)
        for i in np.flatnonzero(values.imag > 0):  # a pair of complex vectors is two columns: real and imaginary part
            second[:, i], second[:, i + 1] = vectors[:, i].real, vectors[:, i].imag
    return store(re, pairs, a.__class__), _columns(rv, second, a.__class__)


def _svd(ru: Tensor | None, rs: Tensor | None, rv: Tensor | None, a: Tensor, job: str) -> Any:
    with _lapack("gesvd", "superdiagonals did not converge"):
        u, s, vt = np.linalg.svd(_matrix(a, "gesvd"), full_matrices=job.upper() == "A")
    kind = a.__class__
    return _columns(ru, u, kind), store(rs, s, kind), _columns(rv, vt.T, kind)


# ------------------------------------------------------------------------------------------------------ Cholesky


def _cholesky(matrix: Array, isUpper: bool) -> Array:
    used = np.triu(matrix) + np.triu(matrix, 1).T if isUpper else np.tril(matrix) + np.tril(matrix, -1).T
    with _lapack("potrf", "A(i,i) is 0, A cannot be factorized: it is not positive definite"):
        lower = np.linalg.cholesky(used)
    return lower.T if isUpper else lower


def _potrf(result: Tensor | None, a: Tensor, uplo: str) -> Tensor:
    return _columns(result, _cholesky(_matrix(a, "potrf", True), uplo.upper() != "L"), a.__class__)


def _potrs(result: Tensor | None, b: Tensor, a: Tensor, uplo: str) -> Tensor:
    matrix = _matrix(a, "potrs", True)
    right = _right(b, len(matrix), "potrs")
    lower = np.triu(matrix).T if uplo.upper() != "L" else np.tril(matrix)
    half = _solve_triangular(lower, right, False)
    return _columns(result, _solve_triangular(lower.T, half, True), b.__class__)


def _potri(result: Tensor | None, a: Tensor, uplo: str) -> Tensor:
    matrix = _matrix(a, "potri", True)
    lower = np.triu(matrix).T if uplo.upper() != "L" else np.tril(matrix)
    _check(bool(np.diagonal(lower).all()), "potri", "A(i,i) is 0, A cannot be factorized")
    inverse = _solve_triangular(lower, np.eye(len(lower)), False)
    return _columns(result, inverse.T @ inverse, a.__class__)


def _pstrf(ru: Tensor | None, rpiv: Tensor | None, a: Tensor, uplo: str, tolerance: float) -> Any:
    """Cholesky's decomposition with the largest diagonal element first."""
    matrix = _matrix(a, "pstrf", True)
    n = len(matrix)
    limit = n * np.finfo(np.float64).eps * np.diagonal(matrix).max(initial=0) if tolerance < 0 else tolerance
    order, lower = np.arange(n), matrix.copy()
    for k in range(n):
        at = k + int(np.argmax(np.diagonal(lower)[k:]))
        if lower[at, at] <= limit:
            lower[k:, k:] = 0
            break
        for swapped in (lower, lower.T):
            swapped[[k, at]] = swapped[[at, k]]
        order[[k, at]] = order[[at, k]]
        lower[k, k] = np.sqrt(lower[k, k])
        lower[k + 1 :, k] /= lower[k, k]
        lower[k + 1 :, k + 1 :] -= np.outer(lower[k + 1 :, k], lower[k + 1 :, k])
    found = np.tril(lower)
    pivots = store(rpiv, order + 1, a.types.tensors[DTYPES["Int"]])
    return _columns(ru, found.T if uplo.upper() != "L" else found, a.__class__), pivots


# ------------------------------------------------------------------------------------------------------ QR


def _qr(rq: Tensor | None, rr: Tensor | None, a: Tensor) -> Any:
    q, r = np.linalg.qr(_matrix(a, "qr"))
    return _columns(rq, q, a.__class__), _columns(rr, r, a.__class__)


def _geqrf(ra: Tensor | None, rtau: Tensor | None, a: Tensor) -> Any:
    factors, tau = np.linalg.qr(_matrix(a, "geqrf"), mode="raw")
    return _columns(ra, factors.T, a.__class__), store(rtau, tau, a.__class__)


def _reflected(factors: Array, tau: Array, c: Array, isTransposed: bool) -> Array:
    """Returns Q c, or Q' c, of the reflectors that geqrf gives."""
    out = c.copy()
    order = range(len(tau)) if isTransposed else range(len(tau) - 1, -1, -1)
    for i in order:
        v = factors[:, i].copy()
        v[:i], v[i] = 0, 1
        out -= tau[i] * np.outer(v, v @ out)
    return out


def _orgqr(result: Tensor | None, a: Tensor, tau: Tensor) -> Tensor:
    factors, scales = _matrix(a, "orgqr"), tau.array.astype(np.float64)
    if scales.ndim != 1 or len(scales) > min(factors.shape):
        raise_error("bad argument #2 to 'orgqr' (tau has to be a vector of the number of reflectors)")
    rows, count = len(factors), len(scales)
    return _columns(result, _reflected(factors, scales, np.eye(rows, count), False), a.__class__)


def _ormqr(result: Tensor | None, a: Tensor, tau: Tensor, c: Tensor, side: str, trans: str) -> Tensor:
    factors, scales, matrix = _matrix(a, "ormqr"), tau.array.astype(np.float64), _matrix(c, "ormqr")
    isTransposed, isLeft = trans.upper() != "N", side.upper() != "R"
    if len(factors) != matrix.shape[0 if isLeft else 1] or scales.ndim != 1 or len(scales) > min(factors.shape):
        raise_error("bad argument to 'ormqr' (the sizes of A, tau and C do not fit)")
    if isLeft:
        return _columns(result, _reflected(factors, scales, matrix, isTransposed), a.__class__)
    return _columns(result, _reflected(factors, scales, matrix.T, not isTransposed).T, a.__class__)


FORMS: dict[str, tuple[Form, ...]] = {
    "gesv": forms("*T *T T T", _gesv),
    "trtrs": forms("*T *T T T s=U s=N s=N", _trtrs),
    "gels": forms("*T *T T T", _gels),
    "inverse": forms("*T T", _inverse),
    "symeig": forms("*T *T T s=N s=U", _symeig),
    "eig": forms("*T *T T s=N", _eig),
    "svd": forms("*T *T *T T s=S", _svd),
    "potrf": forms("*T T s=U", _potrf),
    "potrs": forms("*T T T s=U", _potrs),
    "potri": forms("*T T s=U", _potri),
    "pstrf": forms("*T *I T s=U n=-1", _pstrf),
    "qr": forms("*T *T T", _qr),
    "geqrf": forms("*T *T T", _geqrf),
    "orgqr": forms("*T T T", _orgqr),
    "ormqr": forms("*T T T T s=L s=N", _ormqr),
}
