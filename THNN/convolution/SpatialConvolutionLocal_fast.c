/* The fast loops of SpatialConvolutionLocal on the host.
 *
 * At one position, let X be the matrix of the cells of its window in all samples, N rows of nInputPlane * kH * kW cells, and W, Y, G the
 * matrices of weight, output and gradOutput: nOutputPlane rows each. Then
 *   Y  = W * X^T, and then the bias
 *   gX = G^T * W, whose elements are added to gradInput
 *   gW += scale * G * X
 *
 * The weights are by far the largest tensor, and each pass reads or writes them once, in their order. A task is a position, or, for
 * gradInput, a group of input channels of some samples. Its size depends on the shapes alone. */
#include "convolution/SpatialConvolutionLocal.h"

enum { MIN_TASKS = 16 }; /* tasks of a backward pass, at least, if the sizes allow it */

static int threadsFor(const Call *call, const LocalSizes *s)
{
  return THNN_threads(call, THNN_min(s->samples * s->outputs * s->oHeight * s->oWidth, 1 << 20) * THNN_min(s->depth, 1 << 10));
}

/* Copies X of the position (oh, ow), or a part of its columns: those of `planes` channels, of which `x` has the first one in the first of
 * `samples` samples. With `adds`, the patch is added to x instead. */
static void copyPatch(real *restrict patch, real *restrict x, const LocalSizes *s, int64_t samples, int64_t planes, int64_t oh,
                      int64_t ow, int adds)
{
  const int64_t left = ow * s->dW - s->padW, first = THNN_max(-left, 0), end = THNN_min(s->width - left, s->kW);
  for (int64_t n = 0; n < samples; n++)
    for (int64_t c = 0; c < planes; c++)
      for (int64_t i = 0; i < s->kH; i++, patch += s->kW) {
        const int64_t h = oh * s->dH + i - s->padH, at = ((n * s->planes + c) * s->height + h) * s->width + left;
        const int64_t stop = h >= 0 && h < s->height ? end : 0;
        if (adds) {
          for (int64_t j = first; j < stop; j++) x[at + j] += patch[j];
        } else {
          for (int64_t j = 0; j < s->kW; j++) patch[j] = j >= first && j < stop ? x[at + j] : 0;
        }
      }
}

/* Copies the matrix of a position, outputs x samples, from a tensor shaped as output. */
static void gatherPosition(real *restrict matrix, const real *restrict y, const LocalSizes *s, int64_t position)
{
  const int64_t area = s->oHeight * s->oWidth;
  for (int64_t o = 0; o < s->outputs; o++)
    for (int64_t n = 0; n < s->samples; n++) matrix[o * s->samples + n] = y[(n * s->outputs + o) * area + position];
}

void THNN_(localForward)(Call *call, const LocalSizes *s, const real *x, real *y, const real *w, const real *b)
{
  const int threads = threadsFor(call, s);
  const int64_t area = s->oHeight * s->oWidth;
  const int64_t patchSize = THNN_perThread(s->samples * s->depth), matrixSize = THNN_perThread(s->samples * s->outputs);
  real *patches = THNN_scratch(call, threads * patchSize, sizeof(real));
  real *products = THNN_scratch(call, threads * matrixSize, sizeof(real));
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t position = 0; position < (s->samples ? area : 0); position++) {
    real *patch = patches + THNN_threadId() * patchSize, *product = products + THNN_threadId() * matrixSize;
    copyPatch(patch, (real *)x, s, s->samples, s->planes, position / s->oWidth, position % s->oWidth, 0);
    THNN_(gemm)(call, 1, 0, 1, s->outputs, s->samples, s->depth, 1, w + position * s->outputs * s->depth, s->depth, patch, s->depth, 0,
                product, s->samples);
    for (int64_t o = 0; o < s->outputs; o++)
      for (int64_t n = 0; n < s->samples; n++)
        y[(n * s->outputs + o) * area + position] = product[o * s->samples + n] + b[o * area + position];
  }
}

void THNN_(localBackward)(Call *call, const LocalSizes *s, const real *g, real *gx, const real *w)
{
  const int threads = threadsFor(call, s);
  const int64_t area = s->oHeight * s->oWidth, cells = s->kH * s->kW, matrixSize = s->samples * s->outputs;
  const int64_t group = THNN_max(s->planes / MIN_TASKS, 1), groups = THNN_ceilDiv(s->planes, group);
  const int64_t maxSamples = THNN_ceilDiv(s->samples, THNN_max(MIN_TASKS / groups, 1));
  const int64_t parts = s->samples ? THNN_ceilDiv(s->samples, maxSamples) : 0;
  const int64_t patchSize = THNN_perThread(maxSamples * group * cells);
  real *matrices = THNN_scratch(call, area * matrixSize, sizeof(real));
  real *patches = THNN_scratch(call, threads * patchSize, sizeof(real));
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;

#pragma omp parallel for num_threads(threads)
  for (int64_t position = 0; position < area; position++) gatherPosition(matrices + position * matrixSize, g, s, position);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t task = 0; task < groups * parts; task++) {
    const int64_t plane = task / parts * group, planes = THNN_min(group, s->planes - plane);
    const int64_t sample = task % parts * maxSamples, samples = THNN_min(maxSamples, s->samples - sample);
    const int64_t size = s->height * s->width;
    real *patch = patches + THNN_threadId() * patchSize, *to = gx + (sample * s->planes + plane) * size;
    for (int64_t n = 0; n < samples; n++) memset(to + n * s->planes * size, 0, (size_t)(planes * size) * sizeof(real));
    for (int64_t position = 0; position < area; position++) {
      THNN_(gemm)(call, 1, 1, 0, samples, planes * cells, s->outputs, 1, matrices + position * matrixSize + sample, s->samples,
                  w + position * s->outputs * s->depth + plane * cells, s->depth, 0, patch, planes * cells);
      copyPatch(patch, to, s, samples, planes, position / s->oWidth, position % s->oWidth, 1);
    }
  }
}

void THNN_(localGradients)(Call *call, const LocalSizes *s, const real *x, const real *g, real *gw, real *gb, double scale)
{
  const int threads = threadsFor(call, s);
  const int64_t area = s->oHeight * s->oWidth;
  const int64_t patchSize = THNN_perThread(s->samples * s->depth), matrixSize = THNN_perThread(s->samples * s->outputs);
  real *patches = THNN_scratch(call, threads * patchSize, sizeof(real));
  real *matrices = THNN_scratch(call, threads * matrixSize, sizeof(real));
  if (!THNN_ready(call) || !THNN_(reserveGemm)(call, threads)) return;

#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int64_t position = 0; position < (s->samples ? area : 0); position++) {
    real *patch = patches + THNN_threadId() * patchSize, *matrix = matrices + THNN_threadId() * matrixSize;
    gatherPosition(matrix, g, s, position);
    copyPatch(patch, (real *)x, s, s->samples, s->planes, position / s->oWidth, position % s->oWidth, 0);
    THNN_(gemm)(call, 1, 0, 0, s->outputs, s->depth, s->samples, (real)scale, matrix, s->samples, patch, s->depth, 1,
                gw + position * s->outputs * s->depth, s->depth);
    for (int64_t o = 0; o < s->outputs; o++) {
      double sum = 0;
      for (int64_t n = 0; n < s->samples; n++) sum += matrix[o * s->samples + n];
      gb[o * area + position] += (real)(scale * sum);
    }
  }
}
