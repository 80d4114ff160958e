/* LSTMSequence: long short-term memory over a sequence, after the product of its inputs with their weights.
 *
 *   (i, f, g, o)[t] = gates[t] + h[t-1] weight + bias   four rows of hiddenSize; then sigmoid, sigmoid, tanh, sigmoid
 *   cell[t]         = f[t] * cell[t-1] + i[t] * g[t]
 *   h[t]            = o[t] * tanh(cell[t])            which is output[t]
 *
 * with h[-1] = h0 and cell[-1] = c0. Backward goes from the last step to the first one, with s = tanh(cell[t]):
 *
 *   dh         = gradOutput[t] + gradHidden
 *   dc         = gradCell + dh * o * (1 - s^2)
 *   gradGates  = (dc * g * i * (1 - i), dc * cell[t-1] * f * (1 - f), dc * i * (1 - g^2), dh * s * o * (1 - o))
 *   gradHidden = gradGates weight^T,  gradCell = dc * f
 *
 *   gates, gradGates              T x N x 4 * hiddenSize; gates become i, f, g and o, which backward reads
 *   output, cell, gradOutput      T x N x hiddenSize
 *   weight, bias                  hiddenSize x 4 * hiddenSize, 4 * hiddenSize
 *   h0, c0, gradHidden, gradCell  N x hiddenSize; the gradients are those of the last step's state, and become those of h0 and c0
 *   order                         0: the four rows are in the order i, f, g, o, as in cuDNN; 1: i, f, o, g, as in rnn
 *
 * Samples are independent of each other: if the weight is small, each thread has all steps of some samples. Otherwise threads share the
 * work of a step, which depends on the step before. Each thread has the same cells of one sample in all steps. */
#include "declared/LSTMSequence.h"
#include "recurrent/sequence.h"

#ifndef THNN_CUDA /* THCUNN/recurrent/LSTMSequence.cu has its own */
/* Cells begin to end of one step of one sample. */
THNN_KERNEL void cells(real *restrict gates, const real *restrict bias, const real *restrict before, real *restrict output,
                       real *restrict after, int64_t begin, int64_t end, const Sequence *s)
{
  real *restrict gi = gates, *restrict gf = gates + s->hidden, *restrict gg = gates + s->g, *restrict go = gates + s->o;
  const real *restrict bi = bias, *restrict bf = bias + s->hidden, *restrict bg = bias + s->g, *restrict bo = bias + s->o;
  for (int64_t k = begin; k < end; k++) {
    const real i = real_sigmoid(gi[k] + bi[k]), f = real_sigmoid(gf[k] + bf[k]);
    const real g = real_tanh(gg[k] + bg[k]), o = real_sigmoid(go[k] + bo[k]);
    const real c = f * before[k] + i * g;
    after[k] = c;
    output[k] = o * real_tanh(c);
    gi[k] = i;
    gf[k] = f;
    gg[k] = g;
    go[k] = o;
  }
}

/* The backward pass of cells and gates. gradHidden is read and set to zeros, to which the step before adds. */
THNN_KERNEL void gradients(const real *restrict gates, real *restrict gradGates, const real *restrict before, const real *restrict after,
                           const real *restrict gradOutput, real *restrict gradHidden, real *restrict gradCell, int64_t begin,
                           int64_t end, const Sequence *s)
{
  for (int64_t k = begin; k < end; k++) {
    const real i = gates[k], f = gates[k + s->hidden], g = gates[k + s->g], o = gates[k + s->o];
    const real t = real_tanh(after[k]), dh = gradOutput[k] + gradHidden[k], dc = gradCell[k] + dh * o * (1 - t * t);
    gradGates[k] = dc * g * i * (1 - i);
    gradGates[k + s->hidden] = dc * before[k] * f * (1 - f);
    gradGates[k + s->g] = dc * i * (1 - g * g);
    gradGates[k + s->o] = dh * t * o * (1 - o);
    gradCell[k] = dc * f;
    gradHidden[k] = 0;
  }
}

