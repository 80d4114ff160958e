/* Recurrent layers over a whole sequence (LSTMSequence, GRUSequence): sizes, checks, and on the host the distribution of a step among
 * threads. */
#ifndef THNN_SEQUENCE_H
#define THNN_SEQUENCE_H

#include "recurrent/gates.h"

/* The sizes of a sequence: `parts` are the kinds of gates. isTransposed: the weight is stored column by column, as cuDNN's is. */
typedef struct Sequence {
  int64_t steps, samples, hidden, parts, isTransposed;
  int64_t columns;            /* columns of the weight as it is stored */
  int64_t size[2], stride[2]; /* sizes and strides of the weight as it is stored */
  int64_t g, o;               /* LSTM: the first columns of gates g and o; those of i and f are 0 and hidden */
  int64_t resetFirst;         /* GRU: reset before the product, not after it */
} Sequence;

/* The operands of forward. */
typedef struct LstmSteps {
  const real *bias, *h0, *c0;
  real *gates, *output, *cell;
} LstmSteps;

typedef struct GruSteps {
  const real *bias, *h0, *mask;
  real *gates, *output, *reset;
} GruSteps;

/* The operands of backward. */
typedef struct LstmBackwardSteps {
  const real *gates, *gradOutput, *cell, *c0;
  real *gradGates, *gradHidden, *gradCell;
} LstmBackwardSteps;

typedef struct GruBackwardSteps {
  const real *gates, *gradOutput, *output, *reset, *h0, *mask;
  real *gradGates, *gradReset, *gradHidden;
} GruBackwardSteps;

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
  s->isTransposed = weight.stride[0] == 1 && weight.stride[1] == s->hidden;
  s->columns = s->isTransposed ? s->hidden : parts * s->hidden;
  for (int d = 0; d < 2; d++) {
    s->size[d] = weight.size[s->isTransposed ? 1 - d : d];
    s->stride[d] = weight.stride[s->isTransposed ? 1 - d : d];
  }
  return THNN_OK;
}

/* A view of the weight as it is stored, so that no call copies it. */
static inline View storedView(View weight, const Sequence *s)
{
  weight.size = s->size;
  weight.stride = s->stride;
  return weight;
}

/* The weight from `column` on. */
static inline const real *columnsFrom(const real *weight, int64_t column, const Sequence *s)
{
  return weight + (s->isTransposed ? column * s->hidden : column);
}

/* Checks a tensor of T x N x hiddenSize, or a state of N x hiddenSize. */
static inline int32_t checkSequenceCells(const char *f, const char *name, View v, const Sequence *s, int isState, int isWritten)
{
  const int64_t size[3] = {s->steps, s->samples, s->hidden};
  return (isWritten ? THNN_checkOutput : THNN_checkShape)(f, name, v, isState ? 2 : 3, size + isState);
}

#ifndef THNN_CUDA
#include "core/transpose.h"

typedef real Vector __attribute__((vector_size(64), aligned(sizeof(real)), may_alias));

enum {
  MAX_APART_BYTES = 1 << 19,             /* bytes of weights that a thread reads faster in each step than it waits for other threads */
  BLOCK_CELLS = 256 / (int)sizeof(real), /* in a block: the sums of one gate fill four registers of 64 bytes */
  MIN_PACKING_STEPS = 4,                 /* for fewer, packing the weight takes longer than it saves */
  SUM_TERMS = 128                        /* terms of a sum in registers */
};

/* True if each thread has all steps of some samples. Otherwise threads share the work of each step. */
static int isApart(const Sequence *s) { return s->samples > 1 && s->hidden * s->hidden <= MAX_APART_BYTES / s->parts / (int64_t)sizeof(real); }

static int sequenceThreads(const Call *call, const Sequence *s)
{
  const int threads = THNN_threads(call, THNN_min(s->samples, 1 << 20) * THNN_min(s->hidden * s->hidden, 1 << 30) * s->parts);
  return isApart(s) ? (int)THNN_min(threads, s->samples) : threads;
}

/* ---- Steps that threads share: a thread has the same blocks of cells in all steps, whose weights stay in its cache. There is a barrier
 * in each step. */

/* The blocks of cells, and the parts that are distributed among threads. */
typedef struct Shares {
  int64_t blocks, parts;
} Shares;

static Shares planShares(const Call *call, const Sequence *s)
{
  const int64_t blocks = THNN_ceilDiv(s->hidden, BLOCK_CELLS);
  return (Shares){blocks, THNN_max(THNN_min(blocks, sequenceThreads(call, s)), 1)};
}

