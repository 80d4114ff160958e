/* What the layers that go through a whole sequence share: sizes, checks, and on the host how a step is shared among threads. */
#ifndef THNN_SEQUENCE_H
#define THNN_SEQUENCE_H

#include "recurrent/gates.h"

/* Steps of samples, which have so many rows of gates; whether weight lies in memory column by column, as cudnn's does. */
typedef struct Sequence {
  int64_t steps, samples, hidden, parts, isTurned;
  int64_t columns;            /* of weight as it lies there; */
  int64_t size[2], stride[2]; /* its shape, and that of what it is a view of */
  int64_t g, o;               /* LSTM: where the rows of g and of o begin; those of i and f are 0 and hidden */
  int64_t resetFirst;         /* GRU: before the product or after it */
} Sequence;

/* Where forward finds what it reads and writes, */
typedef struct LstmSteps {
  const real *bias, *h0, *c0;
  real *gates, *output, *cell;
} LstmSteps;

typedef struct GruSteps {
  const real *bias, *h0, *mask;
  real *gates, *output, *reset;
} GruSteps;

/* and where backward does. */
typedef struct LstmStepsBack {
  const real *gates, *gradOutput, *cell, *c0;
  real *gradGates, *gradHidden, *gradCell;
} LstmStepsBack;

typedef struct GruStepsBack {
  const real *gates, *gradOutput, *output, *reset, *h0, *mask;
  real *gradGates, *gradReset, *gradHidden;
} GruStepsBack;

static inline int32_t checkSequence(const char *f, View gates, View weight, int64_t parts, Sequence *s)
{
  const int isLstm = parts == LSTM_PARTS;
  THNN_TRY(THNN_checkInput(f, "gates", gates, 3, 3, isLstm ? "T x N x 4 * hiddenSize" : "T x N x 3 * hiddenSize"));
  THNN_TRY(THNN_checkInput(f, "weight", weight, 2, 2, isLstm ? "hiddenSize x 4 * hiddenSize" : "hiddenSize x 3 * hiddenSize"));
  s->steps = gates.size[0];
  s->samples = gates.size[1];
  s->hidden = gates.size[2] / parts;
  s->parts = parts;
  const int64_t size[3] = {s->steps, s->samples, parts * s->hidden}, square[2] = {s->hidden, parts * s->hidden};
  THNN_TRY(THNN_checkShape(f, "gates", gates, 3, size));
  THNN_TRY(THNN_checkShape(f, "weight", weight, 2, square));
  s->isTurned = weight.stride[0] == 1 && weight.stride[1] == s->hidden;
  s->columns = s->isTurned ? s->hidden : parts * s->hidden;
  for (int d = 0; d < 2; d++) {
    s->size[d] = weight.size[s->isTurned ? 1 - d : d];
    s->stride[d] = weight.stride[s->isTurned ? 1 - d : d];
  }
  return THNN_OK;
}

/* So that no call copies it. */
static inline View inMemory(View weight, const Sequence *s)
{
  weight.size = s->size;
  weight.stride = s->stride;
  return weight;
}

/* The weight's columns from `column` on. */
static inline const real *columnsFrom(const real *weight, int64_t column, const Sequence *s)
{
  return weight + (s->isTurned ? column * s->hidden : column);
}

/* T x N x hiddenSize, or N x hiddenSize of a state. */
static inline int32_t checkCellsOf(const char *f, const char *name, View v, const Sequence *s, int isState, int isWritten)
{
  const int64_t size[3] = {s->steps, s->samples, s->hidden};
  return (isWritten ? THNN_checkOutput : THNN_checkShape)(f, name, v, isState ? 2 : 3, size + isState);
}

#ifndef THNN_CUDA
#include "core/turn.h"

enum {
  SMALL = 1 << 19,  /* bytes of weights, at most: a thread that reads them all is done before threads meet */
  TASK_ROWS = 128,  /* rows of weight in a task, whose sums are added later */
  UNITS = 64,       /* cells in a task */
  LONGEST = 1024    /* terms of a sum in reals */
};

