/* The threads that share the loops of a call.
 *
 * Loops are written as OpenMP's. gcc makes calls of GOMP_parallel and a few others of them, which are here: the library needs no
 * libgomp, which ends the process where the system has no thread or no memory to give, makes and ends threads wherever the sizes of
 * two teams differ, and takes their stacks from an environment variable. Here a loop is shared by as many threads as there are, the
 * calling one at least. Other compilers' loops go to their own OpenMP.
 *
 * Workers are made when they are first wanted, and kept: they serve all callers, a caller takes those that are idle. After their part
 * they look for more for a moment, since loops follow each other closely, and then sleep. No lock is held while a loop runs, so
 * that a fork finds none; a forked child, which has no workers, works alone.
 *
 * Others may want the processors, too. So nobody spins for long; a worker may run on any processor but its caller's, where it would
 * wait for the caller, and the caller for it; and a caller that has taken the last chunk of a dynamic loop does not wait for a worker
 * that has not begun. */
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/core.h"
#include "core/team.h"

enum { MAX_THREADS = 1024 }; /* threads in a team */

/* ---- number of threads */

static int wanted;         /* OMP_NUM_THREADS, or 0 */
static int limit = MAX_THREADS;   /* OMP_THREAD_LIMIT */
static atomic_int forked;

int THNN_isForked(void) { return atomic_load_explicit(&forked, memory_order_relaxed); }

/* The number that an environment variable begins with, if it can be a number of threads. */
static int numberIn(const char *variable, int otherwise)
{
  const char *text = getenv(variable);
  char *end;
  const long number = text ? strtol(text, &end, 10) : 0;
  return number < 1 ? otherwise : (number > MAX_THREADS ? MAX_THREADS : (int)number);
}

#ifdef __linux__
/* The processors that cpu.max or cpu.cfs_quota_us in a folder of control groups grants, rounded up; MAX_THREADS if neither is set. */
static int granted(const char *folder)
{
  char path[600];
  long long quota = 0, period = 100000; /* microseconds */
  int n = 0;
  snprintf(path, sizeof path, "%s/cpu.max", folder);
  FILE *file = fopen(path, "re");
  if (file) n = fscanf(file, "%lld %lld", &quota, &period); /* or the word max */
  else {
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!(file = fopen(path, "re"))) return MAX_THREADS;
    n = fscanf(file, "%lld", &quota);
    fclose(file);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    if (!(file = fopen(path, "re"))) return MAX_THREADS;
    n = n == 1 && fscanf(file, "%lld", &period) == 1;
  }
  fclose(file);
  if (n < 1 || quota <= 0 || period <= 0 || quota / period >= MAX_THREADS) return MAX_THREADS;
  return (int)(quota / period + (quota % period > 0));
}

/* The least that the process' control group and those above it grant. */
static int quota(void)
{
  int least = MAX_THREADS;
  char line[512], folder[560];
  FILE *groups = fopen("/proc/self/cgroup", "re");
  while (groups && fgets(line, sizeof line, groups)) {
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path++ = 0;
    path[strcspn(path, "\n")] = 0;
    const int isUnified = controllers[1] == 0;
    const char *cpu = controllers;
    while ((cpu = strstr(cpu + 1, "cpu")) && cpu[3] != 0 && cpu[3] != ',') continue; /* not cpuset, nor cpuacct */
    if (!isUnified && !cpu) continue;
    for (;;) {
      snprintf(folder, sizeof folder, "%s%s", isUnified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu", path);
      const int here = granted(folder);
      least = here < least ? here : least;
      char *last = strrchr(path, '/');
      if (!last || !*path) break;
      *last = 0;
    }
  }
  if (groups) fclose(groups);
  return least;
}

static int processors(void)
{
  cpu_set_t set;
  const int ours = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN), most = quota();
  return ours < 1 ? 1 : (ours < most ? ours : most);
}
#else
static int processors(void)
{
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : (n > MAX_THREADS ? MAX_THREADS : (int)n);
}
#endif

