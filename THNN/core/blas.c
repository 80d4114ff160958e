/* The BLAS behind gemm: its name, and its thread count. */
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
  if (THNN_BLAS_SYMBOL(openblas_set_num_threads)) THNN_BLAS_SYMBOL(openblas_set_num_threads)(1);
  atomic_store(&done, 1);
}

const char *THNN_blas(void)
{
  static _Thread_local char name[64];
  snprintf(name, sizeof name, "%s %s", THNN_BLAS_NAME,
           THNN_BLAS_SYMBOL(openblas_get_corename) ? THNN_BLAS_SYMBOL(openblas_get_corename)() : "");
  return name;
}

#endif
