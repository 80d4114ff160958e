/* BatchNormalization: each channel is given mean 0 and variance 1 over the batch, then a learned scale and shift.
 *
 *   output = (input - mean) * std * weight + bias,    std = 1 / sqrt(var + eps)
 *
 * When training, mean and var are those of the channel's n values, var divided by n. Mean and std are kept in save_mean and
 * save_std for backward, and both move the running statistics, now with var divided by n - 1:
 *   running = (1 - momentum) * running + momentum * new
 * Otherwise mean and var are the running statistics, and only output is written. backward, with sums over the channel:
 *
 *   gradWeight += scale * std * sum of gradOutput * (input - mean)
 *   gradBias   += scale * sum of gradOutput
 *   gradInput   = (gradOutput - c - (input - mean) * s) * std * weight
 *     where c = sum of gradOutput / n and s = std^2 * (sum of gradOutput * (input - mean)) / n when training, else 0
 *
 *   input       N x C, N x C x L, N x C x H x W, N x C x T x H x W, or C alone when not training
 *   output      as input, overwritten; may be the input
 *   gradInput   as input, overwritten
 *
 * Training needs more than one value per channel; a batch of one sample with a plane has them. (Torch7 of 2017 took the
 * running statistics for any batch of one.) S. Ioffe, C. Szegedy: Batch Normalization, 2015.
 *
 * The input is batch x channels x plane. It is cut into groups of neighbouring channels, which are normalised one after the
 * other, so that the later passes over a group find it in the cache; and groups are cut into pieces, whose sums are added in
 * a fixed order, so that threads can share few large groups without changing a digit. */
#include "declared/BatchNormalization.h"
#include "normalization/BatchNormalization.h"

#ifndef THNN_CUDA /* THCUNN/normalization/BatchNormalization.cu has its own */
#include <math.h>

/* The elements of a piece, and of a sample's part of a group, roughly, as small planes are not cut. If a plane is one cell, memory is
 * read in long rows, whose pieces are larger, so that there are few sums. */
enum {
  PIECE_ELEMENTS = 1 << 14,
  PART_ELEMENTS = 1 << 9,
  ROW_PIECE_ELEMENTS = 1 << 16,
  ROW_PART_ELEMENTS = 1 << 12,
};

typedef struct Layout {
  int64_t batch, channels, plane, count; /* count: values of a channel */
  int64_t width, groups;                 /* channels in a group, groups */
  int64_t rows, perRow, pieces;          /* samples in a piece, pieces in a sample of a group, pieces in a group */
} Layout;

/* `rows` samples from `offset` on, `step` elements apart, of `channels` channels of `cells` elements. */
typedef struct Piece {
  int64_t offset, channel, rows, step, channels, cells;
  int64_t sums; /* the offset of the piece's sums */
} Piece;

/* The operands of a call.
 * Forward computes y = (x - mean) * factor + shift, backward y = (g - shift - (x - mean) * slope) * factor. */
typedef struct Job {
  Layout layout;
  const real *x, *g, *weight;
  real *y, *runningMean, *runningVar, *saveMean, *saveStd, *gradWeight, *gradBias;
  double momentum, eps, scale;
  const real *mean;              /* for each channel, as the next five */
  real *factor, *shift, *slope, *from; /* `from`: the origin of moments */
  double *std;
  double *sum, *product;         /* for each piece and channel */
} Job;

/* ---- Kernels. Inner loops run over a plane, or over the channels if planes have one element. */

/* sum = sum of x - from, squares = sum of (x - from)^2 */
THNN_KERNEL void addMoments(double *restrict sum, double *restrict squares, const real *restrict x, const real *restrict from,
                            Piece p)
{
  for (int64_t c = 0; c < p.channels; c++) sum[c] = squares[c] = 0;
  for (int64_t r = 0; r < p.rows; r++, x += p.step) {
    if (p.cells == 1) {
      for (int64_t c = 0; c < p.channels; c++) {
        const double d = (double)x[c] - from[c];
        sum[c] += d;
        squares[c] += d * d;
      }
      continue;
    }
    for (int64_t c = 0; c < p.channels; c++) {
      const double f = from[c];
      double s = 0, t = 0;
#pragma omp simd reduction(+ : s, t)
      for (int64_t i = 0; i < p.cells; i++) {
        s += x[c * p.cells + i] - f;
        t += (x[c * p.cells + i] - f) * (x[c * p.cells + i] - f);
      }
      sum[c] += s;
      squares[c] += t;
    }
  }
}

