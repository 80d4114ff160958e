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
 * What some rows of the grid look at is found once and then used for many planes. Any number of places may look at a cell, so
 * gradInput is scattered, by one thread for each plane and in the order of the outputs.
 *
 * As SpatialGridSamplerBilinear of Torch7's THNN. */
#include "sampling/grid.h"

static int32_t check(const char *f, const THTensor *input, const THTensor *grid, Sampled *p)
{
  Volumes planes;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 4, 4, "N x C x H x W"));
  THNN_TRY(checkVolumes(f, view(input), 2, &planes));
  THNN_TRY(THNN_checkRange(f, "input cells in a plane", planes.h * planes.w, 1, THNN_MAX_SIZE));
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

#ifndef THNN_CUDA
enum { BAND = 8, PLANES = 8 }; /* rows of the grid and planes in a task */

/* ---- What rows of the grid look at. */

/* For each output of some rows: the four cells around its place, -1 for one that does not exist, their weights, 0 for such a one,
 * and the fractions. The cells are the upper two and the lower two, each pair from left to right. */
typedef struct Looks {
  int32_t *cell[4];
  real *weight[4], *down, *right;
} Looks;

enum { CELLS = 4, NUMBERS = 6 }; /* of an output in Looks */

static Looks looksAt(int32_t *cells, real *numbers, int64_t n)
{
  Looks looks = {.down = numbers + 4 * n, .right = numbers + 5 * n};
  for (int i = 0; i < 4; i++) looks.cell[i] = cells + i * n, looks.weight[i] = numbers + i * n;
  return looks;
}

static void look(Looks looks, const real *grid, int64_t n, const Sampled *p)
{
  for (int64_t o = 0; o < n; o++) {
    const Place w = placeOf(grid[2 * o], p->width), h = placeOf(grid[2 * o + 1], p->height);
    for (int i = 0; i < 4; i++) {
      looks.cell[i][o] = cellOf(p, h, w, i);
      looks.weight[i][o] = looks.cell[i][o] >= 0 ? cellWeight(h, w, i) : 0;
    }
    looks.down[o] = h.fraction;
    looks.right[o] = w.fraction;
  }
}

/* weight * cell; a cell that does not exist or has no weight counts nothing, whatever is in it. */
THNN_INLINE real part(real weight, const real *x, int32_t cell)
{
  const real value = x[cell < 0 ? 0 : cell];
  return weight != 0 ? weight * value : 0;
}

THNN_KERNEL void sample(real *restrict y, const real *restrict x, Looks looks, int64_t n)
{
  const int32_t *a = looks.cell[0], *b = looks.cell[1], *c = looks.cell[2], *d = looks.cell[3];
  const real *wa = looks.weight[0], *wb = looks.weight[1], *wc = looks.weight[2], *wd = looks.weight[3];
  for (int64_t o = 0; o < n; o++)
    y[o] = part(wa[o], x, a[o]) + part(wb[o], x, b[o]) + part(wc[o], x, c[o]) + part(wd[o], x, d[o]);
}

static void scatter(real *restrict gx, const real *restrict g, Looks looks, int64_t n)
{
  for (int64_t o = 0; o < n; o++)
    for (int i = 0; i < 4; i++)
      if (looks.weight[i][o] != 0) gx[looks.cell[i][o]] += looks.weight[i][o] * g[o];
}

THNN_INLINE real cellOr0(const real *x, int32_t cell)
{
  const real value = x[cell < 0 ? 0 : cell];
  return cell >= 0 ? value : 0;
}

/* Adds what one channel gives to the gradients of the grid, in cells; places outside of the plane get nothing. */
THNN_KERNEL void addSlopes(real *restrict gRight, real *restrict gDown, const real *restrict x, const real *restrict g, Looks looks,
                           int64_t n)
{
  for (int64_t o = 0; o < n; o++) {
    const int32_t i = looks.cell[0][o], j = looks.cell[1][o], k = looks.cell[2][o], l = looks.cell[3][o];
    const real a = cellOr0(x, i), b = cellOr0(x, j), c = cellOr0(x, k), d = cellOr0(x, l);
    const real down = looks.down[o], right = looks.right[o], gradient = (i & j & k & l) < 0 ? 0 : g[o];
    gRight[o] += gradient * ((1 - down) * (b - a) + down * (d - c));
    gDown[o] += gradient * ((1 - right) * (c - a) + right * (d - b));
  }
}

