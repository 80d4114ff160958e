/* LSTMSequence on the device: in each step a product of matrices, then a thread for each cell. Story, checks and functions:
 * THNN/recurrent/LSTMSequence.c. */
#include "core/gemm.h"
#include "recurrent/gates.cuh"
#include "recurrent/sequence.h"

/* A step of all samples. */
__global__ static void cells(real *gates, const real *b, const real *before, real *output, real *after, Sequence s)
{
  for (int64_t at = firstThread(); at < s.samples * s.hidden; at += allThreads()) {
    const int64_t k = at % s.hidden;
    real *x = gates + at / s.hidden * LSTM_PARTS * s.hidden + k;
    const accreal i = sigmoid((accreal)x[0] + bias(b, k)), f = sigmoid((accreal)x[s.hidden] + bias(b, k + s.hidden));
    const accreal g = tanh((accreal)x[s.g] + bias(b, k + s.g)), o = sigmoid((accreal)x[s.o] + bias(b, k + s.o));
    const accreal c = f * (accreal)before[at] + i * g;
    after[at] = (real)c;
    output[at] = (real)(o * tanh(c));
    x[0] = (real)i;
    x[s.hidden] = (real)f;
    x[s.g] = (real)g;
    x[s.o] = (real)o;
  }
}

__global__ static void gradients(const real *gates, real *gradGates, const real *before, const real *after, const real *gradOutput,
                                 const real *gradHidden, real *gradCell, Sequence s)
{
  for (int64_t at = firstThread(); at < s.samples * s.hidden; at += allThreads()) {
    const int64_t first = at / s.hidden * LSTM_PARTS * s.hidden + at % s.hidden;
    const real *x = gates + first;
    real *gx = gradGates + first;
    const accreal i = (accreal)x[0], f = (accreal)x[s.hidden], g = (accreal)x[s.g], o = (accreal)x[s.o], t = tanh((accreal)after[at]);
    const accreal dh = (accreal)gradOutput[at] + (accreal)gradHidden[at], dc = (accreal)gradCell[at] + dh * o * (1 - t * t);
    gx[0] = (real)(dc * g * i * (1 - i));
    gx[s.hidden] = (real)(dc * (accreal)before[at] * f * (1 - f));
    gx[s.g] = (real)(dc * i * (1 - g * g));
    gx[s.o] = (real)(dh * t * o * (1 - o));
    gradCell[at] = (real)(dc * f);
  }
}

static void forward(Call *call, const LstmSteps *m, const real *weight, const Sequence *s)
{
  const int64_t state = s->samples * s->hidden, row = LSTM_PARTS * s->hidden;
  const real *h = m->h0, *c = m->c0;
  for (int64_t t = 0; t < s->steps; t++) {
    real *gates = m->gates + t * s->samples * row, *output = m->output + t * state, *cell = m->cell + t * state;
    THNN_(gemm)(call, {s->samples, row, s->hidden}, 1, {0, h, s->hidden}, {s->isTransposed != 0, weight, s->columns}, {1, gates, row});
    launch(call, blocksFor(state), BLOCK, cells, gates, m->bias, c, output, cell, *s);
    h = output;
    c = cell;
  }
}

static void backward(Call *call, const LstmBackwardSteps *b, const real *weight, const Sequence *s)
{
  const int64_t state = s->samples * s->hidden, row = LSTM_PARTS * s->hidden;
  for (int64_t t = s->steps - 1; t >= 0; t--) {
    real *gx = b->gradGates + t * s->samples * row;
    const real *before = t ? b->cell + (t - 1) * state : b->c0;
    launch(call, blocksFor(state), BLOCK, gradients, b->gates + t * s->samples * row, gx, before, b->cell + t * state,
           b->gradOutput + t * state, b->gradHidden, b->gradCell, *s);
    THNN_(gemm)(call, {s->samples, s->hidden, row}, 1, {0, gx, row}, {!s->isTransposed, weight, s->columns}, {0, b->gradHidden, s->hidden});
  }
}

#include "recurrent/LSTMSequence.c"
