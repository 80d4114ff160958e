/* A host that multiplies matrices by the system's OpenBLAS, which libTHNN is linked with as well. Layers compute on threads of their own,
 * and leave the number of OpenBLAS' threads as the host has set it. It prints one line for each part and ends with 0, or says what was
 * expected and ends with 1. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cblas.h>
#include "../../examples/embed/view.h"

#define SHAPE(...) sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}
#define REQUIRE(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *condition)
{
  fprintf(stderr, "openblas.c:%d: expected %s; OpenBLAS has %d threads; last error: %s\n", line, condition, openblas_get_num_threads(),
          THNN_lastError());
  _exit(EXIT_FAILURE);
}

enum { N = 1024, OURS = 3, ROUNDS = 6 };
static float x[N * N], weights[N * N], product[N * N];

static void linear(THNNState *state, float *y)
{
  THFloatTensor input = view(x, SHAPE(N, N)), weight = view(weights, SHAPE(N, N)), output = view(y, SHAPE(N, N));
  REQUIRE(!THNN_FloatLinear_updateOutput(state, &input, &output, &weight, NULL));
}

static double seconds(int who)
{
  struct rusage usage;
  getrusage(who, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* How much of the work other threads do, for each second of this one. */
static double others(THNNState *state)
{
  usleep(300 * 1000); /* threads that look for work have fallen asleep */
  const double all = seconds(RUSAGE_SELF), own = seconds(RUSAGE_THREAD);
  for (int i = 0; i < ROUNDS; i++) {
    if (state) linear(state, product);
    else
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, N, N, N, 1, x, N, weights, N, 0, product, N);
  }
  const double mine = seconds(RUSAGE_THREAD) - own;
  return (seconds(RUSAGE_SELF) - all - mine) / mine;
}

static atomic_int isOver;

static void *layers(void *unused)
{
  float *y = malloc(sizeof product);
  do linear(NULL, y);
  while (!atomic_load(&isOver));
  free(y);
  return unused;
}

int main(void)
{
  for (int i = 0; i < N * N; i++) x[i] = i % 101 - 50, weights[i] = i % 89 - 44;
  THNNState *alone;
  REQUIRE(!THNN_newState(&alone) && !THNN_setNumThreads(alone, 1));

  openblas_set_num_threads(OURS);
  linear(alone, product);
  REQUIRE(openblas_get_num_threads() == OURS);
  puts("a layer leaves the number of threads");

  REQUIRE(others(alone) < 0.2);
  REQUIRE(others(NULL) > 0.2);
  REQUIRE(others(alone) < 0.2);
  REQUIRE(openblas_get_num_threads() == OURS);
  puts("a layer's product has one thread, the host's own has more");

  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, layers, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    usleep(20 * 1000);
    const pid_t child = fork();
    if (child == 0) _exit(openblas_get_num_threads() == OURS ? EXIT_SUCCESS : EXIT_FAILURE);
    int status;
    waitpid(child, &status, 0);
    REQUIRE(status == 0);
  }
  puts("children find it while layers run in 4 threads");

  openblas_set_num_threads(OURS + 1);
  usleep(50 * 1000);
  atomic_store(&isOver, 1);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  REQUIRE(openblas_get_num_threads() == OURS + 1);
  puts("another number that the host sets meanwhile stays");

  REQUIRE(!THNN_freeState(alone));
  return EXIT_SUCCESS;
}
