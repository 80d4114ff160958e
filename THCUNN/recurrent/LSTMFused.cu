/* LSTMFused on the device. Story, checks and functions: THNN/recurrent/LSTMFused.c. */
#include "recurrent/gates.cuh"

__global__ static void forward(real *gates, const real *hidden, const real *bias1, const real *bias2, const real *cell, real *output,
                               real *outputCell, Cells s)
{
  const int64_t n = s.hidden;
  for (int64_t at = firstThread(); at < s.samples * n; at += allThreads()) {
    const int64_t k = at % n, first = at / n * 4 * n;
    accreal sum[4];
#pragma unroll
    for (int part = 0; part < 4; part++) {
      const int64_t kp = k + part * n;
      sum[part] = (accreal)gates[first + kp] + (accreal)hidden[first + kp] + (bias(bias1, kp) + bias(bias2, kp));
    }
    const accreal i = sigmoid(sum[0]), f = sigmoid(sum[1]), g = tanh(sum[2]), o = sigmoid(sum[3]);
    const accreal c = f * (accreal)cell[at] + i * g;
    outputCell[at] = (real)c;
    output[at] = (real)(o * tanh(c));
    gates[first + k] = (real)i;
    gates[first + k + n] = (real)f;
    gates[first + k + 2 * n] = (real)g;
    gates[first + k + 3 * n] = (real)o;
  }
}

static void lstmForward(Call *call, real *gates, const real *h, const real *b1, const real *b2, const real *c, real *y, real *cy, Cells s)
{
  launch(call, blocksFor(s.samples * s.hidden), BLOCK, forward, gates, h, b1, b2, c, y, cy, s);
}

__global__ static void backward(const real *storage, real *gradInGates, const real *cx, const real *cy, const real *gradOutput,
                                const real *gradCell, real *gradCx, Cells s)
{
  const int64_t n = s.hidden;
  for (int64_t at = firstThread(); at < s.samples * n; at += allThreads()) {
    const int64_t k = at % n;
    const real *gates = storage + at / n * 4 * n;
    real *gradGates = gradInGates + at / n * 4 * n;
    const accreal i = (accreal)gates[k], f = (accreal)gates[k + n], g = (accreal)gates[k + 2 * n], o = (accreal)gates[k + 3 * n];
    const accreal t = tanh((accreal)cy[at]), gradient = (accreal)gradOutput[at], d = (accreal)gradCell[at] + gradient * o * (1 - t * t);
    gradGates[k] = (real)(d * g * i * (1 - i));
    gradGates[k + n] = (real)(d * (accreal)cx[at] * f * (1 - f));
    gradGates[k + 2 * n] = (real)(d * i * (1 - g * g));
    gradGates[k + 3 * n] = (real)(gradient * t * o * (1 - o));
    gradCx[at] = (real)(d * f);
  }
}

static void lstmBackward(Call *call, const real *gates, real *gradGates, const real *cx, const real *cy, const real *g, const real *gc,
                         real *gradCx, Cells s)
{
  launch(call, blocksFor(s.samples * s.hidden), BLOCK, backward, gates, gradGates, cx, cy, g, gc, gradCx, s);
}

#include "recurrent/LSTMFused.c"
