/* GRUSequence: gated recurrent units over a sequence, after the product of its inputs with their weights.
 *
 *   (r, z)[t] = sigmoid(gates[t] + h[t-1] weight + bias)           the first two of three rows of hiddenSize
 *   g[t]      = tanh(gates[t] + bias + u)                          the third one, where
 *               reset[t] = r * h[t-1],           u = reset weight  if resetFirst, as in rnn; else, as in cuDNN,
 *               reset[t] = h[t-1] weight + bias, u = r * reset
 *   h[t]      = g + z * (h[t-1] - g)                               which is output[t]
 *
 * with h[-1] = h0. Backward goes from the last step to the first one:
 *
 *   dh         = gradOutput[t] + gradHidden
 *   dg         = dh * (1 - z) * (1 - g^2),   dz = dh * (h[t-1] - g) * z * (1 - z)
 *   resetFirst:  gradReset = dg weight^T,    dr = gradReset * h[t-1] * r * (1 - r),   gradHidden = dh * z + gradReset * r
 *   else:        gradReset = dg * r,         dr = dg * reset * r * (1 - r),           gradHidden = dh * z + gradReset weight^T
 *   gradHidden += (dr, dz) weight^T
 *
 *   gates, gradGates                      T x N x 3 * hiddenSize; gates become r, z and g, which backward reads; gradGates are dr, dz, dg
 *   output, reset, gradOutput, gradReset  T x N x hiddenSize
 *   weight                                hiddenSize x 3 * hiddenSize
 *   bias                                  3 * hiddenSize: of r, z and g; if not resetFirst 4 * hiddenSize, the last ones are of reset
 *   h0, gradHidden                        N x hiddenSize; gradHidden is that of the last step's state, and becomes that of h0
 *   mask                                  T x N, or none: where it is not 0, gates and output are 0, and the gradient of the output is
 *                                         taken for 0, so that the next step begins anew
 *
 * Threads share the steps as in LSTMSequence. */
#include "declared/GRUSequence.h"
#include "recurrent/sequence.h"

#ifndef THNN_CUDA /* THCUNN/recurrent/GRUSequence.cu has its own */
static int isMasked(const real *mask, int64_t at) { return mask && mask[at] != 0; }

/* Computes r and z, for cells [begin, end) of one step of one sample, once the terms of h have been added to the gates; if not
 * resetFirst, reset is h weight. */
THNN_KERNEL void openGates(real *restrict gates, const real *restrict bias, real *restrict reset, const real *restrict h, int64_t begin,
                           int64_t end, const Sequence *s)
{
  const int64_t hidden = s->hidden;
  real *restrict gr = gates, *restrict gz = gates + hidden, *restrict gg = gates + 2 * hidden;
  const real *restrict ofReset = bias + 3 * hidden;
  for (int64_t k = begin; k < end; k++) {
    gr[k] = real_sigmoid(gr[k] + bias[k]);
    gz[k] = real_sigmoid(gz[k] + bias[k + hidden]);
  }
  if (s->resetFirst)
    for (int64_t k = begin; k < end; k++) reset[k] = gr[k] * h[k];
  else
    for (int64_t k = begin; k < end; k++) {
      reset[k] += ofReset[k];
      gg[k] += gr[k] * reset[k];
    }
}

/* Computes the gates and the output after all sums are complete. */
THNN_KERNEL void finish(real *restrict gates, const real *restrict bias, const real *restrict h, real *restrict output, int masked,
                        int64_t begin, int64_t end, const Sequence *s)
{
  real *restrict gr = gates, *restrict gz = gates + s->hidden, *restrict gg = gates + 2 * s->hidden;
  const real *restrict bg = bias + 2 * s->hidden;
  if (masked)
    for (int64_t k = begin; k < end; k++) gr[k] = gz[k] = gg[k] = output[k] = 0;
  else
    for (int64_t k = begin; k < end; k++) {
      const real g = real_tanh(gg[k] + bg[k]);
      output[k] = g + gz[k] * (h[k] - g);
      gg[k] = g;
    }
}

/* The backward pass of cells and gates. If resetFirst, a product is added to gradReset, from which `throughReset` computes the gradient
 * of r. */
THNN_KERNEL void gradients(const real *restrict gates, const real *restrict reset, const real *restrict h, const real *restrict gradOutput,
                           real *restrict gradHidden, real *restrict gradGates, real *restrict gradReset, int masked, int64_t begin,
                           int64_t end, const Sequence *s)
{
  for (int64_t k = begin; k < end; k++) {
    const real r = gates[k], z = gates[k + s->hidden], g = gates[k + 2 * s->hidden];
    const real dh = masked ? 0 : gradOutput[k] + gradHidden[k], dg = dh * (1 - z) * (1 - g * g);
    gradGates[k] = dg * reset[k] * r * (1 - r);
    gradGates[k + s->hidden] = dh * (h[k] - g) * z * (1 - z);
    gradGates[k + 2 * s->hidden] = dg;
    gradReset[k] = s->resetFirst ? 0 : dg * r;
    gradHidden[k] = dh * z;
  }
}