static inline int64_t firstBlock(const Shares *shares, int64_t part) { return shares->blocks * part / shares->parts; }
static inline int64_t shareBlocks(const Shares *shares, int64_t part) { return firstBlock(shares, part + 1) - firstBlock(shares, part); }

/* The columns of cells in the weight, or in the transposed weight; rows are `row` elements apart. The weight has such columns for each
 * gate, the transposed one has the rows of all gates. */
typedef struct Panels {
  const real *at;
  int64_t row, toGate, toCell;
  int isPacked; /* as BLOCK_CELLS columns, with zeros behind the last ones */
} Panels;

static inline const real *gatePanel(const Panels *p, int64_t gate, int64_t cell) { return p->at + gate * p->toGate + cell * p->toCell; }

/* Packs the weight block by block, or refers to it as it is stored if there are few steps. `at` is NULL if there is no memory. */
static Panels packPanels(Call *call, const real *weight, int isTransposed, const Shares *shares, const Sequence *s)
{
  const int64_t hidden = s->hidden, gates = isTransposed ? 1 : s->parts, rows = s->parts / gates * hidden;
  const int readsColumns = isTransposed != (int)s->isTransposed;
  if (s->steps < MIN_PACKING_STEPS && !readsColumns) return (Panels){weight, s->columns, hidden, 1, 0};
  real *packed = THNN_scratch(call, shares->blocks * BLOCK_CELLS * gates * rows, sizeof(real));
  if (!packed) return (Panels){0};
#pragma omp parallel for num_threads((int)shares->parts)
  for (int64_t part = 0; part < shares->parts; part++)
    for (int64_t i = 0; i < shareBlocks(shares, part) * gates; i++) {
      const int64_t cell = BLOCK_CELLS * (firstBlock(shares, part) + i / gates), column = i % gates * hidden + cell;
      const int64_t n = THNN_min(BLOCK_CELLS, hidden - cell);
      real *panel = packed + (firstBlock(shares, part) * gates + i) * BLOCK_CELLS * rows;
      if (n < BLOCK_CELLS) memset(panel, 0, (size_t)(rows * BLOCK_CELLS) * sizeof(real));
      if (readsColumns) transpose(panel, BLOCK_CELLS, weight + column * s->columns, s->columns, n, rows);
      else
        for (int64_t r = 0; r < rows; r++) memcpy(panel + r * BLOCK_CELLS, weight + r * s->columns + column, (size_t)n * sizeof(real));
    }
  return (Panels){packed, BLOCK_CELLS, rows * BLOCK_CELLS, gates * rows, 1};
}

/* y += x matrix, for n columns from `matrix` on, BLOCK_CELLS at most. */
THNN_KERNEL void addColumns(real *restrict y, const real *restrict x, const Panels *p, const real *restrict matrix, int64_t rows, int64_t n)
{
  const int64_t ld = p->row;
  if (n < BLOCK_CELLS && !p->isPacked) { /* the next columns belong to other blocks, or do not exist */
    for (int64_t j = 0; j < rows; j++)
      for (int64_t k = 0; k < n; k++) y[k] += x[j] * matrix[j * ld + k];
    return;
  }
  for (int64_t first = 0; first < rows; first += SUM_TERMS) {
    Vector sums[4], s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t j = first; j < THNN_min(first + SUM_TERMS, rows); j++) {
      const Vector *w = (const Vector *)(matrix + j * ld);
      s0 += x[j] * w[0];
      s1 += x[j] * w[1];
      s2 += x[j] * w[2];
      s3 += x[j] * w[3];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
    for (int64_t k = 0; k < n; k++) y[k] += ((const real *)sums)[k];
  }
}

/* Computes step t of a pass for cells [begin, end), with their weights. */
typedef void Block(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s);

/* A step of a parallel region: all blocks, and a barrier. Every other step begins with a thread's last block, whose weights are still in
 * the cache. */
static void forBlocks(Block *block, const void *pass, const Panels *w, int64_t t, const Shares *shares, const Sequence *s)
{
#pragma omp for schedule(static)
  for (int64_t part = 0; part < shares->parts; part++)
    for (int64_t i = 0; i < shareBlocks(shares, part); i++) {
      const int64_t begin = BLOCK_CELLS * (t % 2 ? firstBlock(shares, part + 1) - 1 - i : firstBlock(shares, part) + i);
      block(pass, w, t, begin, THNN_min(begin + BLOCK_CELLS, s->hidden), s);
    }
}
#endif

#endif
