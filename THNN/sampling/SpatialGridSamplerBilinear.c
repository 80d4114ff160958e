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
 * As SpatialGridSamplerBilinear of Torch7's THNN. */
#include "declared/SpatialGridSamplerBilinear.h"
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

/* ---- The definition, for one sample. */

/* Both places of output o. */
static void look(const real *grid, int64_t o, const Sampled *p, Place *h, Place *w)
{
  *w = placeOf((accreal)grid[2 * o], p->width);
  *h = placeOf((accreal)grid[2 * o + 1], p->height);
}

static void forward(real *y, const real *x, const real *grid, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  for (int64_t c = 0; c < p->channels; c++)
    for (int64_t o = 0; o < cells; o++) {
      Place h, w;
      look(grid, o, p, &h, &w);
      double sum = 0;
      for (int i = 0; i < 4; i++) {
        const int32_t cell = cellOf(p, h, w, i);
        const double weight = (double)cellWeight(h, w, i);
        if (cell >= 0 && weight != 0) sum += weight * (double)x[c * inputs + cell];
      }
      y[c * cells + o] = (real)sum;
    }
}

/* What output o of a channel, with the gradient g, gives to its cells; returns what it gives to both numbers of its place, in cells. */
static void spread(real *gx, const real *x, double g, Place h, Place w, const Sampled *p, double *down, double *right)
{
  double shown[4];
  for (int i = 0; i < 4; i++) {
    const int32_t cell = cellOf(p, h, w, i);
    const double weight = (double)cellWeight(h, w, i);
    shown[i] = cell >= 0 ? (double)x[cell] : 0;
    if (cell >= 0 && weight != 0) gx[cell] += (real)(weight * g);
  }
  *right += g * ((1 - (double)h.fraction) * (shown[1] - shown[0]) + (double)h.fraction * (shown[3] - shown[2]));
  *down += g * ((1 - (double)w.fraction) * (shown[2] - shown[0]) + (double)w.fraction * (shown[3] - shown[1]));
}

static void backward(real *gx, real *gGrid, const real *x, const real *grid, const real *g, const Sampled *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  for (int64_t i = 0; i < p->channels * inputs; i++) gx[i] = 0;
  for (int64_t o = 0; o < cells; o++) {
    Place h, w;
    look(grid, o, p, &h, &w);
    const int isOutside = (cellOf(p, h, w, 0) & cellOf(p, h, w, 1) & cellOf(p, h, w, 2) & cellOf(p, h, w, 3)) < 0;
    double down = 0, right = 0;
    for (int64_t c = 0; c < p->channels && !isOutside; c++)
      spread(gx + c * inputs, x + c * inputs, (double)g[c * cells + o], h, w, p, &down, &right);
    gGrid[2 * o] = (real)(right * (double)(p->width - 1) / 2);
    gGrid[2 * o + 1] = (real)(down * (double)(p->height - 1) / 2);
  }
}

/* ---- The functions. What is fast: the cells of a group of channels, or of some places, at once (grid.c). */

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

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *places = THNN_in(&call, view(grid));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(sampleGrid)(&call, y, x, places, &p);
  else
    for (int64_t n = 0, cells = p.oheight * p.owidth; n < p.samples; n++)
      forward(y + n * p.channels * cells, x + n * p.channels * p.height * p.width, places + n * 2 * cells, &p);
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

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *places = THNN_in(&call, view(grid)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput)), *gPlaces = THNN_out(&call, view(gradGrid));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(gridGradients)(&call, gx, gPlaces, x, places, g, &p);
  else
    for (int64_t n = 0, cells = p.oheight * p.owidth; n < p.samples; n++) {
      const int64_t input = n * p.channels * p.height * p.width;
      backward(gx + input, gPlaces + n * 2 * cells, x + input, places + n * 2 * cells, g + n * p.channels * cells, &p);
    }
  return THNN_leave(&call);
}