/* sum = sum of g, product = sum of g * (x - mean) */
THNN_KERNEL void addProducts(double *restrict sum, double *restrict product, const real *restrict x, const real *restrict g,
                             const real *restrict mean, Piece p)
{
  for (int64_t c = 0; c < p.channels; c++) sum[c] = product[c] = 0;
  for (int64_t r = 0; r < p.rows; r++, x += p.step, g += p.step) {
    if (p.cells == 1) {
      for (int64_t c = 0; c < p.channels; c++) {
        sum[c] += g[c];
        product[c] += g[c] * ((double)x[c] - mean[c]);
      }
      continue;
    }
    for (int64_t c = 0; c < p.channels; c++) {
      const double m = mean[c];
      double s = 0, t = 0;
#pragma omp simd reduction(+ : s, t)
      for (int64_t i = 0; i < p.cells; i++) {
        s += g[c * p.cells + i];
        t += g[c * p.cells + i] * (x[c * p.cells + i] - m);
      }
      sum[c] += s;
      product[c] += t;
    }
  }
}

/* y = (x - mean) * factor + shift, where y may be x */
THNN_KERNEL void normalise(real *y, const real *x, const real *restrict mean, const real *restrict factor,
                           const real *restrict shift, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step, y += p.step) {
    if (p.cells == 1) {
#pragma omp simd
      for (int64_t c = 0; c < p.channels; c++) y[c] = (x[c] - mean[c]) * factor[c] + shift[c];
      continue;
    }
    for (int64_t c = 0; c < p.channels; c++) {
      const real m = mean[c], f = factor[c], b = shift[c];
#pragma omp simd
      for (int64_t i = 0; i < p.cells; i++) y[c * p.cells + i] = (x[c * p.cells + i] - m) * f + b;
    }
  }
}

/* y = (g - shift - (x - mean) * slope) * factor */
THNN_KERNEL void spread(real *restrict y, const real *restrict x, const real *restrict g, const real *restrict mean,
                        const real *restrict factor, const real *restrict shift, const real *restrict slope, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step, g += p.step, y += p.step) {
    if (p.cells == 1) {
      for (int64_t c = 0; c < p.channels; c++) y[c] = (g[c] - shift[c] - (x[c] - mean[c]) * slope[c]) * factor[c];
      continue;
    }
    for (int64_t c = 0; c < p.channels; c++) {
      const real m = mean[c], f = factor[c], b = shift[c], s = slope[c];
      for (int64_t i = 0; i < p.cells; i++)
        y[c * p.cells + i] = (g[c * p.cells + i] - b - (x[c * p.cells + i] - m) * s) * f;
    }
  }
}

/* ---- groups and pieces */

/* Groups of `elements` in each sample. */
static Layout planLayout(const Batch *b, int64_t elements)
{
  const int64_t piece = b->plane == 1 ? ROW_PIECE_ELEMENTS : PIECE_ELEMENTS;
  Layout l = {.batch = b->batch, .channels = b->channels, .plane = b->plane, .count = b->count};
  l.width = THNN_max(1, THNN_min(l.channels, elements / THNN_max(1, l.plane)));
  l.groups = THNN_ceilDiv(l.channels, l.width);
  l.rows = THNN_max(1, piece / THNN_max(1, l.width * l.plane));
  l.perRow = l.width > 1 ? 1 : THNN_max(1, THNN_ceilDiv(l.plane, PIECE_ELEMENTS));
  l.pieces = THNN_max(1, THNN_ceilDiv(l.batch, l.rows) * l.perRow); /* the sums of an empty piece are 0 */
  return l;
}

/* A sample's part of a group that is passed over several times. */
static int64_t partElements(const Batch *b) { return b->plane == 1 ? ROW_PART_ELEMENTS : PART_ELEMENTS; }