THNN_KERNEL void throughReset(const real *restrict gates, const real *restrict h, const real *restrict gradReset,
                              real *restrict gradHidden, real *restrict gradGates, int64_t begin, int64_t end)
{
  for (int64_t k = begin; k < end; k++) {
    gradGates[k] = gradReset[k] * h[k] * gates[k] * (1 - gates[k]);
    gradHidden[k] += gradReset[k] * gates[k];
  }
}

/* ---- one sample: what a step needs of all cells is there when threads have met */

/* r and z, and all of g and the output that follows from the state; the rest waits for reset of all cells. */
static void openBlock(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s)
{
  const GruSteps *m = pass;
  const int64_t hidden = s->hidden, n = end - begin;
  real *gates = m->gates + t * GRU_PARTS * hidden, *reset = m->reset + t * hidden, *output = m->output + t * hidden;
  const real *h = t ? output - hidden : m->h0;
  addColumns(gates + begin, h, w, gatePanel(w, 0, begin), hidden, n);
  addColumns(gates + hidden + begin, h, w, gatePanel(w, 1, begin), hidden, n);
  if (!s->resetFirst) {
    memset(reset + begin, 0, (size_t)n * sizeof(real));
    addColumns(reset + begin, h, w, gatePanel(w, 2, begin), hidden, n);
  }
  openGates(gates, m->bias, reset, h, begin, end, s);
  if (!s->resetFirst) finish(gates, m->bias, h, output, isMasked(m->mask, t), begin, end, s);
}

static void finishBlock(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s)
{
  const GruSteps *m = pass;
  const int64_t hidden = s->hidden;
  real *gates = m->gates + t * GRU_PARTS * hidden, *output = m->output + t * hidden;
  addColumns(gates + 2 * hidden + begin, m->reset + t * hidden, w, gatePanel(w, 2, begin), hidden, end - begin);
  finish(gates, m->bias, t ? output - hidden : m->h0, output, isMasked(m->mask, t), begin, end, s);
}

static void forwardOne(const GruSteps *m, const Panels *w, const Shares *shares, const Sequence *s)
{
#pragma omp parallel num_threads((int)shares->parts)
  for (int64_t t = 0; t < s->steps; t++) {
    forBlocks(openBlock, m, w, t, shares, s);
    if (s->resetFirst) forBlocks(finishBlock, m, w, t, shares, s);
  }
}

/* The state of sample n before step t. */
static const real *before(const GruBackwardSteps *b, int64_t t, int64_t n, const Sequence *s)
{
  return t ? b->output + ((t - 1) * s->samples + n) * s->hidden : b->h0 + n * s->hidden;
}

/* Cells of step t of sample n. */
static void stepGradients(const GruBackwardSteps *b, int64_t t, int64_t n, int64_t begin, int64_t end, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = GRU_PARTS * hidden, at = t * s->samples + n;
  gradients(b->gates + at * row, b->reset + at * hidden, before(b, t, n, s), b->gradOutput + at * hidden, b->gradHidden + n * hidden,
            b->gradGates + at * row, b->gradReset + at * hidden, isMasked(b->mask, at), begin, end, s);
}

static void resetGradients(const GruBackwardSteps *b, int64_t t, int64_t n, int64_t begin, int64_t end, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = GRU_PARTS * hidden, at = t * s->samples + n;
  throughReset(b->gates + at * row, before(b, t, n, s), b->gradReset + at * hidden, b->gradHidden + n * hidden, b->gradGates + at * row,
               begin, end);
}

/* Adds the gradients of step t + 1 to gradHidden, then computes step t; step -1 is h0. The weights of g are the last rows of w. */
static void backwardBlock(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s)
{
  const GruBackwardSteps *b = pass;
  const int64_t hidden = s->hidden, toG = 2 * hidden, after = t + 1, n = end - begin;
  const real *both = gatePanel(w, 0, begin), *g = both + toG * w->row;
  real *gradHidden = b->gradHidden + begin;
  if (after < s->steps) addColumns(gradHidden, b->gradGates + after * GRU_PARTS * hidden, w, both, toG, n);
  if (after < s->steps && !s->resetFirst) addColumns(gradHidden, b->gradReset + after * hidden, w, g, hidden, n);
  if (t >= 0) stepGradients(b, t, 0, begin, end, s);
}

