/* SpatialGridSamplerBilinear: planes looked at in places that a grid names, with straight lines between their cells.
 *
 *   output[o] = sum over the 4 cells i around the place of o of weight(o, i) * input[i]
 *
 * where grid[o] = (x, y) names the place (h, w) = ((y + 1) / 2 * (H - 1), (x + 1) / 2 * (W - 1)): -1 is the centre of the first
 * cell and 1 that of the last one. The weight along each axis falls from 1 at the cell to 0 at its neighbours. Outside of the
 * plane everything is 0. A place that is NaN, and not outside by its other number, gives NaN.
 *
 *   gradInput[i]   = sum over o of weight(o, i) * gradOutput[o]
 *   gradGrid[o][x] = sum over channels of gradOutput[o] * d output[o] / dx, y likewise
 *
 *   input       N x C x H x W
 *   grid        N x oH x oW x 2
 *   output      N x C x oH x oW, overwritten
 *   gradInput   as input, overwritten
 *   gradGrid    as grid, overwritten
 *
 * Any number of places may look at a cell, so gradInput is scattered, by one thread for each plane and in the order of the
 * outputs. As SpatialGridSamplerBilinear of Torch7's THNN. */
#include <math.h>
#include "core/real.h"
#include "core/volumes.h"

enum { BAND = 32 }; /* rows of the grid in a task */

typedef struct Sampled {
  int64_t samples, channels, height, width, oheight, owidth;
} Sampled;

static int32_t check(const char *f, const THTensor *input, const THTensor *grid, Sampled *p)
{
  Volumes planes;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 4, 4, "N x C x H x W"));
  THNN_TRY(checkVolumes(f, view(input), 2, &planes));
  THNN_TRY(THNN_checkInput(f, "grid", view(grid), 4, 4, "N x oH x oW x 2"));
  const int64_t size[] = {input->size[0], grid->size[1], grid->size[2], 2};
  THNN_TRY(THNN_checkShape(f, "grid", view(grid), 4, size));
  *p = (Sampled){input->size[0], input->size[1], planes.h, planes.w, grid->size[1], grid->size[2]};
  return THNN_OK;
}

static void outputShape(const Sampled *p, int64_t *size)
{
  const int64_t known[THNN_MAX_DIMS] = {p->samples, p->channels, p->oheight, p->owidth};
  memcpy(size, known, sizeof(known));
}

enum { OUTSIDE = -2 };

/* A place on an axis: cells low and low + 1, of which none, one or both exist, and the fraction by which it is past low. */
typedef struct Place {
  int64_t low;
  real fraction;
} Place;

THNN_INLINE Place placeOf(real mark, int64_t n)
{
  const real at = (mark + 1) / 2 * (real)(n - 1);
  if (at != at) return (Place){0, at};
  if (!(at > -1 && at < (real)n)) return (Place){OUTSIDE, 0};
  const real low = (real)floor((double)at);
  return (Place){(int64_t)low, at - low};
}

THNN_INLINE int isInside(const Sampled *p, int64_t h, int64_t w) { return h >= 0 && h < p->height && w >= 0 && w < p->width; }

/* The cell, or 0 where there is none. */
THNN_INLINE real cell(const real *x, const Sampled *p, int64_t h, int64_t w)
{
  return isInside(p, h, w) ? x[h * p->width + w] : 0;
}

/* weight * cell; a cell without weight is not looked at. */
THNN_INLINE real part(real weight, const real *x, const Sampled *p, int64_t h, int64_t w)
{
  return weight != 0 && isInside(p, h, w) ? weight * x[h * p->width + w] : 0;
}

THNN_INLINE void give(real *gx, const Sampled *p, int64_t h, int64_t w, real weight, real g)
{
  if (weight != 0 && isInside(p, h, w)) gx[h * p->width + w] += weight * g;
}

static void sampleRow(real *restrict y, const real *restrict x, const real *restrict grid, const Sampled *p)
{
  for (int64_t o = 0; o < p->owidth; o++) {
    const Place w = placeOf(grid[2 * o], p->width), h = placeOf(grid[2 * o + 1], p->height);
    y[o] = part((1 - h.fraction) * (1 - w.fraction), x, p, h.low, w.low) +
           part((1 - h.fraction) * w.fraction, x, p, h.low, w.low + 1) +
           part(h.fraction * (1 - w.fraction), x, p, h.low + 1, w.low) +
           part(h.fraction * w.fraction, x, p, h.low + 1, w.low + 1);
  }
}

static void scatterRow(real *restrict gx, const real *restrict g, const real *restrict grid, const Sampled *p)
{
  for (int64_t o = 0; o < p->owidth; o++) {
    const Place w = placeOf(grid[2 * o], p->width), h = placeOf(grid[2 * o + 1], p->height);
    give(gx, p, h.low, w.low, (1 - h.fraction) * (1 - w.fraction), g[o]);
    give(gx, p, h.low, w.low + 1, (1 - h.fraction) * w.fraction, g[o]);
    give(gx, p, h.low + 1, w.low, h.fraction * (1 - w.fraction), g[o]);
    give(gx, p, h.low + 1, w.low + 1, h.fraction * w.fraction, g[o]);
  }
}

