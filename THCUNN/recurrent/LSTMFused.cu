/* LSTMFused on the device. Story, checks and functions: THNN/recurrent/LSTMFused.c. */
#include "recurrent/gates.cuh"

__global__ static void forward(real *gates, Addends to, const real *cell, real *output, real *outputCell, Cells s)
{
  const int64_t n = s.hidden;
  for (int64_t at = firstThread(); at < s.samples * n; at += allThreads()) {
    const int64_t k = at % n, first = at / n * 4 * n;
    accreal sum[4];
#pragma unroll
    for (int part = 0; part < 4; part++) {
      const int64_t kp = k + part * n;
      sum[part] = (accreal)gates[first + kp] + (accreal)to.hidden[first + kp] + (bias(to.bias1, kp) + bias(to.bias2, kp));
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

static void lstmForward(Call *call, real *gates, Addends to, const real *c, real *y, real *cy, Cells s)
{
  launch(call, blocksFor(s.samples * s.hidden), BLOCK, forward, gates, to, c, y, cy, s);
}

__global__ static void backward(GatesBackward b, Cells s)
{
  const int64_t n = s.hidden;
  for (int64_t at = firstThread(); at < s.samples * n; at += allThreads()) {
    const int64_t k = at % n;
    const real *gates = b.gates + at / n * 4 * n;
    real *gradGates = b.gradGates + at / n * 4 * n;
    const accreal i = (accreal)gates[k], f = (accreal)gates[k + n], g = (accreal)gates[k + 2 * n], o = (accreal)gates[k + 3 * n];
    const accreal t = tanh((accreal)b.after[at]), gradient = (accreal)b.gradOutput[at];
    const accreal d = (accreal)b.gradCell[at] + gradient * o * (1 - t * t);
    gradGates[k] = (real)(d * g * i * (1 - i));
    gradGates[k + n] = (real)(d * (accreal)b.before[at] * f * (1 - f));
    gradGates[k + 2 * n] = (real)(d * i * (1 - g * g));
    gradGates[k + 3 * n] = (real)(gradient * t * o * (1 - o));
    b.gradBefore[at] = (real)(d * f);
  }
}

static void lstmBackward(Call *call, const GatesBackward *b, Cells s)
{
  launch(call, blocksFor(s.samples * s.hidden), BLOCK, backward, *b, s);
}

#include "recurrent/LSTMFused.c"
