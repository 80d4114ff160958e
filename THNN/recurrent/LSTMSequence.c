/* LSTMSequence: long short-term memory over a sequence, after the product of its inputs with their weights.
 *
 *   (i, f, g, o)[t] = gates[t] + h[t-1] weight        four rows of hiddenSize; then sigmoid, sigmoid, tanh, sigmoid
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
 *   weight                        hiddenSize x 4 * hiddenSize
 *   h0, c0, gradHidden, gradCell  N x hiddenSize; the gradients are those of the last step's state, and become those of h0 and c0
 *   order                         0: the four rows lie in the order i, f, g, o, as cuDNN has them; 1: i, f, o, g, as rnn has them
 *
 * Samples do not wait for each other: where there are many, each thread takes all steps of some. Else a step's work is shared among
 * threads, for it waits for the step before; with one sample it takes as long as it takes to read weight once. */
#include "recurrent/sequence.h"

#ifndef THNN_CUDA /* THCUNN/recurrent/LSTMSequence.cu has its own */
#include "core/turn.h"

enum {
  MANY = 12,      /* samples, at least, that a thread takes for itself, */
  WEIGHT_BYTES = 1 << 19, /* if all weights are no more bytes than this: each thread reads them in each step */
  TASK_ROWS = 128,    /* rows of weight in a task, whose sums are added later */
  UNITS = 64,     /* cells in a task */
  LONGEST = 1024  /* terms of a sum in reals */
};

/* Cells begin to end of one step of one sample. */
THNN_KERNEL void cells(real *restrict gates, const real *restrict before, real *restrict output, real *restrict after, int64_t begin,
                       int64_t end, const Sequence *s)
{
  real *restrict gi = gates, *restrict gf = gates + s->hidden, *restrict gg = gates + s->g, *restrict go = gates + s->o;
  for (int64_t k = begin; k < end; k++) {
    const real i = real_sigmoid(gi[k]), f = real_sigmoid(gf[k]), g = real_tanh(gg[k]), o = real_sigmoid(go[k]);
    const real c = f * before[k] + i * g;
    after[k] = c;
    output[k] = o * real_tanh(c);
    gi[k] = i;
    gf[k] = f;
    gg[k] = g;
    go[k] = o;
  }
}

THNN_KERNEL void addRow(real *restrict y, const real *restrict x, int64_t n)
{
  for (int64_t k = 0; k < n; k++) y[k] += x[k];
}

/* Cells begin to end of one step of one sample. */
THNN_KERNEL void gradients(const real *restrict gates, real *restrict gradGates, const real *restrict before, const real *restrict after,
                           const real *restrict gradOutput, const real *restrict gradHidden, real *restrict gradCell, int64_t begin,
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
  }
}

/* sums = h weight, for one sample and the rows begin to end of weight. */
THNN_KERNEL void combine(real *restrict sums, const real *restrict h, const real *restrict weight, int64_t begin, int64_t end,
                         const Sequence *s)
{
  const int64_t row = LSTM_PARTS * s->hidden;
  memset(sums, 0, (size_t)row * sizeof(real));
  int64_t j = begin;
  for (; j + 4 <= end; j += 4) {
    const real *w0 = weight + j * row, *w1 = w0 + row, *w2 = w1 + row, *w3 = w2 + row, *x = h + j;
    for (int64_t k = 0; k < row; k++) sums[k] += x[0] * w0[k] + x[1] * w1[k] + x[2] * w2[k] + x[3] * w3[k];
  }
  for (; j < end; j++)
    for (int64_t k = 0; k < row; k++) sums[k] += h[j] * weight[j * row + k];
}

/* y[k] = x . matrix[k], for the rows begin to end of the matrix. */
THNN_KERNEL void dots(real *restrict y, const real *restrict x, const real *restrict matrix, int64_t columns, int64_t begin, int64_t end)
{
  for (int64_t k = begin; k < end; k += 4) {
    const real *w[4]; /* where rows end, the last one again */
    for (int64_t r = 0; r < 4; r++) w[r] = matrix + THNN_min(k + r, end - 1) * columns;
    double sum[4] = {0};
    for (int64_t first = 0; first < columns; first += LONGEST) {
      real sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
#pragma omp simd reduction(+ : sum0, sum1, sum2, sum3)
      for (int64_t i = first; i < THNN_min(first + LONGEST, columns); i++) {
        sum0 += x[i] * w[0][i];
        sum1 += x[i] * w[1][i];
        sum2 += x[i] * w[2][i];
        sum3 += x[i] * w[3][i];
      }
      sum[0] += sum0;
      sum[1] += sum1;
      sum[2] += sum2;
      sum[3] += sum3;
    }
    for (int64_t r = 0; r < THNN_min(4, end - k); r++) y[k + r] = (real)sum[r];
  }
}

