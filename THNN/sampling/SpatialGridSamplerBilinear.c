/* SpatialGridSamplerBilinear: planes, read at the positions of a grid, with linear interpolation between their cells.
 *
 *   output[o] = sum over the 4 cells i around the position of o of weight(o, i) * input[i]
 *
 * grid[o] = (x, y) names the position (h, w) = ((y + 1) / 2 * (H - 1), (x + 1) / 2 * (W - 1)): -1 is the centre of the first
 * cell and 1 that of the last one. The weight along each axis falls from 1 at the cell to 0 at its neighbours. Outside of the
 * plane everything is 0. The output of a position that is NaN, and not outside by its other number, is NaN.
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
 * All is as in Torch7's THNN. */
#include "declared/SpatialGridSamplerBilinear.h"
#include "core/space.h"
#include "sampling/SpatialGridSamplerBilinear.h"

static int32_t check(const char *f, const THTensor *input, const THTensor *grid, Sampling *p)
{
  Space s;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 4, 4, "N x C x H x W"));
  THNN_TRY(THNN_checkPlanes(f, view(input), 2, THNN_MAX_SIZE, &s));
  THNN_TRY(THNN_checkRange(f, "input cells in a plane", planeCells(&s), 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkInput(f, "grid", view(grid), 4, 4, "N x oH x oW x 2"));
  const int64_t size[] = {input->size[0], grid->size[1], grid->size[2], 2};
  THNN_TRY(THNN_checkShape(f, "grid", view(grid), 4, size));
  *p = (Sampling){input->size[0], input->size[1], s.h.in, s.w.in, grid->size[1], grid->size[2]};
  return THNN_OK;
}

static void outputShape(const Sampling *p, int64_t *size)
{
  const int64_t sizes[THNN_MAX_DIMS] = {p->samples, p->channels, p->oheight, p->owidth};
  memcpy(size, sizes, sizeof(sizes));
}

/* ---- The definition, for one sample. */

/* The positions of output o along both axes. */
static void readGrid(const real *grid, int64_t o, const Sampling *p, Position *h, Position *w)
{
  *w = gridPosition((accreal)grid[2 * o], p->width);
  *h = gridPosition((accreal)grid[2 * o + 1], p->height);
}

static void forward(real *y, const real *x, const real *grid, const Sampling *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  for (int64_t c = 0; c < p->channels; c++)
    for (int64_t o = 0; o < cells; o++) {
      Position h, w;
      readGrid(grid, o, p, &h, &w);
      double sum = 0;
      for (int i = 0; i < 4; i++) {
        const int32_t cell = cornerCell(p, h, w, i);
        const double weight = (double)cornerWeight(h, w, i);
        if (cell >= 0 && weight != 0) sum += weight * (double)x[c * inputs + cell];
      }
      y[c * cells + o] = (real)sum;
    }
}

/* Adds the gradient g of an output of a channel to the gradients of its cells, and to those of its position, in cells. */
static void addGradients(real *gx, const real *x, double g, Position h, Position w, const Sampling *p, double *down, double *right)
{
  double value[4];
  for (int i = 0; i < 4; i++) {
    const int32_t cell = cornerCell(p, h, w, i);
    const double weight = (double)cornerWeight(h, w, i);
    value[i] = cell >= 0 ? (double)x[cell] : 0;
    if (cell >= 0 && weight != 0) gx[cell] += (real)(weight * g);
  }
  *right += g * ((1 - (double)h.fraction) * (value[1] - value[0]) + (double)h.fraction * (value[3] - value[2]));
  *down += g * ((1 - (double)w.fraction) * (value[2] - value[0]) + (double)w.fraction * (value[3] - value[1]));
}

static void backward(real *gx, real *gGrid, const real *x, const real *grid, const real *g, const Sampling *p)
{
  const int64_t cells = p->oheight * p->owidth, inputs = p->height * p->width;
  for (int64_t i = 0; i < p->channels * inputs; i++) gx[i] = 0;
  for (int64_t o = 0; o < cells; o++) {
    Position h, w;
    readGrid(grid, o, p, &h, &w);
    const int isOutside = (cornerCell(p, h, w, 0) & cornerCell(p, h, w, 1) & cornerCell(p, h, w, 2) & cornerCell(p, h, w, 3)) < 0;
    double down = 0, right = 0;
    for (int64_t c = 0; c < p->channels && !isOutside; c++)
      addGradients(gx + c * inputs, x + c * inputs, (double)g[c * cells + o], h, w, p, &down, &right);
    gGrid[2 * o] = (real)(right * (double)(p->width - 1) / 2);
    gGrid[2 * o + 1] = (real)(down * (double)(p->height - 1) / 2);
  }
}

/* ---- The functions. The fast loops treat a group of channels at once (SpatialGridSamplerBilinear_fast.c). */

int32_t THNN_(SpatialGridSamplerBilinear_outputSize)(const THTensor *input, const THTensor *grid, int64_t size[8])
{
  Sampling p;
  THNN_TRY(check(__func__, input, grid, &p));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  outputShape(&p, size);
  return THNN_OK;
}

int32_t THNN_(SpatialGridSamplerBilinear_updateOutput)(THNNState *state, const THTensor *input, const THTensor *grid,
                                                       THTensor *output)
{
  Sampling p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, grid, &p));
  outputShape(&p, size);
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 4, size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *positions = THNN_in(&call, view(grid));
  real *y = THNN_out(&call, view(output));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(sampleGrid)(&call, y, x, positions, &p);
  else
    for (int64_t n = 0, cells = p.oheight * p.owidth; n < p.samples; n++)
      forward(y + n * p.channels * cells, x + n * p.channels * p.height * p.width, positions + n * 2 * cells, &p);
  return THNN_leave(&call);
}

int32_t THNN_(SpatialGridSamplerBilinear_updateGradInput)(THNNState *state, const THTensor *input, THTensor *gradInput,
                                                          const THTensor *grid, THTensor *gradGrid, const THTensor *gradOutput)
{
  Sampling p;
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(check(__func__, input, grid, &p));
  outputShape(&p, size);
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), 4, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), 4, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "gradGrid", view(gradGrid), 4, grid->size));

  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *positions = THNN_in(&call, view(grid)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput)), *gGrid = THNN_out(&call, view(gradGrid));
  if (!THNN_ready(&call)) return THNN_leave(&call);
  if (!THNN_plain(&call)) THNN_(sampleGridBackward)(&call, gx, gGrid, x, positions, g, &p);
  else
    for (int64_t n = 0, cells = p.oheight * p.owidth; n < p.samples; n++) {
      const int64_t input = n * p.channels * p.height * p.width;
      backward(gx + input, gGrid + n * 2 * cells, x + input, positions + n * 2 * cells, g + n * p.channels * cells, &p);
    }
  return THNN_leave(&call);
}