static Piece locatePiece(const Layout *l, int64_t group, int64_t piece)
{
  const int64_t row = piece / l->perRow * l->rows, cell = piece % l->perRow * PIECE_ELEMENTS;
  Piece p = {.channel = group * l->width, .step = l->channels * l->plane};
  p.offset = row * p.step + p.channel * l->plane + cell;
  p.sums = piece * l->channels + p.channel;
  p.rows = THNN_min(l->rows, l->batch - row);
  p.channels = THNN_min(l->width, l->channels - p.channel);
  p.cells = l->perRow == 1 ? l->plane : THNN_min(PIECE_ELEMENTS, l->plane - cell);
  return p;
}

/* Sums are kept for each piece and channel: add those of all pieces to the first one's. */
THNN_KERNEL void joinPieces(double *sums, const Layout *l, int64_t channel, int64_t end)
{
  for (int64_t piece = 1; piece < l->pieces; piece++) {
    const double *more = sums + piece * l->channels;
#pragma omp simd
    for (int64_t c = channel; c < end; c++) sums[c] += more[c];
  }
}

/* A pass over the input, and what follows from its sums for each channel. */
typedef struct Phase {
  void (*piece)(const Job *job, Piece p);
  void (*channel)(const Job *job, int64_t channel);
} Phase;

static void finishChannels(const Job *job, const Phase *phase, int64_t channel, int64_t end)
{
  if (!phase->channel) return;
  joinPieces(job->sum, &job->layout, channel, end);
  if (job->product) joinPieces(job->product, &job->layout, channel, end);
  for (int64_t c = channel; c < end; c++) phase->channel(job, c);
}

/* Runs several passes group by group, each from the last piece of the pass before. Threads share the pieces of few groups, and a single
 * pass reads the memory in its order. */
static void run(const Job *job, const Phase *phases, int count, int threads)
{
  const Layout *l = &job->layout;
  if (count > 1 && (threads == 1 || l->groups >= 4 * threads)) {
#pragma omp parallel for num_threads(threads)
    for (int64_t group = 0; group < l->groups; group++)
      for (int k = 0; k < count; k++) {
        for (int64_t i = 0; i < l->pieces; i++) phases[k].piece(job, locatePiece(l, group, k % 2 ? l->pieces - 1 - i : i));
        finishChannels(job, &phases[k], group * l->width, THNN_min((group + 1) * l->width, l->channels));
      }
    return;
  }
  for (int k = 0; k < count; k++) {
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < l->groups * l->pieces; i++) phases[k].piece(job, locatePiece(l, i % l->groups, i / l->groups));
    finishChannels(job, &phases[k], 0, l->channels);
  }
}

static void setStd(const Job *job, int64_t c, double std)
{
  job->std[c] = std;
  job->factor[c] = (real)(job->weight ? std * job->weight[c] : std);
}

/* ---- forward */

static void momentsPiece(const Job *job, Piece p)
{
  addMoments(job->sum + p.sums, job->product + p.sums, job->x + p.offset, job->from + p.channel, p);
}

/* `from` is one of the n values (0 in place of an infinite one): less than sqrt(n) standard deviations from the mean, so that
 * little is lost in the difference. */
static void statisticsOfChannel(const Job *job, int64_t c)
{
  const double n = (double)job->layout.count, m = job->momentum, distance = job->sum[c] / n, mean = job->from[c] + distance;
  const double rest = job->product[c] - job->sum[c] * distance, squares = rest < 0 ? 0 : rest;
  setStd(job, c, 1 / sqrt(squares / n + job->eps));
  job->saveMean[c] = (real)mean;
  job->saveStd[c] = (real)job->std[c];
  job->runningMean[c] = (real)((1 - m) * job->runningMean[c] + m * mean);
  job->runningVar[c] = (real)((1 - m) * job->runningVar[c] + m * squares / (n - 1));
}

static void normalisePiece(const Job *job, Piece p)
{
  normalise(job->y + p.offset, job->x + p.offset, job->mean + p.channel, job->factor + p.channel, job->shift + p.channel, p);
}

/* ---- backward */

static void productPiece(const Job *job, Piece p)
{
  addProducts(job->sum + p.sums, job->product + p.sums, job->x + p.offset, job->g + p.offset, job->mean + p.channel, p);
}