static void resetBlock(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s)
{
  const GruBackwardSteps *b = pass;
  const int64_t hidden = s->hidden, toG = 2 * hidden;
  const real *g = gatePanel(w, 0, begin) + toG * w->row;
  addColumns(b->gradReset + t * hidden + begin, b->gradGates + t * GRU_PARTS * hidden + toG, w, g, hidden, end - begin);
  resetGradients(b, t, 0, begin, end, s);
}

static void backwardOne(const GruBackwardSteps *b, const Panels *w, const Shares *shares, const Sequence *s)
{
#pragma omp parallel num_threads((int)shares->parts)
  for (int64_t t = s->steps - 1; t >= -1; t--) {
    forBlocks(backwardBlock, b, w, t, shares, s);
    if (t >= 0 && s->resetFirst) forBlocks(resetBlock, b, w, t, shares, s);
  }
}

/* ---- more samples: products with weights that are packed once */

/* The weights of r and z, and those of g; transposed for the way back. */
typedef struct Packed {
  const real *both, *g;
} Packed;

static Packed packed(Call *call, int threads, const real *weight, int isBack, const Sequence *s)
{
  const int64_t hidden = s->hidden, toG = 2 * hidden;
  const int readsColumns = isBack != (int)s->isTransposed;
  return (Packed){THNN_(packGemm)(call, threads, readsColumns, isBack ? hidden : toG, isBack ? toG : hidden, weight, s->columns),
                  THNN_(packGemm)(call, threads, readsColumns, hidden, hidden, columnsFrom(weight, toG, s), s->columns)};
}

/* All steps of samples [first, last). */
static void forwardSome(Call *call, int threads, const GruSteps *m, Packed w, int64_t first, int64_t last, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = GRU_PARTS * hidden, toG = 2 * hidden, n = last - first;
  const real *h = m->h0;
  for (int64_t t = 0; t < s->steps; t++) {
    const int64_t at = t * s->samples;
    real *gates = m->gates + at * row, *reset = m->reset + at * hidden, *output = m->output + at * hidden;
    THNN_(gemmPacked)(call, threads, n, toG, hidden, h + first * hidden, hidden, w.both, 1, gates + first * row, row);
    if (!s->resetFirst) THNN_(gemmPacked)(call, threads, n, hidden, hidden, h + first * hidden, hidden, w.g, 0, reset + first * hidden, hidden);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = first; i < last; i++) openGates(gates + i * row, m->bias, reset + i * hidden, h + i * hidden, 0, hidden, s);
    if (s->resetFirst) THNN_(gemmPacked)(call, threads, n, hidden, hidden, reset + first * hidden, hidden, w.g, 1, gates + first * row + toG, row);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = first; i < last; i++)
      finish(gates + i * row, m->bias, h + i * hidden, output + i * hidden, isMasked(m->mask, at + i), 0, hidden, s);
    h = output;
  }
}

static void backwardSome(Call *call, int threads, const GruBackwardSteps *b, Packed w, int64_t first, int64_t last, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = GRU_PARTS * hidden, toG = 2 * hidden, n = last - first;
  for (int64_t t = s->steps - 1; t >= 0; t--) {
    const int64_t at = t * s->samples + first;
    real *gradGates = b->gradGates + at * row, *gradReset = b->gradReset + at * hidden, *gradHidden = b->gradHidden + first * hidden;
#pragma omp parallel for num_threads(threads)
    for (int64_t i = first; i < last; i++) stepGradients(b, t, i, 0, hidden, s);
    if (s->resetFirst) {
      THNN_(gemmPacked)(call, threads, n, hidden, hidden, gradGates + toG, row, w.g, 1, gradReset, hidden);
#pragma omp parallel for num_threads(threads)
      for (int64_t i = first; i < last; i++) resetGradients(b, t, i, 0, hidden, s);
    } else THNN_(gemmPacked)(call, threads, n, hidden, hidden, gradReset, hidden, w.g, 1, gradHidden, hidden);
    THNN_(gemmPacked)(call, threads, n, hidden, toG, gradGates, row, w.both, 1, gradHidden, hidden);
  }
}

static void forward(Call *call, const GruSteps *m, const real *weight, const Sequence *s)
{
  const int threads = sequenceThreads(call, s), parts = isApart(s) ? threads : 1;
  const int64_t n = s->samples;
  if (n == 1) {
    const Shares shares = planShares(call, s);
    const Panels panels = packPanels(call, weight, 0, &shares, s);
    if (THNN_ready(call)) forwardOne(m, &panels, &shares, s);
    return;
  }
  const Packed w = packed(call, threads, weight, 0, s);
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;
#pragma omp parallel for num_threads(parts)
  for (int64_t part = 0; part < parts; part++) forwardSome(call, threads / parts, m, w, n * part / parts, n * (part + 1) / parts, s);
}

