/* The BLAS behind gemm: its name, its thread count, and how many may call it at once. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include "core/blas.h"
#include "core/core.h"

#ifdef THNN_NO_BLAS

const char *THNN_blas(void) { return "built-in"; }

#else

/* OpenBLAS' own functions; a system BLAS may lack them. */
__attribute__((weak)) void THNN_BLAS_SYMBOL(openblas_set_num_threads)(int threads);
__attribute__((weak)) const char *THNN_BLAS_SYMBOL(openblas_get_corename)(void);

__attribute__((weak)) int omp_get_max_threads(void);
__attribute__((weak)) void omp_set_num_threads(int threads);

void THNN_blasOneThread(void)
{
  static atomic_int done;
  if (atomic_load_explicit(&done, memory_order_relaxed)) return;
  const int ours = omp_get_max_threads ? omp_get_max_threads() : 0;
  if (THNN_BLAS_SYMBOL(openblas_set_num_threads)) THNN_BLAS_SYMBOL(openblas_set_num_threads)(1);
  if (omp_set_num_threads && ours > 0) omp_set_num_threads(ours); /* an OpenBLAS over OpenMP has changed the caller's setting as well */
  atomic_store(&done, 1);
}

/* OpenBLAS has memory for so many callers at once, twice as many as threads it was built for; to one more it prints, and breaks.
 * It also has locks, which a child would find held for ever that was forked while another thread was within. */
enum { CALLERS = 64, CLOSED = 1 << 20 };
static atomic_int callers; /* and CLOSED for each fork that waits for them to leave */

/* For each caller at a time it maps a buffer, once and for all, and ends the process where it gets none. So the first time that there
 * are as many callers, the last one looks whether there is room, and is the only one to do so. */
#if defined(THNN_BLAS_SCIPY) && defined(__x86_64__)
enum { BUFFER = 33 << 20 };
#else
enum { BUFFER = 129 << 20 };
#endif
static atomic_int proven, proving;

static int hasRoom(void)
{
  void *memory = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  munmap(memory, BUFFER);
  return 1;
}

enum { REFUSED, ENTERED, PROVING };

int THNN_enterBlas(void)
{
  for (;; sched_yield()) {
    int now = atomic_load(&callers), nobody = 0;
    if (now >= CALLERS) continue;
    if (now < atomic_load(&proven)) {
      if (atomic_compare_exchange_strong(&callers, &now, now + 1)) return ENTERED;
      continue;
    }
    if (!atomic_compare_exchange_strong(&proving, &nobody, 1)) continue;
    const int known = atomic_load(&proven), isRoom = now < known || hasRoom();
    if (isRoom && now >= known && atomic_compare_exchange_strong(&callers, &now, now + 1)) return PROVING;
    atomic_store(&proving, 0);
    if (!isRoom && known == 0) return REFUSED;
  }
}

void THNN_leaveBlas(int entered)
{
  if (entered == PROVING) {
    atomic_fetch_add(&proven, 1);
    atomic_store(&proving, 0);
  }
  atomic_fetch_sub(&callers, 1);
}

/* Products take milliseconds. Who forks in a signal's handler, within one, waits in vain, and not for ever. */
static void beforeFork(void)
{
  const struct timespec shortly = {.tv_nsec = 50 * 1000};
  atomic_fetch_add(&callers, CLOSED);
  for (int i = 0; i < 20000 && atomic_load(&callers) % CLOSED > 0; i++) nanosleep(&shortly, NULL);
}

static void afterForkInParent(void) { atomic_fetch_sub(&callers, CLOSED); }

static void afterForkInChild(void)
{
  atomic_store(&callers, 0);
  atomic_store(&proving, 0);
}

__attribute__((constructor)) static void watchForks(void) { pthread_atfork(beforeFork, afterForkInParent, afterForkInChild); }

const char *THNN_blas(void)
{
  static _Thread_local char name[64];
  const char *core = THNN_BLAS_SYMBOL(openblas_get_corename) ? THNN_BLAS_SYMBOL(openblas_get_corename)() : NULL;
  snprintf(name, sizeof name, "%s%s%s", THNN_BLAS_NAME, core ? " " : "", core ? core : "");
  return name;
}

#endif
