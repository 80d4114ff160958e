/* LSTMFused: the elementwise part of a cell of long short-term memory, after the two matrix products.
 *
 *   (i, f, g, o) = input + hidden + bias1 + bias2         four rows of hiddenSize; then sigmoid, sigmoid, tanh, sigmoid
 *   outputCell   = f * cell + i * g
 *   output       = o * tanh(outputCell)
 *
 * The gates (i, f, g, o) take the place of input and are what backward calls storage. Backward gets cell as cx and
 * outputCell as cy, and with t = tanh(cy) and d = gradOutputCell + gradOutput * o * (1 - t^2)
 *
 *   gradInGates  = (d * g * i * (1 - i), d * cx * f * (1 - f), d * i * (1 - g^2), gradOutput * t * o * (1 - o))
 *   gradInputCx  = d * f
 *
 *   input, hidden, storage, gradInGates        (N x) 4 * hiddenSize
 *   bias1, bias2                               4 * hiddenSize, or none
 *   cell, output, outputCell, cx, cy, gradOutput, gradOutputCell, gradInputCx  (N x) hiddenSize
 * All results are overwritten. gradInGates is the gradient of input as well as of hidden. Torch's libraries had this layer
 * for hosts, in CUDA; no class of Torch7 used it. */
#include "declared/LSTMFused.h"
#include "recurrent/gates.h"

#ifndef THNN_CUDA
THNN_KERNEL void forward(real *restrict gates, const real *restrict hidden, const real *restrict bias1,
                         const real *restrict bias2, const real *restrict cell, real *restrict output,
                         real *restrict outputCell, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    const int64_t ki = k, kf = k + n, kg = k + 2 * n, ko = k + 3 * n;
    const real i = real_sigmoid(gates[ki] + hidden[ki] + (bias1[ki] + bias2[ki]));
    const real f = real_sigmoid(gates[kf] + hidden[kf] + (bias1[kf] + bias2[kf]));
    const real g = real_tanh(gates[kg] + hidden[kg] + (bias1[kg] + bias2[kg]));
    const real o = real_sigmoid(gates[ko] + hidden[ko] + (bias1[ko] + bias2[ko]));
    const real c = f * cell[k] + i * g;
    outputCell[k] = c;
    output[k] = o * real_tanh(c);
    gates[ki] = i;
    gates[kf] = f;
    gates[kg] = g;
    gates[ko] = o;
  }
}

THNN_KERNEL void backward(const real *restrict gates, real *restrict gradGates, const real *restrict cx,
                          const real *restrict cy, const real *restrict gradOutput, const real *restrict gradCell,
                          real *restrict gradCx, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    const real i = gates[k], f = gates[k + n], g = gates[k + 2 * n], o = gates[k + 3 * n];
    const real t = real_tanh(cy[k]), d = gradCell[k] + gradOutput[k] * o * (1 - t * t);
    gradGates[k] = d * g * i * (1 - i);
    gradGates[k + n] = d * cx[k] * f * (1 - f);
    gradGates[k + 2 * n] = d * i * (1 - g * g);
    gradGates[k + 3 * n] = gradOutput[k] * t * o * (1 - o);
    gradCx[k] = d * f;
  }
}

static void lstmForward(Call *call, real *gates, Addends to, const real *c, real *y, real *cy, Cells s)
{
  const int threads = cellThreads(call, &s);
  const int64_t n = s.hidden;
  const real *b1 = biasOrZeros(call, to.bias1, LSTM_PARTS * n), *b2 = biasOrZeros(call, to.bias2, LSTM_PARTS * n);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s.samples; i++)
    forward(gates + i * LSTM_PARTS * n, to.hidden + i * LSTM_PARTS * n, b1, b2, c + i * n, y + i * n, cy + i * n, n);
}

static void lstmBackward(Call *call, const GatesBackward *b, Cells s)
{
  const int threads = cellThreads(call, &s);
  const int64_t n = s.hidden;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s.samples; i++)
    backward(b->gates + i * LSTM_PARTS * n, b->gradGates + i * LSTM_PARTS * n, b->before + i * n, b->after + i * n, b->gradOutput + i * n,
             b->gradCell + i * n, b->gradBefore + i * n, n);
}
#endif

int32_t THNN_(LSTMFused_updateOutput)(THNNState *state, THTensor *input, const THTensor *hidden, const THTensor *bias1,
                                      const THTensor *bias2, const THTensor *cell, THTensor *output, THTensor *outputCell)
{
  Cells s;
  THNN_TRY(checkCells(__func__, "cell", view(cell), &s));
  THNN_TRY(checkParts(__func__, "input", view(input), &s, LSTM_PARTS, 1));
  THNN_TRY(checkParts(__func__, "hidden", view(hidden), &s, LSTM_PARTS, 0));
  THNN_TRY(checkBias(__func__, "bias1", view(bias1), &s, LSTM_PARTS));
  THNN_TRY(checkBias(__func__, "bias2", view(bias2), &s, LSTM_PARTS));
  THNN_TRY(checkParts(__func__, "output", view(output), &s, 1, 1));
  THNN_TRY(checkParts(__func__, "outputCell", view(outputCell), &s, 1, 1));

  Call call;
  THNN_enter(&call, state, __func__);
  const Addends to = {THNN_in(&call, view(hidden)), THNN_in(&call, view(bias1)), THNN_in(&call, view(bias2))};
  const real *c = THNN_in(&call, view(cell));
  real *x = THNN_acc(&call, view(input)), *y = THNN_out(&call, view(output)), *cy = THNN_out(&call, view(outputCell));
  if (THNN_ready(&call)) lstmForward(&call, x, to, c, y, cy, s);
  return THNN_leave(&call);
}

int32_t THNN_(LSTMFused_updateGradInput)(THNNState *state, const THTensor *storage, THTensor *gradInGates, const THTensor *cx,
                                         const THTensor *cy, const THTensor *gradOutput, const THTensor *gradOutputCell,
                                         THTensor *gradInputCx)
{
  Cells s;
  THNN_TRY(checkCells(__func__, "cx", view(cx), &s));
  THNN_TRY(checkParts(__func__, "storage", view(storage), &s, LSTM_PARTS, 0));
  THNN_TRY(checkParts(__func__, "gradInGates", view(gradInGates), &s, LSTM_PARTS, 1));
  THNN_TRY(checkParts(__func__, "cy", view(cy), &s, 1, 0));
  THNN_TRY(checkParts(__func__, "gradOutput", view(gradOutput), &s, 1, 0));
  THNN_TRY(checkParts(__func__, "gradOutputCell", view(gradOutputCell), &s, 1, 0));
  THNN_TRY(checkParts(__func__, "gradInputCx", view(gradInputCx), &s, 1, 1));

  Call call;
  THNN_enter(&call, state, __func__);
  const GatesBackward b = {
      .gates = THNN_in(&call, view(storage)),
      .before = THNN_in(&call, view(cx)),
      .after = THNN_in(&call, view(cy)),
      .gradOutput = THNN_in(&call, view(gradOutput)),
      .gradCell = THNN_in(&call, view(gradOutputCell)),
      .gradGates = THNN_out(&call, view(gradInGates)),
      .gradBefore = THNN_out(&call, view(gradInputCx)),
  };
  if (THNN_ready(&call)) lstmBackward(&call, &b, s);
  return THNN_leave(&call);
}
