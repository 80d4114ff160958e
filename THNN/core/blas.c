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

/* ---- how many threads OpenBLAS has */

#ifdef THNN_BLAS_SCIPY

/* Nobody else in the process has this one: it keeps to one thread from the first product on. */
static void takeOneThread(void)
{
  static atomic_int done;
  if (atomic_load_explicit(&done, memory_order_relaxed)) return;
  if (THNN_BLAS_SYMBOL(openblas_set_num_threads)) THNN_BLAS_SYMBOL(openblas_set_num_threads)(1);
  atomic_store(&done, 1);
}

static void giveThreadsBack(void) {}

static void giveThreadsBackInChild(void) {}

#else

/* The system's one is the host's, too, and so is its number of threads. Products of ours have one thread, and leave the number as the
 * host has set it.
 *
 * An OpenBLAS over OpenMP goes by a number of the calling thread. Any other one has one number for the process: the first product of
 * those that are computed at a time sets it, and the last one sets it back, unless the host has set another one meanwhile. */
enum { OVER_OPENMP = 2 };
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) int openblas_get_parallel(void);
__attribute__((weak)) int omp_get_max_threads(void);
__attribute__((weak)) void omp_set_num_threads(int threads);

static _Thread_local int threadsOfCaller;
static atomic_flag isChanging = ATOMIC_FLAG_INIT; /* guards the next two */
static int products, threadsOfHost;

static int isOpenBlas(void) { return openblas_set_num_threads && openblas_get_num_threads && openblas_get_parallel; }

static int isOverOpenMP(void) { return omp_set_num_threads && omp_get_max_threads && openblas_get_parallel() == OVER_OPENMP; }

static void setBack(void)
{
  if (threadsOfHost > 1 && openblas_get_num_threads() == 1) openblas_set_num_threads(threadsOfHost);
}

static void takeOneThread(void)
{
  if (!isOpenBlas()) return;
  if (isOverOpenMP()) {
    threadsOfCaller = omp_get_max_threads();
    omp_set_num_threads(1);
    return;
  }
  while (atomic_flag_test_and_set(&isChanging)) sched_yield();
  if (products++ == 0) {
    threadsOfHost = openblas_get_num_threads();
    if (threadsOfHost > 1) openblas_set_num_threads(1);
  }
  atomic_flag_clear(&isChanging);
}

static void giveThreadsBack(void)
{
  if (!isOpenBlas()) return;
  if (isOverOpenMP()) {
    omp_set_num_threads(threadsOfCaller);
    return;
  }
  while (atomic_flag_test_and_set(&isChanging)) sched_yield();
  if (--products == 0) setBack();
  atomic_flag_clear(&isChanging);
}

/* The threads that would do so are not there. */
static void giveThreadsBackInChild(void)
{
  if (products > 0) setBack();
  products = 0;
  atomic_flag_clear(&isChanging);
}

#endif

/* ---- who is within */

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

static int admitted(void)
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

int THNN_enterBlas(void)
{
  const int entered = admitted();
  if (entered) takeOneThread();
  return entered;
}

void THNN_leaveBlas(int entered)
{
  giveThreadsBack();
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
  giveThreadsBackInChild();
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
