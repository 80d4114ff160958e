/* What the layers that go through a whole sequence share: its sizes, and their checks. */
#ifndef THNN_SEQUENCE_H
#define THNN_SEQUENCE_H

#include "recurrent/gates.h"

enum { LSTM_PARTS = 4 };

/* Steps of samples; where the rows of g and of o begin (those of i and f are 0 and hidden); whether weight lies in memory column by column,
 * as cudnn's does. */
typedef struct Sequence {
  int64_t steps, samples, hidden, g, o, isTurned;
  int64_t columns;            /* of weight as it lies there; */
  int64_t size[2], stride[2]; /* its shape, and that of what it is a view of */
} Sequence;

/* Where forward finds what it reads and writes, */
typedef struct Steps {
  const real *h0, *c0;
  real *gates, *output, *cell;
} Steps;

/* and where backward does. */
typedef struct StepsBack {
  const real *gates, *gradOutput, *cell, *c0;
  real *gradGates, *gradHidden, *gradCell;
} StepsBack;

static inline int32_t checkSequence(const char *f, View gates, View weight, int32_t order, Sequence *s)
{
  THNN_TRY(THNN_checkInput(f, "gates", gates, 3, 3, "T x N x 4 * hiddenSize"));
  THNN_TRY(THNN_checkInput(f, "weight", weight, 2, 2, "hiddenSize x 4 * hiddenSize"));
  THNN_TRY(THNN_checkRange(f, "order", order, 0, 1));
  s->steps = gates.size[0];
  s->samples = gates.size[1];
  s->hidden = gates.size[2] / LSTM_PARTS;
  s->g = (order == 0 ? 2 : 3) * s->hidden;
  s->o = (order == 0 ? 3 : 2) * s->hidden;
  const int64_t size[3] = {s->steps, s->samples, LSTM_PARTS * s->hidden}, square[2] = {s->hidden, LSTM_PARTS * s->hidden};
  THNN_TRY(THNN_checkShape(f, "gates", gates, 3, size));
  THNN_TRY(THNN_checkShape(f, "weight", weight, 2, square));
  s->isTurned = weight.stride[0] == 1 && weight.stride[1] == s->hidden;
  s->columns = s->isTurned ? s->hidden : LSTM_PARTS * s->hidden;
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

/* T x N x hiddenSize, or N x hiddenSize of a state. */
static inline int32_t checkCellsOf(const char *f, const char *name, View v, const Sequence *s, int isState, int isWritten)
{
  const int64_t size[3] = {s->steps, s->samples, s->hidden};
  return (isWritten ? THNN_checkOutput : THNN_checkShape)(f, name, v, isState ? 2 : 3, size + isState);
}

#endif
