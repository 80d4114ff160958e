/* Opens cuBLAS once, for all states. */
#include "core/cublas.h"
#include <dlfcn.h>

int32_t THNN_openCublas(const char *function, const char *path, const Cublas **cublas)
{
  static Cublas opened; /* written with the same values by all who come at once; the library stays open */
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return THNN_fail(THNN_ERR_DEVICE, function, "path", "expected the library of cuBLAS, got: %s", dlerror());
  void *setStream = dlsym(library, "cublasSetStream_v2"), *gemm = dlsym(library, "cublasGemmEx");
  void *batchedGemm = dlsym(library, "cublasGemmStridedBatchedEx");
  if (!setStream || !gemm || !batchedGemm)
    return THNN_fail(THNN_ERR_DEVICE, function, "path", "expected a library with cublasGemmStridedBatchedEx, got %s", path);
  opened.setStream = reinterpret_cast<decltype(opened.setStream)>(setStream);
  opened.gemm = reinterpret_cast<decltype(opened.gemm)>(gemm);
  opened.batchedGemm = reinterpret_cast<decltype(opened.batchedGemm)>(batchedGemm);
  *cublas = &opened;
  return THNN_OK;
}
