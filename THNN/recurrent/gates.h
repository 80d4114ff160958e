/* The checks of the fused cells. A sample has hiddenSize cells, and for each kind of gates a row of hiddenSize gates. */
#ifndef THNN_GATES_H
#define THNN_GATES_H

#include "core/real.h"
#ifndef THNN_CUDA
#include "core/vmath.h"
#endif

enum { /* kinds of gates */
       LSTM_PARTS = 4,
       GRU_PARTS = 3,
};

typedef struct Cells {
  int32_t nDimension;
  int64_t samples, hidden;
} Cells;

/* The addends of the input in the gates; the biases may be NULL. */
typedef struct Addends {
  const real *hidden, *bias1, *bias2;
} Addends;

/* The operands of the backward pass of an LSTM's gates: the cells before and after the step, and the gradients of output and cell. */
typedef struct GatesBackward {
  const real *gates, *before, *after, *gradOutput, *gradCell;
  real *gradGates, *gradBefore;
} GatesBackward;

/* Checks the cells (N x) hiddenSize, from which all other sizes follow. */
static inline int32_t checkCells(const char *f, const char *name, View cells, Cells *s)
{
  THNN_TRY(THNN_checkInput(f, name, cells, 1, 2, "(N x) hiddenSize"));
  s->nDimension = cells.nDimension;
  s->samples = cells.nDimension == 2 ? cells.size[0] : 1;
  s->hidden = cells.size[cells.nDimension - 1];
  return THNN_OK;
}

/* Checks a tensor of (N x) parts * hiddenSize that is read or written. */
static inline int32_t checkParts(const char *f, const char *name, View v, const Cells *s, int parts, int written)
{
  const int64_t size[2] = {s->samples, parts * s->hidden};
  const int64_t *shape = size + 2 - s->nDimension;
  return written ? THNN_checkOutput(f, name, v, s->nDimension, shape) : THNN_checkShape(f, name, v, s->nDimension, shape);
}

/* Checks a bias of parts * hiddenSize, if there is one. */
static inline int32_t checkBias(const char *f, const char *name, View v, const Cells *s, int parts)
{
  const int64_t size = parts * s->hidden;
  return v.size ? THNN_checkShape(f, name, v, 1, &size) : THNN_OK;
}

#ifndef THNN_CUDA
/* The bias, or zeros if there is none. */
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