/* The number of available processors at the first call. */
static int available(void)
{
  static atomic_int known;
  int n = atomic_load_explicit(&known, memory_order_relaxed);
  if (!n) atomic_store(&known, n = processors());
  return n;
}

int THNN_defaultThreads(void)
{
  const int n = wanted ? wanted : available();
  return n < limit ? n : limit;
}

#ifdef THNN_OWN_TEAM

/* ---- workers */

enum { SECTIONS = 16 };

/* A region of code that several threads run. A dynamic loop has a section for each thread, or for some: they take it chunk by chunk, and help
 * others then. So in loop after loop a thread has the same part, and finds in its cache what it has left there. */
typedef struct Team {
  void (*body)(void *);
  void *data;
  int size, isCrowded; /* true if there are fewer processors than members */
  _Alignas(THNN_LINES) atomic_int arrived; /* members that wait for the others, */
  _Alignas(THNN_LINES) atomic_int met;     /* and how often all have met */
  struct {
    _Alignas(THNN_LINES) atomic_long taken; /* chunks */
  } section[SECTIONS];
} Team;

/* A thread in it, its dynamic loop, and how many sections it has found to be done. */
typedef struct Member {
  Team *team;
  int number;
  long begin, end, step, chunk, done;
} Member;

static _Thread_local Member *self;

static inline int sectionCount(const Team *team) { return team->size < SECTIONS ? team->size : SECTIONS; }

/* The phase of a worker. It is NEW until it has begun. A caller makes it CLAIMED and READY, it is then BUSY and DONE by itself, and the
 * caller makes it IDLE again. */
enum {
  IDLE,
  CLAIMED,
  READY,
  BUSY,
  DONE,
  NEW,
};

typedef struct Worker {
  _Alignas(THNN_LINES) atomic_int phase;
  atomic_int sleeps, isAwaited, isCalled;
  atomic_int isCrowded;      /* true if its last team was */
  atomic_int inVain, passed; /* calls in a row that brought it no work; how often it was not called since */
  pthread_t thread;
  int barred; /* the processor where it may not run, plus 1, or 0 */
  Member member;
  struct Worker *next; /* in the same team */
  pthread_mutex_t mutex;
  pthread_cond_t work, end;
} Worker;

static Worker worker[MAX_THREADS];
static atomic_int count;                                    /* workers that there are */
static pthread_mutex_t hiring = PTHREAD_MUTEX_INITIALIZER;  /* held by who makes new ones; nobody waits for it */
static int64_t notBefore;                                   /* when to try again, after the system had none */

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

enum { // nanoseconds
  MOMENT = 500 * 1000,
  WHILE = 1000 * 1000,
};

/* It takes a thread some time to call another one, about as long as the small loops that do so. If calls bring no work, as where small loops are
 * far apart, only every second, fourth and so on of them is made. */
enum { MAX_CALLS_IN_VAIN = 5 };

/* Looks for a phase for a moment, some ten times as long as it takes to wake up; then for so long in between what other threads of the
 * processor do. Where there are more threads than processors one of those may be who sets it, and goes first. Has it come? */
static int watch(atomic_int *phase, int wanted, int64_t yielding, int isCrowded)
{
  enum { LOOKS = 32 };
  for (int64_t begin = 0, gone = 0;;) {
    for (int i = 0; i < LOOKS; i++) {
      if (atomic_load_explicit(phase, memory_order_acquire) == wanted) return 1;
      if (gone < MOMENT && !isCrowded) relax();
      else sched_yield();
    }
    if (!begin) begin = now();
    else if ((gone = now() - begin) >= MOMENT + yielding) return 0;
  }
}

/* Waits for a phase. Who sets it looks at `sleeps` afterwards, and wakes. A sleeper that is called looks again for a moment: if nothing comes, the
 * call was in vain. */
static void await(Worker *w, int phase, int64_t yielding, atomic_int *sleeps, pthread_cond_t *condition)
{
  while (!watch(&w->phase, phase, yielding, atomic_load_explicit(&w->isCrowded, memory_order_relaxed))) {
    pthread_mutex_lock(&w->mutex);
    atomic_store(sleeps, 1);
    while (atomic_load(&w->phase) != phase && !atomic_load(&w->isCalled)) pthread_cond_wait(condition, &w->mutex);
    if (atomic_exchange(&w->isCalled, 0) && w->inVain < MAX_CALLS_IN_VAIN) w->inVain++;
    atomic_store(sleeps, 0);
    pthread_mutex_unlock(&w->mutex);
  }
}