static int isApart(const Sequence *s, int threads)
{
  return s->samples >= MANY * threads &&
         s->hidden * s->hidden <= WEIGHT_BYTES / LSTM_PARTS / (int64_t)sizeof(real);
}

static int threadsFor(const Call *call, const Sequence *s)
{
  return THNN_threads(call, THNN_min(s->samples, 1 << 20) * THNN_min(s->hidden * s->hidden, 1 << 30) * LSTM_PARTS);
}

/* The weight row by row, as the loops of one sample read it: how it lay changes no result. NULL if there is no memory. */
static const real *inRows(Call *call, int threads, const real *weight, const Sequence *s)
{
  if (!s->isTurned) return weight;
  enum { SOME = 16 };
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden;
  real *copy = THNN_scratch(call, hidden * row, sizeof(real));
  if (!copy) return NULL;
#pragma omp parallel for num_threads(threads)
  for (int64_t first = 0; first < row; first += SOME)
    for (int64_t k = 0; k < hidden; k += SOME)
      turn(copy + k * row + first, row, weight + first * hidden + k, hidden, THNN_min(SOME, row - first), THNN_min(SOME, hidden - k));
  return copy;
}

/* All steps of samples [begin, end), on one thread. */
static void forwardApart(Call *call, const Steps *m, const real *packed, int64_t begin, int64_t end, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden;
  const real *h = m->h0 + begin * hidden, *c = m->c0 + begin * hidden;
  for (int64_t t = 0; t < s->steps; t++) {
    const int64_t first = t * s->samples + begin;
    THNN_(gemmPacked)(call, 1, end - begin, row, hidden, h, hidden, packed, 1, m->gates + first * row, row);
    for (int64_t i = 0; i < end - begin; i++)
      cells(m->gates + (first + i) * row, c + i * hidden, m->output + (first + i) * hidden, m->cell + (first + i) * hidden, 0, hidden, s);
    h = m->output + first * hidden;
    c = m->cell + first * hidden;
  }
}

/* One sample: each task has some cells of a step. Packing the weights would take longer than it saves. */
static void forwardOne(int threads, const Steps *m, const real *weight, real *sums, int64_t share, const Sequence *s)
{
  const int64_t hidden = s->hidden, row = LSTM_PARTS * hidden, tasks = THNN_ceilDiv(hidden, TASK_ROWS);
  const real *h = m->h0, *c = m->c0;
  for (int64_t t = 0; t < s->steps; t++) {
    real *gates = m->gates + t * row, *output = m->output + t * hidden, *cell = m->cell + t * hidden;
#pragma omp parallel for num_threads(threads)
    for (int64_t task = 0; task < tasks; task++)
      combine(sums + task * share, h, weight, task * TASK_ROWS, THNN_min((task + 1) * TASK_ROWS, hidden), s);
#pragma omp parallel for num_threads(threads)
    for (int64_t begin = 0; begin < hidden; begin += UNITS) {
      const int64_t end = THNN_min(begin + UNITS, hidden);
      for (int64_t part = 0; part < LSTM_PARTS; part++)
        for (int64_t task = 0; task < tasks; task++)
          addRow(gates + part * hidden + begin, sums + task * share + part * hidden + begin, end - begin);
      cells(gates, c, output, cell, begin, end, s);
    }
    h = output;
    c = cell;
  }
}

static void forward(Call *call, const Steps *m, const real *weight, const Sequence *s)
{
  const int threads = threadsFor(call, s);
  const int64_t n = s->samples, hidden = s->hidden, row = LSTM_PARTS * hidden, share = THNN_perThread(row);
  if (n == 1) {
    weight = inRows(call, threads, weight, s);
    real *sums = THNN_scratch(call, THNN_ceilDiv(hidden, TASK_ROWS) * share, sizeof(real)); /* one for each task */
    if (THNN_ready(call)) forwardOne(threads, m, weight, sums, share, s);
    return;
  }
  const real *packed = THNN_(packGemm)(call, threads, (int)s->isTurned, row, hidden, weight, s->columns);
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;
  if (isApart(s, threads)) {
#pragma omp parallel for num_threads(threads)
    for (int64_t part = 0; part < threads; part++) forwardApart(call, m, packed, n * part / threads, n * (part + 1) / threads, s);
    return;
  }
  const real *h = m->h0, *c = m->c0;
  for (int64_t t = 0; t < s->steps; t++) {
    real *gates = m->gates + t * n * row, *output = m->output + t * n * hidden, *cell = m->cell + t * n * hidden;
    THNN_(gemmPacked)(call, threads, n, row, hidden, h, hidden, packed, 1, gates, row);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < n; i++) cells(gates + i * row, c + i * hidden, output + i * hidden, cell + i * hidden, 0, hidden, s);
    h = output;
    c = cell;
  }
}