static void gradientsOfChannel(const Job *job, int64_t c)
{
  const double sum = job->sum[c], product = job->product[c];
  const double n = (double)job->layout.count, std = job->std[c];
  if (job->gradWeight) job->gradWeight[c] += (real)(job->scale * std * product);
  if (job->gradBias) job->gradBias[c] += (real)(job->scale * sum);
  job->shift[c] = (real)(sum / n);
  job->slope[c] = (real)(std * std * product / n);
}

static void spreadPiece(const Job *job, Piece p)
{
  spread(job->y + p.offset, job->x + p.offset, job->g + p.offset, job->mean + p.channel, job->factor + p.channel,
         job->shift + p.channel, job->slope + p.channel, p);
}

/* ---- all channels */

static Job newJob(const Batch *b, int64_t elements)
{
  return (Job){
      .layout = planLayout(b, elements),
      .x = b->x,
      .g = b->g,
      .weight = b->weight,
      .y = b->y,
      .mean = b->mean,
      .runningMean = b->runningMean,
      .runningVar = b->runningVar,
      .saveMean = b->saveMean,
      .saveStd = b->saveStd,
      .gradWeight = b->gradWeight,
      .gradBias = b->gradBias,
      .momentum = b->momentum,
      .eps = b->eps,
      .scale = b->scale,
  };
}

static void forward(Call *call, const Batch *b)
{
  Job job = newJob(b, b->train ? partElements(b) : PIECE_ELEMENTS);
  const Layout *l = &job.layout;
  const int threads = THNN_threads(call, l->count * l->channels);
  job.factor = THNN_scratch(call, l->channels, sizeof(real));
  job.shift = THNN_scratch(call, l->channels, sizeof(real));
  job.std = THNN_scratch(call, l->channels, sizeof(double));
  if (b->train) {
    job.mean = job.saveMean;
    job.from = THNN_scratch(call, l->channels, sizeof(real));
    job.sum = THNN_scratch(call, l->pieces * l->channels, sizeof(double));
    job.product = THNN_scratch(call, l->pieces * l->channels, sizeof(double));
  }
  if (!THNN_ready(call)) return;

  for (int64_t c = 0; c < l->channels; c++) {
    job.shift[c] = b->bias ? b->bias[c] : 0;
    if (!b->train) setStd(&job, c, 1 / sqrt(b->var[c] + b->eps));
    else job.from[c] = isfinite(b->x[c * l->plane]) ? b->x[c * l->plane] : 0;
  }
  const Phase phases[] = {{momentsPiece, statisticsOfChannel}, {normalisePiece, NULL}};
  if (b->train) run(&job, phases, 2, threads);
  else run(&job, phases + 1, 1, threads);
}

static void backward(Call *call, const Batch *b)
{
  Job job = newJob(b, partElements(b));
  const Layout *l = &job.layout;
  const int threads = THNN_threads(call, l->count * l->channels);
  job.std = THNN_scratch(call, l->channels, sizeof(double));
  job.factor = THNN_scratch(call, l->channels, sizeof(real));
  job.shift = THNN_scratch(call, l->channels, sizeof(real));
  job.slope = THNN_scratch(call, l->channels, sizeof(real));
  job.sum = THNN_scratch(call, l->pieces * l->channels, sizeof(double));
  job.product = THNN_scratch(call, l->pieces * l->channels, sizeof(double));
  if (!THNN_ready(call)) return;

  for (int64_t c = 0; c < l->channels; c++) setStd(&job, c, b->train ? b->std[c] : 1 / sqrt(b->var[c] + b->eps));
  const Phase phases[] = {{productPiece, gradientsOfChannel}, {spreadPiece, NULL}};
  if (b->train) run(&job, phases, b->y ? 2 : 1, threads);
  else if (b->gradWeight || b->gradBias) run(&job, phases, 1, threads);
  if (b->y && !b->train) { /* gradOutput * factor: the statistics are constants */
    memset(job.shift, 0, (size_t)l->channels * sizeof(real));
    job.layout = planLayout(b, PIECE_ELEMENTS);
    job.x = job.g;
    job.mean = job.shift;
    run(&job, &(Phase){normalisePiece, NULL}, 1, threads);
  }
}
#endif

/* ---- the layer */

