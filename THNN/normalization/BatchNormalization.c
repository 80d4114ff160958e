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
 * The input is batch x channels x plane. Work goes by groups: one channel, or where the plane is 1 up to LANES channels that
 * lie side by side. A group is a few columns of memory: LANES of them, so that each has its own sum, in double precision and
 * in an order that neither vectors nor threads change. Groups are cut into pieces, so that threads can share a large one. */
#include <math.h>
#include "core/real.h"

enum { LANES = 64, PIECE = 1 << 14 };

typedef struct Layout {
  int64_t batch, channels, plane, count; /* count: values of a channel */
  int64_t width, groups;                 /* channels in a group, groups */
  int64_t rows, perRow, pieces;          /* rows in a piece, pieces in a row, pieces in a group */
} Layout;

/* The memory of a piece: `rows` rows of n elements, `step` apart, the first at `offset`. */
typedef struct Piece {
  int64_t offset, rows, step, n;
} Piece;

/* What one call works on. Forward: y = (x - mean) * factor + shift. Backward: y = (g - shift - (x - mean) * slope) * factor. */
typedef struct Job {
  Layout layout;
  const real *x, *g, *weight, *bias;
  real *y, *runningMean, *runningVar, *saveMean, *saveStd, *gradWeight, *gradBias;
  double momentum, eps, scale;
  const real *mean;              /* of each channel, as the next four */
  real *factor, *shift, *slope;
  double *exactMean, *std;
  double *sum, *product;         /* of each piece and channel */
} Job;

/* ---- kernels */

/* sum[j] += x */
THNN_KERNEL void addValues(double *restrict sum, const real *restrict x, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step)
    for (int64_t i = 0; i < p.n; i += LANES) {
      const int64_t width = THNN_min(LANES, p.n - i);
      for (int64_t j = 0; j < width; j++) sum[j] += x[i + j];
    }
}

/* sum[j] += (x - mean)^2 */
THNN_KERNEL void addSquares(double *restrict sum, const real *restrict x, const real *restrict mean, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step)
    for (int64_t i = 0; i < p.n; i += LANES) {
      const int64_t width = THNN_min(LANES, p.n - i);
      for (int64_t j = 0; j < width; j++) {
        const double d = (double)x[i + j] - mean[j];
        sum[j] += d * d;
      }
    }
}

/* sum[j] += g, product[j] += g * (x - mean) */
THNN_KERNEL void addProducts(double *restrict sum, double *restrict product, const real *restrict x, const real *restrict g,
                             const real *restrict mean, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step, g += p.step)
    for (int64_t i = 0; i < p.n; i += LANES) {
      const int64_t width = THNN_min(LANES, p.n - i);
      for (int64_t j = 0; j < width; j++) {
        sum[j] += g[i + j];
        product[j] += g[i + j] * ((double)x[i + j] - mean[j]);
      }
    }
}

/* y = (x - mean) * factor + shift, where y may be x */
THNN_KERNEL void normalise(real *y, const real *x, const real *mean, const real *factor, const real *shift, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step, y += p.step)
    for (int64_t i = 0; i < p.n; i += LANES) {
      const int64_t width = THNN_min(LANES, p.n - i);
#pragma omp simd
      for (int64_t j = 0; j < width; j++) y[i + j] = (x[i + j] - mean[j]) * factor[j] + shift[j];
    }
}

/* y = (g - shift - (x - mean) * slope) * factor */
THNN_KERNEL void spread(real *restrict y, const real *restrict x, const real *restrict g, const real *mean, const real *factor,
                        const real *shift, const real *slope, Piece p)
{
  for (int64_t r = 0; r < p.rows; r++, x += p.step, g += p.step, y += p.step)
    for (int64_t i = 0; i < p.n; i += LANES) {
      const int64_t width = THNN_min(LANES, p.n - i);
#pragma omp simd
      for (int64_t j = 0; j < width; j++)
        y[i + j] = (g[i + j] - shift[j] - (x[i + j] - mean[j]) * slope[j]) * factor[j];
    }
}

/* The sum of all columns, which it overwrites. */
THNN_KERNEL double total(double *sum)
{
  for (int64_t half = LANES / 2; half > 0; half /= 2)
    for (int64_t j = 0; j < half; j++) sum[j] += sum[j + half];
  return sum[0];
}

/* ---- groups and pieces */

static Layout layoutOf(const THTensor *input)
{
  const int32_t d = input->nDimension > 1;
  Layout l = {.batch = d ? input->size[0] : 1, .channels = input->size[d], .plane = 1};
  for (int32_t k = 2; k < input->nDimension; k++) l.plane *= input->size[k];
  l.count = l.batch * l.plane;
  l.width = l.plane == 1 ? LANES : 1;
  l.groups = THNN_ceilDiv(l.channels, l.width);
  l.rows = THNN_max(1, PIECE / THNN_max(1, l.width * l.plane));
  l.perRow = THNN_ceilDiv(l.plane, PIECE);
  l.pieces = THNN_ceilDiv(l.batch, l.rows) * l.perRow;
  return l;
}

