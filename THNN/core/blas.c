/* The BLAS behind gemm: its name, and its thread count. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include "core/blas.h"
#include "core/core.h"

#ifdef THNN_NO_BLAS

const char *THNN_blas(void) { return "built-in"; }

#else

/* OpenBLAS' own functions; a system BLAS may lack them. */
__attribute__((weak)) void THNN_BLAS_SYMBOL(openblas_set_num_threads)(int threads);
__attribute__((weak)) const char *THNN_BLAS_SYMBOL(openblas_get_corename)(void);

void THNN_blasOneThread(void)
{
  static atomic_int done;
  if (atomic_load_explicit(&done, memory_order_relaxed)) return;
  const int ours = omp_get_max_threads();
  if (THNN_BLAS_SYMBOL(openblas_set_num_threads)) THNN_BLAS_SYMBOL(openblas_set_num_threads)(1);
  omp_set_num_threads(ours); /* an OpenBLAS that is built over OpenMP has changed the caller's setting as well */
  atomic_store(&done, 1);
}

const char *THNN_blas(void)
{
  static _Thread_local char name[64];
  const char *core = THNN_BLAS_SYMBOL(openblas_get_corename) ? THNN_BLAS_SYMBOL(openblas_get_corename)() : NULL;
  snprintf(name, sizeof name, "%s%s%s", THNN_BLAS_NAME, core ? " " : "", core ? core : "");
  return name;
}

#endif