static Batch newBatch(const THTensor *input)
{
  const int32_t d = input->nDimension > 1;
  Batch b = {.batch = d ? input->size[0] : 1, .channels = input->size[d], .plane = 1};
  for (int32_t k = 2; k < input->nDimension; k++) b.plane *= input->size[k];
  b.count = b.batch * b.plane;
  return b;
}

static int32_t checkInput(const char *f, const THTensor *input, int32_t train)
{
  const char *layout = train ? "N x C, N x C x L, N x C x H x W or N x C x T x H x W to train with"
                             : "C, N x C, N x C x L, N x C x H x W or N x C x T x H x W";
  THNN_TRY(THNN_checkInput(f, "input", view(input), train ? 2 : 1, 5, layout));
  if (!train || newBatch(input).count != 1) return THNN_OK;
  return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected more than one value per channel to train with, got %s",
                   THNN_shapeText(input->nDimension, input->size).text);
}

/* running_mean, running_var, save_mean, save_std, which training writes. */
static int32_t checkStatistics(const char *f, const THTensor *const statistics[4], int64_t channels, int write)
{
  const char *const names[] = {"running_mean", "running_var", "save_mean", "save_std"};
  for (int i = 0; i < 4; i++)
    THNN_TRY((write ? THNN_checkOutput : THNN_checkShape)(f, names[i], view(statistics[i]), 1, &channels));
  return THNN_OK;
}

int32_t THNN_(BatchNormalization_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                               const THTensor *weight, const THTensor *bias, THTensor *running_mean,
                                               THTensor *running_var, THTensor *save_mean, THTensor *save_std,
                                               int32_t train, double momentum, double eps)
{
  THNN_TRY(checkInput(__func__, input, train));
  Batch b = newBatch(input);
  b.train = train;
  b.momentum = momentum;
  b.eps = eps;
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, input->size));
  if (weight) THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 1, &b.channels));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &b.channels));
  const THTensor *const statistics[] = {running_mean, running_var, save_mean, save_std};
  THNN_TRY(checkStatistics(__func__, statistics, b.channels, train));
  if (b.count * b.channels == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = 1;
  b.x = THNN_in(&call, view(input));
  b.y = THNN_out(&call, view(output));
  b.weight = THNN_in(&call, view(weight));
  b.bias = THNN_in(&call, view(bias));
  if (train) {
    b.runningMean = THNN_acc(&call, view(running_mean));
    b.runningVar = THNN_acc(&call, view(running_var));
    b.saveMean = THNN_out(&call, view(save_mean));
    b.saveStd = THNN_out(&call, view(save_std));
  } else {
    b.mean = THNN_in(&call, view(running_mean));
    b.var = THNN_in(&call, view(running_var));
  }
  if (THNN_ready(&call)) forward(&call, &b);
  return THNN_leave(&call);
}

int32_t THNN_(BatchNormalization_backward)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                           THTensor *gradInput, THTensor *gradWeight, THTensor *gradBias,
                                           const THTensor *weight, const THTensor *running_mean, const THTensor *running_var,
                                           const THTensor *save_mean, const THTensor *save_std, int32_t train, double scale,
                                           double eps)
{
  THNN_TRY(checkInput(__func__, input, train));
  Batch b = newBatch(input);
  b.train = train;
  b.scale = scale;
  b.eps = eps;
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, input->size));
  if (gradInput) THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  if (gradWeight) THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 1, &b.channels));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &b.channels));
  if (weight) THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 1, &b.channels));
  const THTensor *const statistics[] = {running_mean, running_var, save_mean, save_std};
  THNN_TRY(checkStatistics(__func__, statistics, b.channels, 0));
  if (b.count * b.channels == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  call.inplace = !gradInput; /* a step: gradWeight is the weight */
  b.x = THNN_in(&call, view(input));
  b.g = THNN_in(&call, view(gradOutput));
  b.y = THNN_out(&call, view(gradInput));
  b.gradWeight = THNN_acc(&call, view(gradWeight));
  b.gradBias = THNN_acc(&call, view(gradBias));
  b.weight = THNN_in(&call, view(weight));
  b.mean = THNN_in(&call, train ? view(save_mean) : view(running_mean));
  b.std = THNN_in(&call, view(save_std));
  b.var = THNN_in(&call, view(running_var));
  if (THNN_ready(&call)) backward(&call, &b);
  return THNN_leave(&call);
}
