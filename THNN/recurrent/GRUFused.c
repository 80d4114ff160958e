/* GRUFused: the elementwise part of a gated recurrent unit, after the two matrix products.
 *
 *   (ir, ii, in) = input + bias1,  (hr, hi, hn) = hidden + bias2         three rows of hiddenSize each
 *   r = sigmoid(ir + hr)                              resets,
 *   i = sigmoid(ii + hi)                              keeps what was,
 *   n = tanh(in + r * hn)                             is new
 *   output  = n + i * (hx - n)
 *   storage = (r, i, n, hx, hn)                       for backward, which computes
 *
 *   gradInInput  = (gr, gi, gn),   gradInHidden = (gr, gi, gn * r),   gradInputHx = gradOutput * i,   where
 *   gn = gradOutput * (1 - i) * (1 - n^2),  gi = gradOutput * (hx - n) * i * (1 - i),  gr = gn * hn * r * (1 - r)
 *
 *   input, hidden, gradInInput, gradInHidden   (N x) 3 * hiddenSize
 *   bias1, bias2                               3 * hiddenSize, or none
 *   storage                                    (N x) 5 * hiddenSize
 *   hx, output, gradOutput, gradInputHx        (N x) hiddenSize
 * All results are overwritten. Torch's libraries had this layer for hosts, in CUDA; no class of Torch7 used it. */
#include "declared/GRUFused.h"
#include "recurrent/gates.h"

enum { STORED = 5 };

#ifndef THNN_CUDA
THNN_KERNEL void forward(const real *restrict input, const real *restrict hidden, const real *restrict bias1,
                         const real *restrict bias2, const real *restrict hx, real *restrict output, real *restrict storage,
                         int64_t size)
{
  for (int64_t k = 0; k < size; k++) {
    const int64_t kr = k, ki = k + size, kn = k + 2 * size;
    const real r = real_sigmoid(input[kr] + hidden[kr] + (bias1[kr] + bias2[kr]));
    const real i = real_sigmoid(input[ki] + hidden[ki] + (bias1[ki] + bias2[ki]));
    const real hn = hidden[kn] + bias2[kn], n = real_tanh(input[kn] + bias1[kn] + r * hn), h = hx[k];
    output[k] = n + i * (h - n);
    storage[kr] = r;
    storage[ki] = i;
    storage[kn] = n;
    storage[k + 3 * size] = h;
    storage[k + 4 * size] = hn;
  }
}

THNN_KERNEL void backward(real *restrict gradInput, real *restrict gradHidden, const real *restrict gradOutput,
                          real *restrict gradHx, const real *restrict storage, int64_t size)
{
  for (int64_t k = 0; k < size; k++) {
    const int64_t kr = k, ki = k + size, kn = k + 2 * size;
    const real r = storage[kr], i = storage[ki], n = storage[kn], h = storage[k + 3 * size], hn = storage[k + 4 * size];
    const real gn = gradOutput[k] * (1 - i) * (1 - n * n);
    gradInput[kr] = gradHidden[kr] = gn * hn * r * (1 - r);
    gradInput[ki] = gradHidden[ki] = gradOutput[k] * (h - n) * i * (1 - i);
    gradInput[kn] = gn;
    gradHidden[kn] = gn * r;
    gradHx[k] = gradOutput[k] * i;
  }
}

static void gruForward(Call *call, const real *x, Addends to, const real *hx, real *y, real *stored, Cells s)
{
  const int threads = cellThreads(call, &s);
  const int64_t n = s.hidden;
  const real *b1 = biasOrZeros(call, to.bias1, GRU_PARTS * n), *b2 = biasOrZeros(call, to.bias2, GRU_PARTS * n);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s.samples; i++)
    forward(x + i * GRU_PARTS * n, to.hidden + i * GRU_PARTS * n, b1, b2, hx + i * n, y + i * n, stored + i * STORED * n, n);
}

static void gruBackward(Call *call, real *gx, real *gh, const real *g, real *ghx, const real *stored, Cells s)
{
  const int threads = cellThreads(call, &s);
  const int64_t n = s.hidden;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s.samples; i++)
    backward(gx + i * GRU_PARTS * n, gh + i * GRU_PARTS * n, g + i * n, ghx + i * n, stored + i * STORED * n, n);
}
#endif

int32_t THNN_(GRUFused_updateOutput)(THNNState *state, const THTensor *input, const THTensor *hidden, const THTensor *bias1,
                                     const THTensor *bias2, const THTensor *hx, THTensor *output, THTensor *storage)
{
  Cells s;
  THNN_TRY(checkCells(__func__, "hx", view(hx), &s));
  THNN_TRY(checkParts(__func__, "input", view(input), &s, GRU_PARTS, 0));
  THNN_TRY(checkParts(__func__, "hidden", view(hidden), &s, GRU_PARTS, 0));
  THNN_TRY(checkBias(__func__, "bias1", view(bias1), &s, GRU_PARTS));
  THNN_TRY(checkBias(__func__, "bias2", view(bias2), &s, GRU_PARTS));
  THNN_TRY(checkParts(__func__, "output", view(output), &s, 1, 1));
  THNN_TRY(checkParts(__func__, "storage", view(storage), &s, STORED, 1));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *cells = THNN_in(&call, view(hx));
  const Addends to = {THNN_in(&call, view(hidden)), THNN_in(&call, view(bias1)), THNN_in(&call, view(bias2))};
  real *y = THNN_out(&call, view(output)), *stored = THNN_out(&call, view(storage));
  if (THNN_ready(&call)) gruForward(&call, x, to, cells, y, stored, s);
  return THNN_leave(&call);
}

int32_t THNN_(GRUFused_updateGradInput)(THNNState *state, THTensor *gradInInput, THTensor *gradInHidden,
                                        const THTensor *gradOutput, THTensor *gradInputHx, const THTensor *storage)
{
  Cells s;
  THNN_TRY(checkCells(__func__, "gradOutput", view(gradOutput), &s));
  THNN_TRY(checkParts(__func__, "gradInInput", view(gradInInput), &s, GRU_PARTS, 1));
  THNN_TRY(checkParts(__func__, "gradInHidden", view(gradInHidden), &s, GRU_PARTS, 1));
  THNN_TRY(checkParts(__func__, "gradInputHx", view(gradInputHx), &s, 1, 1));
  THNN_TRY(checkParts(__func__, "storage", view(storage), &s, STORED, 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *g = THNN_in(&call, view(gradOutput)), *stored = THNN_in(&call, view(storage));
  real *gx = THNN_out(&call, view(gradInInput)), *gh = THNN_out(&call, view(gradInHidden));
  real *ghx = THNN_out(&call, view(gradInputHx));
  if (THNN_ready(&call)) gruBackward(&call, gx, gh, g, ghx, stored, s);
  return THNN_leave(&call);
}