static void enter(Worker *w, int phase, atomic_int *sleeps, pthread_cond_t *condition)
{
  atomic_store(&w->phase, phase);
  if (!atomic_load(sleeps)) return;
  pthread_mutex_lock(&w->mutex);
  pthread_cond_signal(condition);
  pthread_mutex_unlock(&w->mutex);
}

static void take(Member *member)
{
  Member *outer = self;
  self = member;
  member->team->body(member->team->data);
  self = outer;
}

static void *live(void *argument)
{
  Worker *w = argument;
  /* With its first look at thread-local memory the system maps up to 128 MB for the thread. It does so before the thread is given work: what
   * a call finds to be free then stays free. */
  self = NULL;
  fesetenv(FE_DFL_ENV); /* it has that of the thread that made it */
  enter(w, CLAIMED, &w->isAwaited, &w->end);
  for (;;) {
    await(w, READY, 0, &w->sleeps, &w->work);
    int ready = READY;
    if (!atomic_compare_exchange_strong(&w->phase, &ready, BUSY)) continue; /* too late */
    w->inVain = 0;
    take(&w->member);
    enter(w, DONE, &w->isAwaited, &w->end);
  }
  return NULL;
}

/* A thread of the given stack, which gets no signals: they are the host's. */
static int make(Worker *w, size_t stack)
{
  pthread_attr_t attributes;
  sigset_t all, before;
  if (pthread_attr_init(&attributes)) return 0;
  sigfillset(&all);
  int failed = pthread_attr_setstacksize(&attributes, stack) || pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) ||
               pthread_sigmask(SIG_SETMASK, &all, &before);
  if (!failed) {
    failed = pthread_create(&w->thread, &attributes, live, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_attr_destroy(&attributes);
  return !failed;
}

/* New workers in front of the chain, until it has `size`. All workers together are no more than `most`. */
static Worker *hire(Worker *chain, int *size, int wanted, int most)
{
  enum {
    AGAIN = 100 * 1000 * 1000,
    STACK = 1 << 20, // thread-local memory of others is in it, too
    LARGE_STACK = 1 << 23,
  };
  if (*size >= wanted || atomic_load(&count) >= most || pthread_mutex_trylock(&hiring)) return chain;
  int n;
  while (*size < wanted && (n = atomic_load(&count)) < most && (!notBefore || now() >= notBefore)) {
    Worker *w = worker + n;
    memset(w, 0, sizeof *w);
    atomic_store(&w->phase, NEW);
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->work, NULL);
    pthread_cond_init(&w->end, NULL);
    notBefore = make(w, STACK) || make(w, LARGE_STACK) ? 0 : now() + AGAIN;
    if (notBefore) break;
    await(w, CLAIMED, WHILE, &w->isAwaited, &w->end);
    w->next = chain;
    chain = w;
    ++*size;
    atomic_store(&count, n + 1);
  }
  pthread_mutex_unlock(&hiring);
  return chain;
}

/* A chain of `wanted` workers, or of as many as there are. */
static Worker *claim(int *size, int wanted)
{
  Worker *chain = NULL;
  const int there = atomic_load(&count);
  *size = 0;
  for (int i = 0; i < there && *size < wanted; i++) {
    int idle = IDLE;
    if (atomic_load_explicit(&worker[i].phase, memory_order_relaxed) != IDLE) continue;
    if (!atomic_compare_exchange_strong(&worker[i].phase, &idle, CLAIMED)) continue;
    worker[i].next = chain;
    chain = worker + i;
    ++*size;
  }
  const int others = THNN_defaultThreads() - 1;
  return hire(chain, size, wanted, wanted > others ? wanted : others);
}

