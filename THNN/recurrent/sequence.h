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

typedef real Line __attribute__((vector_size(64), aligned(sizeof(real)), may_alias));

enum {
  SMALL = 1 << 19,                   /* bytes of weights, at most: a thread that reads them all is done before threads meet */
  CELLS = 256 / (int)sizeof(real),   /* in a block: sums of one of their gates fill four large registers */
  FEW = 4,                           /* steps for which packing the weight takes longer than it saves */
  TERMS = 128                        /* of a sum in registers */
};

/* Does each thread take all steps of some samples? Else a step's work is shared among threads. */
static int isApart(const Sequence *s) { return s->samples > 1 && s->hidden * s->hidden <= SMALL / s->parts / (int64_t)sizeof(real); }

static int sequenceThreads(const Call *call, const Sequence *s)
{
  const int threads = THNN_threads(call, THNN_min(s->samples, 1 << 20) * THNN_min(s->hidden * s->hidden, 1 << 30) * s->parts);
  return isApart(s) ? (int)THNN_min(threads, s->samples) : threads;
}

/* ---- one sample: a thread has the same blocks of cells in all steps, and finds their weights in its cache; threads meet in each step */

/* How many blocks of cells there are, in how many parts. */
typedef struct Shares {
  int64_t blocks, parts;
} Shares;

static Shares sharesOf(const Call *call, const Sequence *s)
{
  const int64_t blocks = THNN_ceilDiv(s->hidden, CELLS);
  return (Shares){blocks, THNN_max(THNN_min(blocks, sequenceThreads(call, s)), 1)};
}

static inline int64_t firstBlock(const Shares *shares, int64_t part) { return shares->blocks * part / shares->parts; }
static inline int64_t blocksOf(const Shares *shares, int64_t part) { return firstBlock(shares, part + 1) - firstBlock(shares, part); }

/* Where the columns of cells lie of the weight, or of the weight transposed, whose rows are `row` elements apart. The weight has such columns
 * for each gate, the transposed one has the rows of all gates. */
typedef struct Panels {
  const real *at;
  int64_t row, toGate, toCell;
  int isPacked; /* as CELLS columns, with zeros behind the last ones */
} Panels;

static inline const real *panelOf(const Panels *p, int64_t gate, int64_t cell) { return p->at + gate * p->toGate + cell * p->toCell; }

/* Cells by cells one after the other; or as they lie, if there are few steps. `at` is NULL if there is no memory. */
static Panels panelsOf(Call *call, const real *weight, int isTransposed, const Shares *shares, const Sequence *s)
{
  const int64_t hidden = s->hidden, gates = isTransposed ? 1 : s->parts, rows = s->parts / gates * hidden;
  const int isTurned = isTransposed != (int)s->isTurned;
  if (s->steps < FEW && !isTurned) return (Panels){weight, s->columns, hidden, 1, 0};
  real *packed = THNN_scratch(call, shares->blocks * CELLS * gates * rows, sizeof(real));
  if (!packed) return (Panels){0};
#pragma omp parallel for num_threads((int)shares->parts)
  for (int64_t part = 0; part < shares->parts; part++)
    for (int64_t i = 0; i < blocksOf(shares, part) * gates; i++) {
      const int64_t cell = CELLS * (firstBlock(shares, part) + i / gates), column = i % gates * hidden + cell;
      const int64_t n = THNN_min(CELLS, hidden - cell);
      real *panel = packed + (firstBlock(shares, part) * gates + i) * CELLS * rows;
      if (n < CELLS) memset(panel, 0, (size_t)(rows * CELLS) * sizeof(real));
      if (isTurned) turn(panel, CELLS, weight + column * s->columns, s->columns, n, rows);
      else
        for (int64_t r = 0; r < rows; r++) memcpy(panel + r * CELLS, weight + r * s->columns + column, (size_t)n * sizeof(real));
    }
  return (Panels){packed, CELLS, rows * CELLS, gates * rows, 1};
}

/* y += x matrix, for n columns from `matrix` on, CELLS at most. */
THNN_KERNEL void addColumns(real *restrict y, const real *restrict x, const Panels *p, const real *restrict matrix, int64_t rows, int64_t n)
{
  const int64_t ld = p->row;
  if (n < CELLS && !p->isPacked) { /* the next columns are those of others, or there are none */
    for (int64_t j = 0; j < rows; j++)
      for (int64_t k = 0; k < n; k++) y[k] += x[j] * matrix[j * ld + k];
    return;
  }
  for (int64_t first = 0; first < rows; first += TERMS) {
    Line sums[4], s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t j = first; j < THNN_min(first + TERMS, rows); j++) {
      const Line *w = (const Line *)(matrix + j * ld);
      s0 += x[j] * w[0];
      s1 += x[j] * w[1];
      s2 += x[j] * w[2];
      s3 += x[j] * w[3];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
    for (int64_t k = 0; k < n; k++) y[k] += ((const real *)sums)[k];
  }
}

/* What is done in step t with cells [begin, end), and their weights, for a pass. */
typedef void Block(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s);

/* A step of a parallel region: all blocks, after which threads meet. Every other step a thread goes from its last block to its first one: what is
 * still in the cache is needed first. */
static void forBlocks(Block *block, const void *pass, const Panels *w, int64_t t, const Shares *shares, const Sequence *s)
{
#pragma omp for schedule(static)
  for (int64_t part = 0; part < shares->parts; part++)
    for (int64_t i = 0; i < blocksOf(shares, part); i++) {
      const int64_t begin = CELLS * (t % 2 ? firstBlock(shares, part + 1) - 1 - i : firstBlock(shares, part) + i);
      block(pass, w, t, begin, THNN_min(begin + CELLS, s->hidden), s);
    }
}
#endif

#endif