/* Adds what one channel gives to the gradients of a row of the grid; places outside get nothing. */
static void slopesOfRow(real *restrict gGrid, const real *restrict x, const real *restrict g, const real *restrict grid,
                        const Sampled *p)
{
  for (int64_t o = 0; o < p->owidth; o++) {
    const Place w = placeOf(grid[2 * o], p->width), h = placeOf(grid[2 * o + 1], p->height);
    if (w.low == OUTSIDE || h.low == OUTSIDE) continue;
    const real a = cell(x, p, h.low, w.low), b = cell(x, p, h.low, w.low + 1), c = cell(x, p, h.low + 1, w.low),
               d = cell(x, p, h.low + 1, w.low + 1);
    gGrid[2 * o] += g[o] * ((1 - h.fraction) * (b - a) + h.fraction * (d - c)) * (real)(p->width - 1) / 2;
    gGrid[2 * o + 1] += g[o] * ((1 - w.fraction) * (c - a) + w.fraction * (d - b)) * (real)(p->height - 1) / 2;
  }
}

int32_t THNN_(SpatialGridSamplerBilinear_outputSize)(const THTensor *input, const THTensor *grid, int64_t size[8])
{
  Sampled p;
  THNN_TRY(check(__func__, input, grid, &p));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  outputShape(&p, size);
  return THNN_OK;
}

int32_t THNN_(SpatialGridSamplerBilinear_updateOutput)(THNNState *state, const THTensor *input, const THTensor *grid,
                                                       THTensor *output)
{
  Sampled p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, grid, &p));
  outputShape(&p, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 4, size));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "input", view(input), 0));
  THNN_TRY(THNN_checkApart(__func__, "output", view(output), "grid", view(grid), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *places = THNN_in(&call, view(grid));
  real *y = THNN_out(&call, view(output));
  if (THNN_failed(&call)) return THNN_leave(&call);

  const int64_t planes = p.samples * p.channels, cells = p.oheight * p.owidth;
  const int threads = THNN_threads(&call, 8 * planes * cells);
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t plane = 0; plane < planes; plane++)
    for (int64_t band = 0; band < p.oheight; band += BAND)
      for (int64_t h = band; h < THNN_min(band + BAND, p.oheight); h++)
        sampleRow(y + plane * cells + h * p.owidth, x + plane * p.height * p.width,
                  places + 2 * (plane / p.channels * cells + h * p.owidth), &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGridSamplerBilinear_updateGradInput)(THNNState *state, const THTensor *input, THTensor *gradInput,
                                                          const THTensor *grid, THTensor *gradGrid, const THTensor *gradOutput)
{
  Sampled p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, grid, &p));
  outputShape(&p, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), 4, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), 4, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradGrid", view(gradGrid), 4, grid->size));
  const struct {
    const char *name;
    View view;
  } outputs[] = {{"gradInput", view(gradInput)}, {"gradGrid", view(gradGrid)}};
  for (int i = 0; i < 2; i++) {
    THNN_TRY(THNN_checkApart(__func__, outputs[i].name, outputs[i].view, "input", view(input), 0));
    THNN_TRY(THNN_checkApart(__func__, outputs[i].name, outputs[i].view, "grid", view(grid), 0));
    THNN_TRY(THNN_checkApart(__func__, outputs[i].name, outputs[i].view, "gradOutput", view(gradOutput), 0));
  }
  THNN_TRY(THNN_checkApart(__func__, "gradGrid", view(gradGrid), "gradInput", view(gradInput), 0));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *places = THNN_in(&call, view(grid)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput)), *gPlaces = THNN_out(&call, view(gradGrid));
  if (THNN_failed(&call)) return THNN_leave(&call);

  const int64_t planes = p.samples * p.channels, cells = p.oheight * p.owidth, inputs = p.height * p.width;
  const int threads = THNN_threads(&call, 8 * planes * (cells + inputs));
#pragma omp parallel for num_threads(threads)
  for (int64_t plane = 0; plane < planes; plane++) {
    memset((void *)(gx + plane * inputs), 0, (size_t)inputs * sizeof(real));
    for (int64_t h = 0; h < p.oheight; h++)
      scatterRow(gx + plane * inputs, g + plane * cells + h * p.owidth,
                 places + 2 * (plane / p.channels * cells + h * p.owidth), &p);
  }
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < p.samples * p.oheight; row++) {
    const int64_t n = row / p.oheight, h = row % p.oheight, at = 2 * row * p.owidth;
    memset((void *)(gPlaces + at), 0, (size_t)(2 * p.owidth) * sizeof(real));
    for (int64_t plane = n * p.channels; plane < (n + 1) * p.channels; plane++)
      slopesOfRow(gPlaces + at, x + plane * inputs, g + plane * cells + h * p.owidth, places + at, &p);
  }
  return THNN_leave(&call);
}