static int64_t channelsOf(const Layout *l, int64_t group) { return THNN_min(l->width, l->channels - group * l->width); }

static Piece pieceOf(const Layout *l, int64_t group, int64_t piece)
{
  const int64_t row = piece / l->perRow * l->rows, cell = piece % l->perRow * PIECE, step = l->channels * l->plane;
  return (Piece){.offset = row * step + group * l->width * l->plane + cell,
                 .rows = THNN_min(l->rows, l->batch - row),
                 .step = step,
                 .n = THNN_min(PIECE, channelsOf(l, group) * l->plane - cell)};
}

/* A number of each channel, put to the columns of a group. */
static void fill(real *column, const Layout *l, int64_t group, const real *channel)
{
  channel += group * l->width;
  if (l->width == 1)
    for (int64_t j = 0; j < LANES; j++) column[j] = *channel;
  else
    memcpy(column, channel, (size_t)channelsOf(l, group) * sizeof(real));
}

/* The columns' sums of one piece, put to its channels. */
static void keep(double *sums, const Layout *l, int64_t group, int64_t piece, double *sum)
{
  sums += piece * l->channels + group * l->width;
  if (l->width == 1) *sums = total(sum);
  else memcpy(sums, sum, (size_t)channelsOf(l, group) * sizeof(double));
}

static double ofAllPieces(const double *sums, const Layout *l, int64_t channel)
{
  double sum = 0;
  for (int64_t piece = 0; piece < l->pieces; piece++) sum += sums[piece * l->channels + channel];
  return sum;
}

/* A pass over the input, and what follows from its sums for each channel. */
typedef struct Phase {
  void (*piece)(const Job *job, int64_t group, int64_t piece);
  void (*channel)(const Job *job, int64_t channel);
} Phase;

static void wholeGroup(const Job *job, const Phase *phases, int count, int64_t group)
{
  const Layout *l = &job->layout;
  for (int k = 0; k < count; k++) {
    for (int64_t piece = 0; piece < l->pieces; piece++) phases[k].piece(job, group, piece);
    for (int64_t c = 0; phases[k].channel && c < channelsOf(l, group); c++) phases[k].channel(job, group * l->width + c);
  }
}

/* A group with all its phases is one thread's, while its values are still in the cache; few groups are shared by pieces. */
static void run(const Job *job, const Phase *phases, int count, int threads)
{
  const Layout *l = &job->layout;
  if (threads == 1) {
    for (int64_t group = 0; group < l->groups; group++) wholeGroup(job, phases, count, group);
  } else if (l->groups >= 4 * threads) {
#pragma omp parallel for num_threads(threads)
    for (int64_t group = 0; group < l->groups; group++) wholeGroup(job, phases, count, group);
  } else {
    for (int k = 0; k < count; k++) {
#pragma omp parallel for num_threads(threads)
      for (int64_t i = 0; i < l->groups * l->pieces; i++) phases[k].piece(job, i / l->pieces, i % l->pieces);
      for (int64_t c = 0; phases[k].channel && c < l->channels; c++) phases[k].channel(job, c);
    }
  }
}

static void setStd(const Job *job, int64_t c, double std)
{
  job->std[c] = std;
  job->factor[c] = (real)(job->weight ? std * job->weight[c] : std);
}

/* ---- forward */

static void sumPiece(const Job *job, int64_t group, int64_t piece)
{
  const Piece p = pieceOf(&job->layout, group, piece);
  double sum[LANES] = {0};
  addValues(sum, job->x + p.offset, p);
  keep(job->sum, &job->layout, group, piece, sum);
}

static void meanOfChannel(const Job *job, int64_t c)
{
  job->exactMean[c] = ofAllPieces(job->sum, &job->layout, c) / (double)job->layout.count;
  job->saveMean[c] = (real)job->exactMean[c];
}

static void squarePiece(const Job *job, int64_t group, int64_t piece)
{
  const Piece p = pieceOf(&job->layout, group, piece);
  double sum[LANES] = {0};
  real mean[LANES];
  fill(mean, &job->layout, group, job->mean);
  addSquares(sum, job->x + p.offset, mean, p);
  keep(job->sum, &job->layout, group, piece, sum);
}

