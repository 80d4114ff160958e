/* What the fused cells share: their checks. A sample has hiddenSize cells, and gates for each of them, one row of hiddenSize
 * gates of a kind after the other. */
#ifndef THNN_GATES_H
#define THNN_GATES_H

#include "core/real.h"
#ifndef THNN_CUDA
#include "core/vmath.h"
#endif

enum { /* rows of gates */
       LSTM_PARTS = 4,
       GRU_PARTS = 3,
};

typedef struct Cells {
  int32_t nDimension;
  int64_t samples, hidden;
} Cells;

/* What is added to the input before it goes into the gates; the biases may be NULL. */
typedef struct Addends {
  const real *hidden, *bias1, *bias2;
} Addends;

/* The way back through the gates of long short-term memory: cells before and after the step, and what comes back to output and cell. */
typedef struct GatesBack {
  const real *gates, *before, *after, *gradOutput, *gradCell;
  real *gradGates, *gradBefore;
} GatesBack;

/* The cells (N x) hiddenSize from which all other sizes follow. */
static inline int32_t checkCells(const char *f, const char *name, View cells, Cells *s)
{
  THNN_TRY(THNN_checkInput(f, name, cells, 1, 2, "(N x) hiddenSize"));
  s->nDimension = cells.nDimension;
  s->samples = cells.nDimension == 2 ? cells.size[0] : 1;
  s->hidden = cells.size[cells.nDimension - 1];
  return THNN_OK;
}

/* (N x) parts * hiddenSize, to be read or written. */
static inline int32_t checkParts(const char *f, const char *name, View v, const Cells *s, int parts, int written)
{
  const int64_t size[2] = {s->samples, parts * s->hidden};
  const int64_t *shape = size + 2 - s->nDimension;
  return written ? THNN_checkOutput(f, name, v, s->nDimension, shape) : THNN_checkShape(f, name, v, s->nDimension, shape);
}

/* parts * hiddenSize, or none. */
static inline int32_t checkBias(const char *f, const char *name, View v, const Cells *s, int parts)
{
  const int64_t size = parts * s->hidden;
  return v.size ? THNN_checkShape(f, name, v, 1, &size) : THNN_OK;
}

#ifndef THNN_CUDA
/* The bias, or zeros where there is none. */
static inline const real *biasOrZeros(Call *call, const real *bias, int64_t n)
{
  if (bias) return bias;
  real *zeros = THNN_scratch(call, n, sizeof(real));
  if (zeros) memset(zeros, 0, (size_t)n * sizeof(real));
  return zeros;
}

static inline int cellThreads(const Call *call, const Cells *s)
{
  return THNN_threads(call, THNN_min(s->samples, 1 << 28) * THNN_min(s->hidden, 1 << 28) * 32);
}
#endif

#endif