/* Keeps a worker off a processor. Schedulers like to put a thread where the one runs that wakes it, and to leave it there for milliseconds:
 * an idle processor beside it does not help, and both wait for each other. */
static void bar(Worker *w, int processor)
{
#ifdef __linux__
  cpu_set_t host, set;
  if (w->barred == processor + 1 || processor < 0 || processor >= CPU_SETSIZE) return;
  if (pthread_getaffinity_np(w->thread, sizeof set, &set) || sched_getaffinity(0, sizeof host, &host)) return;
  if (w->barred && CPU_ISSET(w->barred - 1, &host)) CPU_SET(w->barred - 1, &set);
  CPU_CLR(processor, &set);
  if (CPU_COUNT(&set) && !pthread_setaffinity_np(w->thread, sizeof set, &set)) w->barred = processor + 1;
#else
  (void)w, (void)processor;
#endif
}

static int processor(void)
{
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

/* A worker that has not begun is not needed any more. */
static int dismiss(Worker *w)
{
  int ready = READY;
  return atomic_compare_exchange_strong(&w->phase, &ready, IDLE);
}

static void run(void (*body)(void *), void *data, int threads, Member first)
{
  Team team;
  first.team = &team;
  Worker *chain = NULL;
  int others = 0;
  /* A loop within a loop belongs to one thread. */
  if (threads > 1 && (!self || self->team->size == 1)) chain = claim(&others, (threads < MAX_THREADS ? threads : MAX_THREADS) - 1);
  const int here = chain ? processor() : -1, isDynamic = first.chunk > 0;
  team.body = body;
  team.data = data;
  team.size = others + 1;
  team.isCrowded = team.size > available();
  atomic_init(&team.arrived, 0);
  atomic_init(&team.met, 0);
  for (int i = 0; i < sectionCount(&team); i++) atomic_init(&team.section[i].taken, 0);
  for (Worker *w = chain; w; w = w->next) {
    w->member = first;
    w->member.number = others--;
    atomic_store_explicit(&w->isCrowded, team.isCrowded, memory_order_relaxed);
    bar(w, here);
    enter(w, READY, &w->sleeps, &w->work);
  }
  take(&first);
  for (Worker *w = chain, *next; w; w = next) {
    next = w->next; /* an idle one may be claimed at once */
    if (isDynamic && dismiss(w)) continue;
    await(w, DONE, WHILE, &w->isAwaited, &w->end);
    atomic_store_explicit(&w->phase, IDLE, memory_order_release);
  }
}

/* ---- the functions that gcc calls */

typedef void Body(void *);

void GOMP_parallel(Body *body, void *data, unsigned threads, unsigned flags)
{
  (void)flags;
  run(body, data, (int)threads, (Member){0});
}

int omp_get_thread_num(void) { return self ? self->number : 0; }
int omp_get_num_threads(void) { return self ? self->team->size : 1; }

/* Members meet: who comes last lets the others go on. They work at the same time, so nobody sleeps for long. */
void GOMP_barrier(void)
{
  Team *team = self ? self->team : NULL;
  if (!team || team->size == 1) return;
  const int next = atomic_load_explicit(&team->met, memory_order_relaxed) + 1;
  if (atomic_fetch_add(&team->arrived, 1) + 1 == team->size) {
    atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&team->met, next, memory_order_release);
    return;
  }
  while (!watch(&team->met, next, WHILE, team->isCrowded)) nanosleep(&(struct timespec){.tv_nsec = MOMENT / 10}, NULL);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to)
{
  Member *m = self;
  const long left = m->step > 0 ? m->end - m->begin : m->begin - m->end, size = m->step > 0 ? m->step : -m->step;
  const long chunks = left <= 0 ? 0 : (left - 1) / size / m->chunk + 1;
  for (const long sections = sectionCount(m->team); m->done < sections; m->done++) {
    const long section = (m->number + m->done) % sections, first = chunks * section / sections, last = chunks * (section + 1) / sections;
    const long at = first + atomic_fetch_add_explicit(&m->team->section[section].taken, 1, memory_order_relaxed);
    if (at >= last) continue;
    *from = m->begin + at * m->chunk * m->step;
    *to = at + 1 < chunks ? *from + m->chunk * m->step : m->end;
    return true;
  }
  return false;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long step, long chunk, long *from, long *to)
{
  self->begin = begin, self->end = end, self->step = step, self->chunk = chunk;
  return GOMP_loop_nonmonotonic_dynamic_next(from, to);
}

