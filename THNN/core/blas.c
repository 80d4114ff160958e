/* The BLAS behind gemm: its name, its thread count, and how many may call it at once. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
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

/* OpenBLAS has memory for so many callers at once, twice as many as threads it was built for; to one more it prints, and breaks.
 * It also has locks, which a child would find held for ever that was forked while another thread was within. */
enum { CALLERS = 64, CLOSED = 1 << 20 };
static atomic_int callers; /* and CLOSED for each fork that waits for them to leave */

void THNN_enterBlas(void)
{
  for (;;) {
    int now = atomic_load_explicit(&callers, memory_order_relaxed);
    if (now >= CALLERS) sched_yield();
    else if (atomic_compare_exchange_weak(&callers, &now, now + 1)) return;
  }
}

void THNN_leaveBlas(void) { atomic_fetch_sub(&callers, 1); }

/* Products take milliseconds. Who forks in a signal's handler, within one, waits in vain, and not for ever. */
static void beforeFork(void)
{
  const struct timespec shortly = {.tv_nsec = 50 * 1000};
  atomic_fetch_add(&callers, CLOSED);
  for (int i = 0; i < 20000 && atomic_load(&callers) % CLOSED > 0; i++) nanosleep(&shortly, NULL);
}

static void afterForkInParent(void) { atomic_fetch_sub(&callers, CLOSED); }

static void afterForkInChild(void) { atomic_store(&callers, 0); }

__attribute__((constructor)) static void watchForks(void) { pthread_atfork(beforeFork, afterForkInParent, afterForkInChild); }

const char *THNN_blas(void)
{
  static _Thread_local char name[64];
  const char *core = THNN_BLAS_SYMBOL(openblas_get_corename) ? THNN_BLAS_SYMBOL(openblas_get_corename)() : NULL;
  snprintf(name, sizeof name, "%s%s%s", THNN_BLAS_NAME, core ? " " : "", core ? core : "");
  return name;
}

#endif