/* The squares are those of distances from the rounded mean, which is `lost` away from the exact one. */
static void varianceOfChannel(const Job *job, int64_t c)
{
  const double n = (double)job->layout.count, m = job->momentum, lost = job->exactMean[c] - job->saveMean[c];
  const double rest = ofAllPieces(job->sum, &job->layout, c) - n * lost * lost, squares = rest < 0 ? 0 : rest;
  setStd(job, c, 1 / sqrt(squares / n + job->eps));
  job->saveStd[c] = (real)job->std[c];
  job->runningMean[c] = (real)((1 - m) * job->runningMean[c] + m * job->exactMean[c]);
  job->runningVar[c] = (real)((1 - m) * job->runningVar[c] + m * squares / (n - 1));
}

static void normalisePiece(const Job *job, int64_t group, int64_t piece)
{
  const Piece p = pieceOf(&job->layout, group, piece);
  real mean[LANES], factor[LANES], shift[LANES];
  fill(mean, &job->layout, group, job->mean);
  fill(factor, &job->layout, group, job->factor);
  fill(shift, &job->layout, group, job->shift);
  normalise(job->y + p.offset, job->x + p.offset, mean, factor, shift, p);
}

/* ---- backward */

static void productPiece(const Job *job, int64_t group, int64_t piece)
{
  const Piece p = pieceOf(&job->layout, group, piece);
  double sum[LANES] = {0}, product[LANES] = {0};
  real mean[LANES];
  fill(mean, &job->layout, group, job->mean);
  addProducts(sum, product, job->x + p.offset, job->g + p.offset, mean, p);
  keep(job->sum, &job->layout, group, piece, sum);
  keep(job->product, &job->layout, group, piece, product);
}

static void gradientsOfChannel(const Job *job, int64_t c)
{
  const double sum = ofAllPieces(job->sum, &job->layout, c), product = ofAllPieces(job->product, &job->layout, c);
  const double n = (double)job->layout.count, std = job->std[c];
  if (job->gradWeight) job->gradWeight[c] += (real)(job->scale * std * product);
  if (job->gradBias) job->gradBias[c] += (real)(job->scale * sum);
  job->shift[c] = (real)(sum / n);
  job->slope[c] = (real)(std * std * product / n);
}

static void spreadPiece(const Job *job, int64_t group, int64_t piece)
{
  const Piece p = pieceOf(&job->layout, group, piece);
  real mean[LANES], factor[LANES], shift[LANES], slope[LANES];
  fill(mean, &job->layout, group, job->mean);
  fill(factor, &job->layout, group, job->factor);
  fill(shift, &job->layout, group, job->shift);
  fill(slope, &job->layout, group, job->slope);
  spread(job->y + p.offset, job->x + p.offset, job->g + p.offset, mean, factor, shift, slope, p);
}

/* gradOutput * factor: constants are nothing to be differentiated. */
static void scalePiece(const Job *job, int64_t group, int64_t piece)
{
  const Piece p = pieceOf(&job->layout, group, piece);
  const real zero[LANES] = {0};
  real factor[LANES];
  fill(factor, &job->layout, group, job->factor);
  normalise(job->y + p.offset, job->g + p.offset, zero, factor, zero, p);
}

/* ---- the layer */

static int32_t check(const char *f, const THTensor *input, const THTensor *weight, const THTensor *running_mean,
                     const THTensor *running_var, const THTensor *save_mean, const THTensor *save_std, int32_t train)
{
  const char *layout = train ? "N x C, N x C x L, N x C x H x W or N x C x T x H x W to train with"
                             : "C, N x C, N x C x L, N x C x H x W or N x C x T x H x W";
  THNN_TRY(THNN_checkInput(f, "input", view(input), train ? 2 : 1, 5, layout));
  const Layout l = layoutOf(input);
  if (train && l.count == 1)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected more than one value per channel to train with, got %s",
                     THNN_shapeText(input->nDimension, input->size).text);
  if (weight) THNN_TRY(THNN_checkShape(f, "weight", view(weight), 1, &l.channels));
  THNN_TRY(THNN_checkShape(f, "running_mean", view(running_mean), 1, &l.channels));
  THNN_TRY(THNN_checkShape(f, "running_var", view(running_var), 1, &l.channels));
  THNN_TRY(THNN_checkShape(f, "save_mean", view(save_mean), 1, &l.channels));
  return THNN_checkShape(f, "save_std", view(save_std), 1, &l.channels);
}

