/* The kernels of unfolded on a device. Checks and functions are those of the C file, which ends this one. */
#include "convolution/unfold.cuh"

static void copy(Call *call, real *columns, const real *x, const Window *win)
{
  unfold(call, columns, x, *win, 0, outputSize(*win), outputSize(*win));
}

static void add(Call *call, real *x, const real *columns, const Window *win)
{
  fold(call, x, columns, NULL, true, *win, 0, win->channels, 0, 1, outputSize(*win));
}

#include "convolution/unfolded.c"