/* Cells of step t of samples [first, last). */
static void gradientsOf(const StepsBack *b, int64_t t, int64_t first, int64_t last, int64_t begin, int64_t end, const Sequence *s)
{
  const int64_t state = s->samples * s->hidden, row = LSTM_PARTS * s->hidden;
  for (int64_t n = first; n < last; n++) {
    const int64_t at = t * state + n * s->hidden;
    gradients(b->gates + (t * s->samples + n) * row, b->gradGates + (t * s->samples + n) * row,
              t ? b->cell + at - state : b->c0 + n * s->hidden, b->cell + at, b->gradOutput + at, b->gradHidden + n * s->hidden,
              b->gradCell + n * s->hidden, begin, end, s);
  }
}

static void backward(Call *call, const StepsBack *b, const real *weight, const Sequence *s)
{
  const int threads = threadsFor(call, s);
  const int64_t samples = s->samples, hidden = s->hidden, row = LSTM_PARTS * hidden, isOne = samples == 1;
  if (isOne) weight = inRows(call, threads, weight, s);
  const real *packed = isOne ? NULL : THNN_(packGemm)(call, threads, !s->isTurned, hidden, row, weight, s->columns);
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;
  /* At step t, gradHidden is made of the gradients of step t + 1; step -1 is h0. */
  if (isApart(s, threads)) {
#pragma omp parallel for num_threads(threads)
    for (int64_t part = 0; part < threads; part++) {
      const int64_t first = samples * part / threads, last = samples * (part + 1) / threads;
      for (int64_t t = s->steps - 1; t >= -1; t--) {
        if (t < s->steps - 1)
          THNN_(gemmPacked)(call, 1, last - first, hidden, row, b->gradGates + ((t + 1) * samples + first) * row, row, packed, 0,
                            b->gradHidden + first * hidden, hidden);
        if (t >= 0) gradientsOf(b, t, first, last, 0, hidden, s);
      }
    }
    return;
  }
  for (int64_t t = s->steps - 1; t >= -1; t--) {
    const real *later = b->gradGates + (t + 1) * samples * row;
    const int isLast = t == s->steps - 1;
    if (!isOne) {
      if (!isLast) THNN_(gemmPacked)(call, threads, samples, hidden, row, later, row, packed, 0, b->gradHidden, hidden);
#pragma omp parallel for num_threads(threads)
      for (int64_t n = 0; n < samples; n++)
        if (t >= 0) gradientsOf(b, t, n, n + 1, 0, hidden, s);
      continue;
    }
#pragma omp parallel for num_threads(threads)
    for (int64_t begin = 0; begin < hidden; begin += UNITS) {
      const int64_t end = THNN_min(begin + UNITS, hidden);
      if (!isLast) dots(b->gradHidden, later, weight, row, begin, end);
      if (t >= 0) gradientsOf(b, t, 0, 1, begin, end, s);
    }
  }
}
#endif

int32_t THNN_(LSTMSequence_updateOutput)(THNNState *state, THTensor *gates, THTensor *output, THTensor *cell, const THTensor *weight,
                                         const THTensor *h0, const THTensor *c0, int32_t order)
{
  Sequence s;
  THNN_TRY(checkSequence(__func__, view(gates), view(weight), order, &s));
  THNN_TRY(THNN_checkOutput(__func__, "gates", view(gates), 3, gates->size));
  THNN_TRY(checkCellsOf(__func__, "output", view(output), &s, 0, 1));
  THNN_TRY(checkCellsOf(__func__, "cell", view(cell), &s, 0, 1));
  THNN_TRY(checkCellsOf(__func__, "h0", view(h0), &s, 1, 0));
  THNN_TRY(checkCellsOf(__func__, "c0", view(c0), &s, 1, 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, inMemory(view(weight), &s));
  const Steps m = {
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
  THNN_TRY(checkSequence(__func__, view(gates), view(weight), order, &s));
  THNN_TRY(checkCellsOf(__func__, "gradOutput", view(gradOutput), &s, 0, 0));
  THNN_TRY(checkCellsOf(__func__, "c0", view(c0), &s, 1, 0));
  THNN_TRY(checkCellsOf(__func__, "cell", view(cell), &s, 0, 0));
  THNN_TRY(THNN_checkOutput(__func__, "gradGates", view(gradGates), 3, gates->size));
  THNN_TRY(checkCellsOf(__func__, "gradHidden", view(gradHidden), &s, 1, 1));
  THNN_TRY(checkCellsOf(__func__, "gradCell", view(gradCell), &s, 1, 1));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *w = THNN_in(&call, inMemory(view(weight), &s));
  const StepsBack b = {
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
