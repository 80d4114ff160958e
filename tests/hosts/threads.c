/* Many threads and a forked child call the library at once: the same bits as one thread alone, and each its own errors.
 * The sanitizers run this too. It prints one line for each part and ends with 0, or says what differs and ends with 1. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../examples/embed/view.h"

#define SHAPE(...) \
  sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]) { __VA_ARGS__ }
#define REQUIRE(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *condition)
{
  fprintf(stderr, "threads.c:%d: expected %s; last error: %s\n", line, condition, THNN_lastError());
  _exit(EXIT_FAILURE);
}

enum {
  THREADS = 6,
  ROUNDS = 8,
  DRAWS = 2000,
  PLANES = 12,
  H = 64,
  W = 96,
  OH = 7,
  OW = 11,
  N = 96,
  IN = 64,
  OUT = 48,
};

/* Inputs, which all threads read, and outputs, which each thread has for itself. Large enough that a call uses threads. */
static float image[PLANES * H * W], gradPooled[PLANES * OH * OW], x[N * IN], weights[OUT * IN], biases[OUT], gradY[N * OUT];
typedef struct Results {
  float pooled[PLANES * OH * OW], gradImage[PLANES * H * W], y[N * OUT], gradX[N * IN], gradWeights[OUT * IN], gradBiases[OUT];
} Results;

static void fill(float *values, int n, int step)
{
  for (int i = 0; i < n; i++) values[i] = (float)(i * step % 1009) / 1009 - 0.5f;
}

static void compute(THNNState *state, Results *r)
{
  THFloatTensor input = view(image, SHAPE(PLANES, H, W)), output = view(r->pooled, SHAPE(PLANES, OH, OW));
  THFloatTensor gradOutput = view(gradPooled, SHAPE(PLANES, OH, OW)), gradInput = view(r->gradImage, SHAPE(PLANES, H, W));
  REQUIRE(!THNN_FloatSpatialAdaptiveAveragePooling_updateOutput(state, &input, &output, OW, OH));
  REQUIRE(!THNN_FloatSpatialAdaptiveAveragePooling_updateGradInput(state, &input, &gradOutput, &gradInput));

  memset(r->gradWeights, 0, sizeof r->gradWeights);
  memset(r->gradBiases, 0, sizeof r->gradBiases);
  THFloatTensor rows = view(x, SHAPE(N, IN)), weight = view(weights, SHAPE(OUT, IN)), bias = view(biases, SHAPE(OUT));
  THFloatTensor y = view(r->y, SHAPE(N, OUT)), gy = view(gradY, SHAPE(N, OUT)), gx = view(r->gradX, SHAPE(N, IN));
  THFloatTensor gw = view(r->gradWeights, SHAPE(OUT, IN)), gb = view(r->gradBiases, SHAPE(OUT));
  REQUIRE(!THNN_FloatLinear_updateOutput(state, &rows, &y, &weight, &bias));
  REQUIRE(!THNN_FloatLinear_updateGradInput(state, &rows, &gy, &gx, &weight));
  REQUIRE(!THNN_FloatLinear_accGradParameters(state, &rows, &gy, &gw, &gb, 0.5));
}

static Results alone; /* the results of one thread */

static int sameAsAlone(THNNState *state)
{
  Results *r = malloc(sizeof *r);
  compute(state, r);
  int same = memcmp(r, &alone, sizeof *r) == 0;
  free(r);
  return same;
}

typedef struct Job {
  THNNState *state;
  int number;
  uint64_t sum; /* sum of this thread's random draws */
} Job;

static void *work(void *argument)
{
  Job *job = argument;
  for (int round = 0; round < ROUNDS; round++) {
    REQUIRE(sameAsAlone(job->state));

    /* Each thread asks for its own impossible thing, and finds its own text although others fail meanwhile. */
    char expected[40];
    snprintf(expected, sizeof expected, "got %d", -1000 * job->number - round);
    REQUIRE(THNN_setNumThreads(job->state, -1000 * job->number - round) == THNN_ERR_VALUE);
    REQUIRE(strstr(THNN_lastError(), expected));

    /* Settings and scratch memory change under the feet of running calls, harmlessly. */
    REQUIRE(!THNN_setNumThreads(job->state, 1 + (job->number + round) % 4));
    REQUIRE(!THNN_freeScratch(job->state));
  }
  for (int i = 0; i < DRAWS; i++) {
    uint32_t value;
    REQUIRE(!THNN_random(job->state, &value));
    job->sum += value;
  }
  return NULL;
}

static uint64_t runThreads(THNNState *state, void (*meanwhile)(void))
{
  pthread_t thread[THREADS];
  Job job[THREADS];
  uint64_t sum = 0;
  for (int i = 0; i < THREADS; i++) {
    job[i] = (Job){state, i + 1, 0};
    REQUIRE(!pthread_create(&thread[i], NULL, work, &job[i]));
  }
  if (meanwhile) meanwhile();
  for (int i = 0; i < THREADS; i++) {
    REQUIRE(!pthread_join(thread[i], NULL));
    sum += job[i].sum;
  }
  return sum;
}

/* The threads that OpenMP keeps do not exist in a child. It must compute all the same, and not wait for them. */
static void computeInChild(void)
{
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(60);
    int32_t threads;
    uint32_t value;
    REQUIRE(!THNN_getNumThreads(NULL, &threads) && threads == 1);
    REQUIRE(!THNN_random(NULL, &value)); /* whoever held the generator is not here */
    _exit(sameAsAlone(NULL) ? EXIT_SUCCESS : EXIT_FAILURE);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

int main(void)
{
  setvbuf(stdout, NULL, _IOLBF, 0);
  fill(image, PLANES * H * W, 7), fill(gradPooled, PLANES * OH * OW, 11), fill(x, N * IN, 13);
  fill(weights, OUT * IN, 17), fill(biases, OUT, 19), fill(gradY, N * OUT, 23);
  REQUIRE(!THNN_setNumThreads(NULL, 1));
  compute(NULL, &alone);
  REQUIRE(!THNN_setNumThreads(NULL, 4));
  REQUIRE(sameAsAlone(NULL));
  printf("four threads give the bits of one\n");
  computeInChild();
  printf("a forked child\n");

#ifdef _OPENMP
  for (int threads = 1; threads <= 2; threads++) { /* the library's threads, within a region of the host */
    int same = 1;
    REQUIRE(!THNN_setNumThreads(NULL, threads));
#pragma omp parallel for num_threads(4) reduction(& : same)
    for (int round = 0; round < ROUNDS; round++) same &= sameAsAlone(NULL);
    REQUIRE(same);
  }
  REQUIRE(!THNN_setNumThreads(NULL, 4));
  printf("a parallel region of the host\n");
#endif

  /* Threads that share the generator share out its sequence: nothing is drawn twice, nothing is lost. */
  uint64_t expected = 0;
  for (int i = 0; i < THREADS * DRAWS; i++) {
    uint32_t value;
    REQUIRE(!THNN_random(NULL, &value));
    expected += value;
  }
  REQUIRE(!THNN_manualSeed(NULL, 5489));
  REQUIRE(runThreads(NULL, NULL) == expected);
  printf("%d threads on the default state\n", THREADS);

  THNNState *state;
  REQUIRE(!THNN_newState(&state));
  REQUIRE(runThreads(state, NULL) == expected);
  REQUIRE(!THNN_freeState(state));
  printf("%d threads on a state of their own\n", THREADS);

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* their malloc would leave a lock behind in the child */
  runThreads(NULL, computeInChild);
  printf("a child forked while %d threads run\n", THREADS);
#endif
  return EXIT_SUCCESS;
}
