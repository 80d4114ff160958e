/* GRUSequence on the device: in each step products of matrices, and a thread for each cell. Story, checks and functions:
 * THNN/recurrent/GRUSequence.c. */
#include "core/gemm.h"
#include "recurrent/gates.cuh"
#include "recurrent/sequence.h"

/* A step of all samples: r, z, and reset. */
__global__ static void openGates(real *gates, const real *b, real *reset, const real *h, Sequence s)
{
  for (int64_t at = firstThread(); at < s.samples * s.hidden; at += allThreads()) {
    const int64_t k = at % s.hidden;
    real *x = gates + at / s.hidden * GRU_PARTS * s.hidden + k;
    const accreal r = sigmoid((accreal)x[0] + bias(b, k));
    x[0] = (real)r;
    x[s.hidden] = (real)sigmoid((accreal)x[s.hidden] + bias(b, k + s.hidden));
    if (s.resetFirst) reset[at] = (real)(r * (accreal)h[at]);
    else {
      const accreal left = (accreal)reset[at] + bias(b, k + 3 * s.hidden);
      reset[at] = (real)left;
      x[2 * s.hidden] = (real)((accreal)x[2 * s.hidden] + r * left);
    }
  }
}

__global__ static void finish(real *gates, const real *b, const real *h, real *output, const real *mask, Sequence s)
{
  for (int64_t at = firstThread(); at < s.samples * s.hidden; at += allThreads()) {
    const int64_t n = at / s.hidden, k = at % s.hidden;
    real *x = gates + n * GRU_PARTS * s.hidden + k;
    if (mask && (accreal)mask[n] != 0) {
      x[0] = x[s.hidden] = x[2 * s.hidden] = output[at] = (real)0;
      continue;
    }
    const accreal g = tanh((accreal)x[2 * s.hidden] + bias(b, k + 2 * s.hidden));
    output[at] = (real)(g + (accreal)x[s.hidden] * ((accreal)h[at] - g));
    x[2 * s.hidden] = (real)g;
  }
}

__global__ static void gradients(const real *gates, const real *reset, const real *h, const real *gradOutput, real *gradHidden,
                                 real *gradGates, real *gradReset, const real *mask, Sequence s)
{
  for (int64_t at = firstThread(); at < s.samples * s.hidden; at += allThreads()) {
    const int64_t n = at / s.hidden, first = n * GRU_PARTS * s.hidden + at % s.hidden;
    const real *x = gates + first;
    real *gx = gradGates + first;
    const accreal r = (accreal)x[0], z = (accreal)x[s.hidden], g = (accreal)x[2 * s.hidden];
    const accreal dh = mask && (accreal)mask[n] != 0 ? 0 : (accreal)gradOutput[at] + (accreal)gradHidden[at];
    const accreal dg = dh * (1 - z) * (1 - g * g);
    gx[0] = (real)(dg * (accreal)reset[at] * r * (1 - r));
    gx[s.hidden] = (real)(dh * ((accreal)h[at] - g) * z * (1 - z));
    gx[2 * s.hidden] = (real)dg;
    gradReset[at] = (real)(dg * r);
    gradHidden[at] = (real)(dh * z);
  }
}

__global__ static void throughReset(const real *gates, const real *h, const real *gradReset, real *gradHidden, real *gradGates, Sequence s)
{
  for (int64_t at = firstThread(); at < s.samples * s.hidden; at += allThreads()) {
    const int64_t first = at / s.hidden * GRU_PARTS * s.hidden + at % s.hidden;
    const accreal r = (accreal)gates[first], g = (accreal)gradReset[at];
    gradGates[first] = (real)(g * (accreal)h[at] * r * (1 - r));
    gradHidden[at] = (real)((accreal)gradHidden[at] + g * r);
  }
}

static void forward(Call *call, const GruSteps *m, const real *weight, const Sequence *s)
{
  const int64_t n = s->samples, hidden = s->hidden, state = n * hidden, row = GRU_PARTS * hidden, toG = 2 * hidden;
  const GemmFactor both = {s->isTransposed != 0, weight, s->columns}, ofG = {s->isTransposed != 0, columnsFrom(weight, toG, s), s->columns};
  const real *h = m->h0;
  for (int64_t t = 0; t < s->steps; t++) {
    real *gates = m->gates + t * n * row, *reset = m->reset + t * state, *output = m->output + t * state;
    THNN_(gemm)(call, {n, toG, hidden}, 1, {0, h, hidden}, both, {1, gates, row});
    if (!s->resetFirst) THNN_(gemm)(call, {n, hidden, hidden}, 1, {0, h, hidden}, ofG, {0, reset, hidden});
    launch(call, blocksFor(state), BLOCK, openGates, gates, m->bias, reset, h, *s);
    if (s->resetFirst) THNN_(gemm)(call, {n, hidden, hidden}, 1, {0, reset, hidden}, ofG, {1, gates + toG, row});
    launch(call, blocksFor(state), BLOCK, finish, gates, m->bias, h, output, m->mask ? m->mask + t * n : NULL, *s);
    h = output;
  }
}

static void backward(Call *call, const GruBackwardSteps *b, const real *weight, const Sequence *s)
{
  const int64_t n = s->samples, hidden = s->hidden, state = n * hidden, row = GRU_PARTS * hidden, toG = 2 * hidden;
  const GemmFactor both = {!s->isTransposed, weight, s->columns}, ofG = {!s->isTransposed, columnsFrom(weight, toG, s), s->columns};
  for (int64_t t = s->steps - 1; t >= 0; t--) {
    const real *gates = b->gates + t * n * row, *h = t ? b->output + (t - 1) * state : b->h0;
    real *gx = b->gradGates + t * n * row, *gradReset = b->gradReset + t * state;
    launch(call, blocksFor(state), BLOCK, gradients, gates, b->reset + t * state, h, b->gradOutput + t * state, b->gradHidden, gx, gradReset,
           b->mask ? b->mask + t * n : NULL, *s);
    if (s->resetFirst) {
      THNN_(gemm)(call, {n, hidden, hidden}, 1, {0, gx + toG, row}, ofG, {0, gradReset, hidden});
      launch(call, blocksFor(state), BLOCK, throughReset, gates, h, gradReset, b->gradHidden, gx, *s);
    } else THNN_(gemm)(call, {n, hidden, hidden}, 1, {0, gradReset, hidden}, ofG, {1, b->gradHidden, hidden});
    THNN_(gemm)(call, {n, hidden, toG}, 1, {0, gx, row}, both, {1, b->gradHidden, hidden});
  }
}

#include "recurrent/GRUSequence.c"