/* One sample: cells and gates of a step follow from all cells of the step before. */
static void forwardBlock(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s)
{
  const LstmSteps *m = pass;
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden;
  real *gates = m->gates + t * row, *output = m->output + t * hidden, *cell = m->cell + t * hidden;
  const real *h = t ? output - hidden : m->h0, *c = t ? cell - hidden : m->c0;
  for (int64_t k = 0; k < LSTM_PARTS; k++) {
    const int64_t gate = t % 2 ? LSTM_PARTS - 1 - k : k; /* as blocks, to and fro */
    addColumns(gates + gate * hidden + begin, h, w, gatePanel(w, gate, begin), hidden, end - begin);
  }
  cells(gates, m->bias, c, output, cell, begin, end, s);
}

static void forwardOne(const LstmSteps *m, const Panels *w, const Shares *shares, const Sequence *s)
{
#pragma omp parallel num_threads((int)shares->parts)
  for (int64_t t = 0; t < s->steps; t++) forBlocks(forwardBlock, m, w, t, shares, s);
}

/* All steps of samples [first, last). */
static void forwardSome(Call *call, int threads, const LstmSteps *m, const real *packed, int64_t first, int64_t last, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden;
  const real *h = m->h0, *c = m->c0;
  for (int64_t t = 0; t < s->steps; t++) {
    real *gates = m->gates + t * s->samples * row, *output = m->output + t * s->samples * hidden, *cell = m->cell + t * s->samples * hidden;
    THNN_(gemmPacked)(call, threads, last - first, row, hidden, h + first * hidden, hidden, packed, 1, gates + first * row, row);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = first; i < last; i++)
      cells(gates + i * row, m->bias, c + i * hidden, output + i * hidden, cell + i * hidden, 0, hidden, s);
    h = output;
    c = cell;
  }
}

static void forward(Call *call, const LstmSteps *m, const real *weight, const Sequence *s)
{
  const int threads = sequenceThreads(call, s), parts = isApart(s) ? threads : 1;
  const int64_t n = s->samples, row = LSTM_PARTS * s->hidden;
  if (n == 1) {
    const Shares shares = planShares(call, s);
    const Panels panels = packPanels(call, weight, 0, &shares, s);
    if (THNN_ready(call)) forwardOne(m, &panels, &shares, s);
    return;
  }
  const real *packed = THNN_(packGemm)(call, threads, (int)s->isTransposed, row, s->hidden, weight, s->columns);
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;
#pragma omp parallel for num_threads(parts)
  for (int64_t part = 0; part < parts; part++)
    forwardSome(call, threads / parts, m, packed, n * part / parts, n * (part + 1) / parts, s);
}

/* Cells of step t of sample n. */
static void stepGradients(const LstmBackwardSteps *b, int64_t t, int64_t n, int64_t begin, int64_t end, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden, at = t * s->samples + n;
  gradients(b->gates + at * row, b->gradGates + at * row, t ? b->cell + (at - s->samples) * hidden : b->c0 + n * hidden,
            b->cell + at * hidden, b->gradOutput + at * hidden, b->gradHidden + n * hidden, b->gradCell + n * hidden, begin, end, s);
}

/* Adds the gradients of step t + 1 to gradHidden, then computes step t; step -1 is h0. */
static void backwardBlock(const void *pass, const Panels *w, int64_t t, int64_t begin, int64_t end, const Sequence *s)
{
  const LstmBackwardSteps *b = pass;
  const int64_t row = LSTM_PARTS * s->hidden;
  if (t < s->steps - 1) addColumns(b->gradHidden + begin, b->gradGates + (t + 1) * row, w, gatePanel(w, 0, begin), row, end - begin);
  if (t >= 0) stepGradients(b, t, 0, begin, end, s);
}

static void backwardOne(const LstmBackwardSteps *b, const Panels *w, const Shares *shares, const Sequence *s)
{
#pragma omp parallel num_threads((int)shares->parts)
  for (int64_t t = s->steps - 1; t >= -1; t--) forBlocks(backwardBlock, b, w, t, shares, s);
}

static void backwardSome(Call *call, int threads, const LstmBackwardSteps *b, const real *packed, int64_t first, int64_t last, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden;
  for (int64_t t = s->steps - 1; t >= 0; t--) {
#pragma omp parallel for num_threads(threads)
    for (int64_t n = first; n < last; n++) stepGradients(b, t, n, 0, hidden, s);
    THNN_(gemmPacked)(call, threads, last - first, hidden, row, b->gradGates + (t * s->samples + first) * row, row, packed, 1,
                      b->gradHidden + first * hidden, hidden);
  }
}