int32_t THNN_(BatchNormalization_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                               const THTensor *bias, THTensor *running_mean, THTensor *running_var,
                                               THTensor *save_mean, THTensor *save_std, int32_t train, double momentum,
                                               double eps)
{
  THNN_TRY(check(__func__, input, weight, running_mean, running_var, save_mean, save_std, train));
  Job job = {.layout = layoutOf(input), .momentum = momentum, .eps = eps};
  const Layout *l = &job.layout;
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, input->size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 1));
  if (bias) THNN_TRY(THNN_checkShape(__func__, "bias", view(bias), 1, &l->channels));
  if (train) {
    THNN_TRY(THNN_checkOutput(__func__, "running_mean", view(running_mean), 1, &l->channels));
    THNN_TRY(THNN_checkOutput(__func__, "running_var", view(running_var), 1, &l->channels));
    THNN_TRY(THNN_checkOutput(__func__, "save_mean", view(save_mean), 1, &l->channels));
    THNN_TRY(THNN_checkOutput(__func__, "save_std", view(save_std), 1, &l->channels));
  }
  if (l->count * l->channels == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, l->count * l->channels);
  job.x = THNN_in(&call, view(input));
  job.y = THNN_out(&call, view(output));
  job.weight = THNN_in(&call, view(weight));
  job.bias = THNN_in(&call, view(bias));
  job.factor = THNN_scratch(&call, l->channels, sizeof(real));
  job.shift = THNN_scratch(&call, l->channels, sizeof(real));
  job.std = THNN_scratch(&call, l->channels, sizeof(double));
  if (train) {
    job.runningMean = THNN_acc(&call, view(running_mean));
    job.runningVar = THNN_acc(&call, view(running_var));
    job.mean = job.saveMean = THNN_out(&call, view(save_mean));
    job.saveStd = THNN_out(&call, view(save_std));
    job.exactMean = THNN_scratch(&call, l->channels, sizeof(double));
    job.sum = THNN_scratch(&call, l->pieces * l->channels, sizeof(double));
  } else {
    job.mean = THNN_in(&call, view(running_mean));
  }
  const real *var = THNN_in(&call, view(running_var));
  if (THNN_failed(&call)) return THNN_leave(&call);

  for (int64_t c = 0; c < l->channels; c++) {
    job.shift[c] = bias ? job.bias[c] : 0;
    if (!train) setStd(&job, c, 1 / sqrt(var[c] + eps));
  }
  const Phase phases[] = {{sumPiece, meanOfChannel}, {squarePiece, varianceOfChannel}, {normalisePiece, NULL}};
  if (train) run(&job, phases, 3, threads);
  else run(&job, phases + 2, 1, threads);
  return THNN_leave(&call);
}

int32_t THNN_(BatchNormalization_backward)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                           THTensor *gradInput, THTensor *gradWeight, THTensor *gradBias,
                                           const THTensor *weight, const THTensor *running_mean, const THTensor *running_var,
                                           const THTensor *save_mean, const THTensor *save_std, int32_t train, double scale,
                                           double eps)
{
  THNN_TRY(check(__func__, input, weight, running_mean, running_var, save_mean, save_std, train));
  Job job = {.layout = layoutOf(input), .scale = scale};
  const Layout *l = &job.layout;
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, input->size));
  if (gradInput) {
    THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
    THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "input", view(input), 0));
    THNN_TRY(THNN_checkApart(__func__, "gradInput", view(gradInput), "gradOutput", view(gradOutput), 0));
  }
  if (gradWeight) THNN_TRY(THNN_checkOutput(__func__, "gradWeight", view(gradWeight), 1, &l->channels));
  if (gradBias) THNN_TRY(THNN_checkOutput(__func__, "gradBias", view(gradBias), 1, &l->channels));
  if (l->count * l->channels == 0) return THNN_OK;

  Call call;
  THNN_enter(&call, state, __func__);
  const int threads = THNN_threads(&call, l->count * l->channels);
  job.x = THNN_in(&call, view(input));
  job.g = THNN_in(&call, view(gradOutput));
  job.y = THNN_out(&call, view(gradInput));
  job.gradWeight = THNN_acc(&call, view(gradWeight));
  job.gradBias = THNN_acc(&call, view(gradBias));
  job.weight = THNN_in(&call, view(weight));
  job.mean = THNN_in(&call, train ? view(save_mean) : view(running_mean));
  const real *std = THNN_in(&call, view(save_std)), *var = THNN_in(&call, view(running_var));
  job.std = THNN_scratch(&call, l->channels, sizeof(double));
  job.factor = THNN_scratch(&call, l->channels, sizeof(real));
  job.shift = THNN_scratch(&call, l->channels, sizeof(real));
  job.slope = THNN_scratch(&call, l->channels, sizeof(real));
  job.sum = THNN_scratch(&call, l->pieces * l->channels, sizeof(double));
  job.product = THNN_scratch(&call, l->pieces * l->channels, sizeof(double));
  if (THNN_failed(&call)) return THNN_leave(&call);

  for (int64_t c = 0; c < l->channels; c++) setStd(&job, c, train ? std[c] : 1 / sqrt(var[c] + eps));
  const Phase phases[] = {{productPiece, gradientsOfChannel}, {train ? spreadPiece : scalePiece, NULL}};
  const int needless = !train && !gradWeight && !gradBias; /* the sums are for the parameters alone */
  run(&job, phases + needless, 1 + (gradInput != NULL) - needless, threads);
  return THNN_leave(&call);
}
