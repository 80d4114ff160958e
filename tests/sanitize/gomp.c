/* A small OpenMP runtime for ThreadSanitizer, put in libgomp's place by LD_PRELOAD.
 *
 * libgomp is not instrumented: ThreadSanitizer cannot see that its barriers order its threads, and would report every
 * parallel loop. Here a parallel region starts real threads and joins them, by calls that it knows: what it reports now is
 * a race of ours. run.sh makes sure that all that libTHNN wants of OpenMP is here. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MAX_THREADS = 64, MAX_LOOPS = 64 };

/* A dynamically scheduled loop: the iterations that nobody has taken. */
typedef struct Loop {
  bool begun;
  long end, step, chunk;
  atomic_long next;
} Loop;

typedef struct Team {
  void (*body)(void *);
  void *data;
  int size;
  pthread_barrier_t barrier;
  pthread_mutex_t mutex;
  Loop loop[MAX_LOOPS]; /* of one parallel region, in its order */
} Team;

typedef struct Member {
  Team *team;
  int number, loops;
} Member;

static _Thread_local Member *self;
static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER;

int omp_get_max_threads(void)
{
  const char *text = getenv("OMP_NUM_THREADS");
  return text ? atoi(text) : 4;
}
int omp_get_num_threads(void) { return self ? self->team->size : 1; }
int omp_get_thread_num(void) { return self ? self->number : 0; }
int omp_in_parallel(void) { return self && self->team->size > 1; }

static void *run(void *argument)
{
  Member *outer = self;
  self = argument;
  self->team->body(self->team->data);
  self = outer;
  return NULL;
}

void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
  (void)flags;
  int size = self ? 1 : threads ? (int)threads : omp_get_max_threads(); /* a region within a region runs alone */
  if (size > MAX_THREADS) size = MAX_THREADS;
  Team *team = calloc(1, sizeof *team);
  *team = (Team){.body = body, .data = data, .size = size};
  pthread_barrier_init(&team->barrier, NULL, (unsigned)size);
  pthread_mutex_init(&team->mutex, NULL);
  Member member[MAX_THREADS] = {{0}};
  pthread_t thread[MAX_THREADS];
  for (int i = 0; i < size; i++) member[i] = (Member){team, i, 0};
  for (int i = 1; i < size; i++)
    if (pthread_create(&thread[i], NULL, run, &member[i])) abort();
  run(&member[0]);
  for (int i = 1; i < size; i++) pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&team->barrier);
  pthread_mutex_destroy(&team->mutex);
  free(team);
}

/* ---- dynamic loops. Iterations are handed out by relaxed atomics, which order nothing: races stay visible. */

bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to)
{
  Loop *loop = &self->team->loop[self->loops - 1];
  long at = atomic_fetch_add_explicit(&loop->next, loop->chunk * loop->step, memory_order_relaxed);
  if (loop->step > 0 ? at >= loop->end : at <= loop->end) return false;
  long end = at + loop->chunk * loop->step;
  *from = at;
  *to = (loop->step > 0 ? end > loop->end : end < loop->end) ? loop->end : end;
  return true;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *from, long *to)
{
  if (self->loops == MAX_LOOPS) abort();
  Loop *loop = &self->team->loop[self->loops++];
  pthread_mutex_lock(&self->team->mutex);
  if (!loop->begun) {
    loop->begun = true;
    loop->end = end, loop->step = step, loop->chunk = chunk;
    atomic_store_explicit(&loop->next, start, memory_order_relaxed);
  }
  pthread_mutex_unlock(&self->team->mutex);
  return GOMP_loop_nonmonotonic_dynamic_next(from, to);
}

bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long *from, long *to)
{
  return GOMP_loop_nonmonotonic_dynamic_start(start, end, step, chunk, from, to);
}
bool GOMP_loop_dynamic_next(long *from, long *to) { return GOMP_loop_nonmonotonic_dynamic_next(from, to); }
void GOMP_loop_end_nowait(void) {}

/* ---- waiting for one another */

void GOMP_barrier(void)
{
  if (self) pthread_barrier_wait(&self->team->barrier);
}
void GOMP_loop_end(void) { GOMP_barrier(); }
void GOMP_critical_start(void) { pthread_mutex_lock(&critical); }
void GOMP_critical_end(void) { pthread_mutex_unlock(&critical); }
void GOMP_atomic_start(void) { pthread_mutex_lock(&critical); }
void GOMP_atomic_end(void) { pthread_mutex_unlock(&critical); }