static void backward(Call *call, const LstmBackwardSteps *b, const real *weight, const Sequence *s)
{
  const int threads = sequenceThreads(call, s), parts = isApart(s) ? threads : 1;
  const int64_t n = s->samples, row = LSTM_PARTS * s->hidden;
  if (n == 1) {
    const Shares shares = planShares(call, s);
    const Panels panels = packPanels(call, weight, 1, &shares, s);
    if (THNN_ready(call)) backwardOne(b, &panels, &shares, s);
    return;
  }
  const real *packed = THNN_(packGemm)(call, threads, !s->isTransposed, s->hidden, row, weight, s->columns);
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;
#pragma omp parallel for num_threads(parts)
  for (int64_t part = 0; part < parts; part++)
    backwardSome(call, threads / parts, b, packed, n * part / parts, n * (part + 1) / parts, s);
}
#endif

static int32_t checkLstm(const char *f, View gates, View weight, int32_t order, Sequence *s)
{
  THNN_TRY(checkSequence(f, gates, weight, LSTM_PARTS, s));
  THNN_TRY(THNN_checkRange(f, "order", order, 0, 1));
  s->g = (order == 0 ? 2 : 3) * s->hidden;
  s->o = (order == 0 ? 3 : 2) * s->hidden;
  return THNN_OK;
}

int32_t THNN_(LSTMSequence_updateOutput)(THNNState *state, THTensor *gates, THTensor *output, THTensor *cell, const THTensor *weight,
                                         const THTensor *bias, const THTensor *h0, const THTensor *c0, int32_t order)
{
  Sequence s;
  THNN_TRY(checkLstm(__func__, view(gates), view(weight), order, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gates", view(gates), 3, gates->size));
  THNN_TRY(checkSequenceCells(__func__, "output", view(output), &s, 0, 1));
  THNN_TRY(checkSequenceCells(__func__, "cell", view(cell), &s, 0, 1));
  THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, gates->size + 2));
  THNN_TRY(checkSequenceCells(__func__, "h0", view(h0), &s, 1, 0));
  THNN_TRY(checkSequenceCells(__func__, "c0", view(c0), &s, 1, 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, storedView(view(weight), &s));
  const LstmSteps m = {
      .bias = THNN_in(&call, view(bias)),
      .h0 = THNN_in(&call, view(h0)),
      .c0 = THNN_in(&call, view(c0)),
      .gates = THNN_acc(&call, view(gates)),
      .output = THNN_out(&call, view(output)),
      .cell = THNN_out(&call, view(cell)),
  };
  if (THNN_ready(&call)) forward(&call, &m, w, &s);
  return THNN_leave(&call);
}

int32_t THNN_(LSTMSequence_updateGradInput)(THNNState *state, const THTensor *gates, const THTensor *gradOutput, THTensor *gradGates,
                                            THTensor *gradHidden, THTensor *gradCell, const THTensor *weight, const THTensor *c0,
                                            const THTensor *cell, int32_t order)
{
  Sequence s;
  THNN_TRY(checkLstm(__func__, view(gates), view(weight), order, &s));
  THNN_TRY(checkSequenceCells(__func__, "gradOutput", view(gradOutput), &s, 0, 0));
  THNN_TRY(checkSequenceCells(__func__, "c0", view(c0), &s, 1, 0));
  THNN_TRY(checkSequenceCells(__func__, "cell", view(cell), &s, 0, 0));
  THNN_TRY(THNN_checkOutput(__func__, "gradGates", view(gradGates), 3, gates->size));
  THNN_TRY(checkSequenceCells(__func__, "gradHidden", view(gradHidden), &s, 1, 1));
  THNN_TRY(checkSequenceCells(__func__, "gradCell", view(gradCell), &s, 1, 1));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, storedView(view(weight), &s));
  const LstmBackwardSteps b = {
      .gates = THNN_in(&call, view(gates)),
      .gradOutput = THNN_in(&call, view(gradOutput)),
      .cell = THNN_in(&call, view(cell)),
      .c0 = THNN_in(&call, view(c0)),
      .gradGates = THNN_out(&call, view(gradGates)),
      .gradHidden = THNN_acc(&call, view(gradHidden)),
      .gradCell = THNN_acc(&call, view(gradCell)),
  };
  if (THNN_ready(&call)) backward(&call, &b, w, &s);
  return THNN_leave(&call);
}
