/* Max unpooling: puts what a max pooling layer kept back where it came from, and zeros elsewhere.
 *
 *   output[i]    = input[o] for the last o with indices[o] = i, in the order of a plane's elements; 0 where there is none
 *   gradInput[o] = gradOutput[indices[o]] if o is the last with its index, else 0
 *
 * per plane, where i counts the plane's cells in row-major order. So where windows overlap and one cell was the maximum of
 * several, the last window wins, forward and backward. The index -1, of a window without a cell, is passed over.
 *
 *   Spatial      input, indices (N x) C x H x W,      output (N x) C x oheight x owidth
 *   Volumetric   input, indices (N x) C x T x H x W,  output (N x) C x otime x oheight x owidth
 *
 * output and gradInput are overwritten.
 *
 * Torch7 wrote duplicates in the same order, but gave the gradient to all of them. Its volumetric layer packed positions within
 * windows into the bytes of an index, and therefore needed the geometry of the pooling layer. */
#include "declared/SpatialMaxUnpooling.h"
#include "declared/VolumetricMaxUnpooling.h"
#include "core/planes.h"

/* ---- One plane, and all of them. */

#ifndef THNN_CUDA /* The device has kernels of its own: THCUNN/pooling/MaxUnpooling.cu. */

static void forward(real *restrict y, const real *restrict x, const index_t *restrict index, const Space *s)
{
  memset(y, 0, (size_t)planeOutputs(s) * sizeof(real));
  for (int64_t o = 0; o < planeCells(s); o++)
    if (index[o] >= 0) y[index[o]] = x[o]; /* the last one stays */
}

/* A byte of `taken` for each cell tells whether a later input has its index. */
static void backward(real *restrict gx, const real *restrict g, const index_t *restrict index, char *restrict taken, const Space *s)
{
  memset(taken, 0, (size_t)planeOutputs(s));
  for (int64_t o = planeCells(s) - 1; o >= 0; o--) {
    const int64_t i = index[o];
    gx[o] = i >= 0 && !taken[i] ? g[i] : (real)0.f;
    if (i >= 0) taken[i] = 1;
  }
}

static void unpool(Call *call, real *y, const real *x, const index_t *index, const Space *s)
{
  const int64_t cells = planeCells(s), outputs = planeOutputs(s);
  const int threads = THNN_threads(call, s->planes * (cells + outputs));
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++) forward(y + i * outputs, x + i * cells, index + i * cells, s);
}

static void unpoolBack(Call *call, real *gx, const real *g, const index_t *index, const Space *s)
{
  const int64_t cells = planeCells(s), outputs = planeOutputs(s), room = THNN_perThread(outputs);
  const int threads = THNN_threads(call, s->planes * (cells + outputs));
  char *taken = THNN_scratch(call, threads * room, 1);
  if (!THNN_ready(call)) return;
#pragma omp parallel for num_threads(threads)
  for (int64_t i = 0; i < s->planes; i++)
    backward(gx + i * cells, g + i * outputs, index + i * cells, taken + THNN_threadId() * room, s);
}
#endif

/* ---- The passes, once the sizes are known. */

static int32_t runForward(const char *f, THNNState *state, const THTensor *input, THTensor *output, const THLongTensor *indices,
                          const Space *p)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), p));
  THNN_TRY(THNN_checkShape(f, "indices", view(indices), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  const index_t *index = THNN_in(&call, view(indices));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p->planes * planeCells(p), planeOutputs(p), -1))
    return THNN_leave(&call);
  unpool(&call, y, x, index, p);
  return THNN_leave(&call);
}

static int32_t runBackward(const char *f, THNNState *state, const THTensor *input, const THTensor *gradOutput,
                           THTensor *gradInput, const THLongTensor *indices, const Space *p)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), p));
  THNN_TRY(THNN_checkShape(f, "indices", view(indices), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  const real *g = THNN_in(&call, view(gradOutput));
  const index_t *index = THNN_in(&call, view(indices));
  real *gx = THNN_out(&call, view(gradInput));
  if (!THNN_ready(&call) || THNN_badIndices(&call, "indices", index, p->planes * planeCells(p), planeOutputs(p), -1))
    return THNN_leave(&call);
  unpoolBack(&call, gx, g, index, p);
  return THNN_leave(&call);
}

/* ---- The layers: their check and their three functions. */

/* Axes count the input's cells in `in`, the output's in `out`, as if this were pooling. */
static int32_t check(const char *f, const THTensor *input, int dims, int64_t otime, int64_t owidth, int64_t oheight, Space *p)
{
  THNN_TRY(THNN_checkPlanes(f, view(input), dims, INT64_MAX, p));
  THNN_TRY(THNN_checkRange(f, "otime", otime, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "owidth", owidth, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "oheight", oheight, 1, THNN_MAX_SIZE));
  p->t.out = otime;
  p->h.out = oheight;
  p->w.out = owidth;
  return THNN_OK;
}

int32_t THNN_(SpatialMaxUnpooling_outputSize)(const THTensor *input, int64_t owidth, int64_t oheight, int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, 2, 1, owidth, oheight, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(SpatialMaxUnpooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                const THLongTensor *indices, int64_t owidth, int64_t oheight)
{
  Space p;
  THNN_TRY(check(__func__, input, 2, 1, owidth, oheight, &p));
  return runForward(__func__, state, input, output, indices, &p);
}

int32_t THNN_(SpatialMaxUnpooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THLongTensor *indices, int64_t owidth,
                                                   int64_t oheight)
{
  Space p;
  THNN_TRY(check(__func__, input, 2, 1, owidth, oheight, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, indices, &p);
}

int32_t THNN_(VolumetricMaxUnpooling_outputSize)(const THTensor *input, int64_t otime, int64_t owidth, int64_t oheight,
                                                 int64_t size[8])
{
  Space p;
  THNN_TRY(check(__func__, input, 3, otime, owidth, oheight, &p));
  return THNN_spaceSize(__func__, view(input), &p, size);
}

int32_t THNN_(VolumetricMaxUnpooling_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                   const THLongTensor *indices, int64_t otime, int64_t owidth, int64_t oheight)
{
  Space p;
  THNN_TRY(check(__func__, input, 3, otime, owidth, oheight, &p));
  return runForward(__func__, state, input, output, indices, &p);
}

int32_t THNN_(VolumetricMaxUnpooling_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradInput, const THLongTensor *indices, int64_t otime,
                                                      int64_t owidth, int64_t oheight)
{
  Space p;
  THNN_TRY(check(__func__, input, 3, otime, owidth, oheight, &p));
  return runBackward(__func__, state, input, gradOutput, gradInput, indices, &p);
}