void GOMP_parallel_loop_nonmonotonic_dynamic(Body *body, void *data, unsigned threads, long begin, long end, long step, long chunk,
                                             unsigned flags)
{
  (void)flags;
  run(body, data, (int)threads, (Member){.begin = begin, .end = end, .step = step, .chunk = chunk});
}

void GOMP_loop_end_nowait(void) {}

/* The same to us: versions of gcc differ in what they call. */
bool GOMP_loop_dynamic_next(long *from, long *to) { return GOMP_loop_nonmonotonic_dynamic_next(from, to); }
bool GOMP_loop_dynamic_start(long begin, long end, long step, long chunk, long *from, long *to)
{
  return GOMP_loop_nonmonotonic_dynamic_start(begin, end, step, chunk, from, to);
}
void GOMP_parallel_loop_dynamic(Body *body, void *data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags)
{
  GOMP_parallel_loop_nonmonotonic_dynamic(body, data, threads, begin, end, step, chunk, flags);
}

int THNN_isTeamAwake(void)
{
  const int there = atomic_load(&count);
  Worker *sleeper = NULL;
  for (Worker *w = worker; w < worker + there; w++) {
    if (atomic_load_explicit(&w->phase, memory_order_relaxed) != IDLE) continue;
    if (!atomic_load(&w->sleeps)) return 1;
    sleeper = w;
  }
  if (!sleeper) return 1; /* there are none yet, or all work */
  if (atomic_fetch_add(&sleeper->passed, 1) + 1 < 1 << sleeper->inVain) return 0;
  sleeper->passed = 0;
  pthread_mutex_lock(&sleeper->mutex);
  atomic_store(&sleeper->isCalled, 1);
  pthread_cond_signal(&sleeper->work);
  pthread_mutex_unlock(&sleeper->mutex);
  return 0;
}

int THNN_startable(int threads) { return threads; }
int THNN_teamNumber(void) { return omp_get_thread_num(); }

static void forgetWorkers(void)
{
  atomic_store(&count, 0);
  pthread_mutex_init(&hiring, NULL);
}

#else

/* ---- the compiler's own OpenMP */

#include <omp.h>

int THNN_teamNumber(void) { return omp_get_thread_num(); }

/* If a thread cannot be created, such a library ends the process. So a team that is larger than this thread's last ones is tried first,
 * with threads that do nothing: the team then has as many threads as could be created. */
static void *waitFor(void *mutex)
{
  pthread_mutex_lock(mutex);
  pthread_mutex_unlock(mutex);
  return NULL;
}

int THNN_startable(int threads)
{
  static _Thread_local int known = 1, isLimit;
  if (threads <= known || isLimit) return threads < known ? threads : known;
  pthread_t made[MAX_THREADS];
  pthread_mutex_t trial = PTHREAD_MUTEX_INITIALIZER;
  int n = 0;
  pthread_mutex_lock(&trial);
  while (n < threads - 1 && n < MAX_THREADS && pthread_create(made + n, NULL, waitFor, &trial) == 0) n++;
  pthread_mutex_unlock(&trial);
  for (int i = 0; i < n; i++) pthread_join(made[i], NULL);
  isLimit = n + 1 < threads;
  known = n + 1 > known ? n + 1 : known;
  return threads < known ? threads : known;
}

int THNN_isTeamAwake(void) { return 1; }

static void forgetWorkers(void) {}

#endif

static void afterForkInChild(void)
{
  atomic_store(&forked, 1);
  forgetWorkers();
}

__attribute__((constructor)) static void begin(void)
{
  wanted = numberIn("OMP_NUM_THREADS", 0);
  limit = numberIn("OMP_THREAD_LIMIT", MAX_THREADS);
  pthread_atfork(NULL, NULL, afterForkInChild);
}