static void sampleAll(Call *call, real *y, const real *x, const real *places, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  const int threads = THNN_threads(call, 8 * p->samples * p->channels * cells);
  const int64_t room = BAND * p->owidth;
  int32_t *found = THNN_scratch(call, threads * CELLS * room, sizeof(int32_t));
  real *numbers = THNN_scratch(call, threads * NUMBERS * room, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < p->samples; n++)
    for (int64_t band = 0; band < p->oheight; band += BAND) {
      const int64_t id = THNN_threadId(), first = band * p->owidth, count = THNN_min(BAND, p->oheight - band) * p->owidth;
      const Looks looks = looksAt(found + id * CELLS * room, numbers + id * NUMBERS * room, room);
      look(looks, places + 2 * (n * cells + first), count, p);
      for (int64_t plane = n * p->channels; plane < (n + 1) * p->channels; plane++)
        sample(y + plane * cells + first, x + plane * inputs, looks, count);
    }
}

static void gradients(Call *call, real *gx, real *gPlaces, const real *x, const real *places, const real *g, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width, width = p->owidth;
  const int threads = THNN_threads(call, 8 * p->samples * p->channels * (cells + inputs));
  int32_t *found = THNN_scratch(call, threads * CELLS * width, sizeof(int32_t));
  real *numbers = THNN_scratch(call, threads * NUMBERS * width, sizeof(real));
  real *slopes = THNN_scratch(call, threads * 2 * width, sizeof(real));
  if (THNN_failed(call)) return;

#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < p->samples; n++)
    for (int64_t channel = 0; channel < p->channels; channel += PLANES) {
      const int64_t id = THNN_threadId(), first = n * p->channels + channel;
      const int64_t end = n * p->channels + THNN_min(channel + PLANES, p->channels);
      const Looks looks = looksAt(found + id * CELLS * width, numbers + id * NUMBERS * width, width);
      memset((void *)(gx + first * inputs), 0, (size_t)((end - first) * inputs) * sizeof(real));
      for (int64_t h = 0; h < p->oheight; h++) {
        look(looks, places + 2 * (n * cells + h * width), width, p);
        for (int64_t plane = first; plane < end; plane++)
          scatter(gx + plane * inputs, g + plane * cells + h * width, looks, width);
      }
    }
#pragma omp parallel for num_threads(threads)
  for (int64_t row = 0; row < p->samples * p->oheight; row++) {
    const int64_t id = THNN_threadId(), n = row / p->oheight, h = row % p->oheight;
    const Looks looks = looksAt(found + id * CELLS * width, numbers + id * NUMBERS * width, width);
    real *gRight = slopes + id * 2 * width, *gDown = gRight + width, *to = gPlaces + 2 * row * width;
    look(looks, places + 2 * row * width, width, p);
    memset((void *)gRight, 0, (size_t)(2 * width) * sizeof(real));
    for (int64_t plane = n * p->channels; plane < (n + 1) * p->channels; plane++)
      addSlopes(gRight, gDown, x + plane * inputs, g + plane * cells + h * width, looks, width);
    for (int64_t o = 0; o < width; o++) {
      to[2 * o] = gRight[o] * (real)(p->width - 1) / 2;
      to[2 * o + 1] = gDown[o] * (real)(p->height - 1) / 2;
    }
  }
}
#endif

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
  if (!THNN_failed(&call)) sampleAll(&call, y, x, places, &p);
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
  if (!THNN_failed(&call)) gradients(&call, gx, gPlaces, x, places, g, &p);
  return THNN_leave(&call);
}