static void backward(Call *call, const GruBackwardSteps *b, const real *weight, const Sequence *s)
{
  const int threads = sequenceThreads(call, s), parts = isApart(s) ? threads : 1;
  const int64_t n = s->samples;
  if (n == 1) {
    const Shares shares = planShares(call, s);
    const Panels panels = packPanels(call, weight, 1, &shares, s);
    if (THNN_ready(call)) backwardOne(b, &panels, &shares, s);
    return;
  }
  const Packed w = packed(call, threads, weight, 1, s);
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;
#pragma omp parallel for num_threads(parts)
  for (int64_t part = 0; part < parts; part++) backwardSome(call, threads / parts, b, w, n * part / parts, n * (part + 1) / parts, s);
}
#endif

static int32_t checkGru(const char *f, View gates, View weight, View h0, View mask, int32_t resetFirst, Sequence *s)
{
  THNN_TRY(checkSequence(f, gates, weight, GRU_PARTS, s));
  THNN_TRY(THNN_checkRange(f, "resetFirst", resetFirst, 0, 1));
  s->resetFirst = resetFirst;
  THNN_TRY(checkSequenceCells(f, "h0", h0, s, 1, 0));
  return mask.size ? THNN_checkShape(f, "mask", mask, 2, gates.size) : THNN_OK;
}

int32_t THNN_(GRUSequence_updateOutput)(THNNState *state, THTensor *gates, THTensor *output, THTensor *reset, const THTensor *weight,
                                        const THTensor *bias, const THTensor *h0, const THTensor *mask, int32_t resetFirst)
{
  Sequence s;
  THNN_TRY(checkGru(__func__, view(gates), view(weight), view(h0), view(mask), resetFirst, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gates", view(gates), 3, gates->size));
  THNN_TRY(checkSequenceCells(__func__, "output", view(output), &s, 0, 1));
  THNN_TRY(checkSequenceCells(__func__, "reset", view(reset), &s, 0, 1));
  const int64_t biases = (resetFirst ? 3 : 4) * s.hidden;
  THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &biases));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, storedView(view(weight), &s));
  const GruSteps m = {
      .bias = THNN_in(&call, view(bias)),
      .h0 = THNN_in(&call, view(h0)),
      .mask = THNN_in(&call, view(mask)),
      .gates = THNN_acc(&call, view(gates)),
      .output = THNN_out(&call, view(output)),
      .reset = THNN_out(&call, view(reset)),
  };
  if (THNN_ready(&call)) forward(&call, &m, w, &s);
  return THNN_leave(&call);
}

int32_t THNN_(GRUSequence_updateGradInput)(THNNState *state, const THTensor *gates, const THTensor *gradOutput, THTensor *gradGates,
                                           THTensor *gradReset, THTensor *gradHidden, const THTensor *weight, const THTensor *h0,
                                           const THTensor *output, const THTensor *reset, const THTensor *mask, int32_t resetFirst)
{
  Sequence s;
  THNN_TRY(checkGru(__func__, view(gates), view(weight), view(h0), view(mask), resetFirst, &s));
  THNN_TRY(checkSequenceCells(__func__, "gradOutput", view(gradOutput), &s, 0, 0));
  THNN_TRY(checkSequenceCells(__func__, "output", view(output), &s, 0, 0));
  THNN_TRY(checkSequenceCells(__func__, "reset", view(reset), &s, 0, 0));
  THNN_TRY(THNN_checkOutput(__func__, "gradGates", view(gradGates), 3, gates->size));
  THNN_TRY(checkSequenceCells(__func__, "gradReset", view(gradReset), &s, 0, 1));
  THNN_TRY(checkSequenceCells(__func__, "gradHidden", view(gradHidden), &s, 1, 1));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, storedView(view(weight), &s));
  const GruBackwardSteps b = {
      .gates = THNN_in(&call, view(gates)),
      .gradOutput = THNN_in(&call, view(gradOutput)),
      .output = THNN_in(&call, view(output)),
      .reset = THNN_in(&call, view(reset)),
      .h0 = THNN_in(&call, view(h0)),
      .mask = THNN_in(&call, view(mask)),
      .gradGates = THNN_out(&call, view(gradGates)),
      .gradReset = THNN_out(&call, view(gradReset)),
      .gradHidden = THNN_acc(&call, view(gradHidden)),
  };
  if (THNN_ready(&call)) backward(&call, &b, w, &s);
  return THNN_leave(&call);
}