/* Does each thread take all steps of some samples? Else a step's work is shared among threads. */
static int isApart(const Sequence *s) { return s->hidden * s->hidden <= SMALL / s->parts / (int64_t)sizeof(real); }

static int sequenceThreads(const Call *call, const Sequence *s)
{
  const int threads = THNN_threads(call, THNN_min(s->samples, 1 << 20) * THNN_min(s->hidden * s->hidden, 1 << 30) * s->parts);
  return isApart(s) ? (int)THNN_max(THNN_min(threads, s->samples), 1) : threads;
}

/* ---- one sample, large weights: packing them would take longer than it saves */

/* The weight row by row, as these loops read it: how it lay changes no result. NULL if there is no memory. */
static const real *inRows(Call *call, int threads, const real *weight, const Sequence *s)
{
  if (!s->isTurned) return weight;
  enum { SOME = 16 };
  const int64_t hidden = s->hidden, row = s->parts * hidden;
  real *copy = THNN_scratch(call, hidden * row, sizeof(real));
  if (!copy) return NULL;
#pragma omp parallel for num_threads(threads)
  for (int64_t first = 0; first < row; first += SOME)
    for (int64_t k = 0; k < hidden; k += SOME)
      turn(copy + k * row + first, row, weight + first * hidden + k, hidden, THNN_min(SOME, row - first), THNN_min(SOME, hidden - k));
  return copy;
}

/* sums = x matrix, for the rows begin to end of the matrix, which are ld elements apart. */
THNN_KERNEL void combine(real *restrict sums, const real *restrict x, const real *restrict matrix, int64_t ld, int64_t columns,
                         int64_t begin, int64_t end)
{
  memset(sums, 0, (size_t)columns * sizeof(real));
  int64_t j = begin;
  for (; j + 4 <= end; j += 4) {
    const real *w0 = matrix + j * ld, *w1 = w0 + ld, *w2 = w1 + ld, *w3 = w2 + ld, *v = x + j;
    for (int64_t k = 0; k < columns; k++) sums[k] += v[0] * w0[k] + v[1] * w1[k] + v[2] * w2[k] + v[3] * w3[k];
  }
  for (; j < end; j++)
    for (int64_t k = 0; k < columns; k++) sums[k] += x[j] * matrix[j * ld + k];
}

/* Adds those of all tasks, which are `share` elements apart. */
THNN_KERNEL void addSums(real *restrict y, const real *restrict sums, int64_t share, int64_t tasks, int64_t n)
{
  for (int64_t task = 0; task < tasks; task++)
    for (int64_t k = 0; k < n; k++) y[k] += sums[task * share + k];
}

/* y[k] += x . matrix[k], for the rows begin to end of the matrix. */
THNN_KERNEL void addDots(real *restrict y, const real *restrict x, const real *restrict matrix, int64_t ld, int64_t columns, int64_t begin,
                         int64_t end)
{
  for (int64_t k = begin; k < end; k += 4) {
    const real *w[4]; /* where rows end, the last one again */
    for (int64_t r = 0; r < 4; r++) w[r] = matrix + THNN_min(k + r, end - 1) * ld;
    double sum[4] = {0};
    for (int64_t first = 0; first < columns; first += LONGEST) {
      real sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3)
      for (int64_t i = first; i < THNN_min(first + LONGEST, columns); i++) {
        sum0 += x[i] * w[0][i];
        sum1 += x[i] * w[1][i];
        sum2 += x[i] * w[2][i];
        sum3 += x[i] * w[3][i];
      }
      sum[0] += sum0;
      sum[1] += sum1;
      sum[2] += sum2;
      sum[3] += sum3;
    }
    for (int64_t r = 0; r < THNN_min(4, end - k); r++) y[k + r] += (real)sum[r];
  }
}
#endif

#endif
