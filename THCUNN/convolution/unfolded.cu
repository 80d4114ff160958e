/* unfolded on the device. Story, checks and functions: THNN/convolution/unfolded.c. */
#include "convolution/unfold.cuh"

static void copy(Call *call, real *columns, const real *x, const Window *win)
{
  unfold(call, columns, x, *win, 0, areaOf(*win), areaOf(*win));
}

static void add(Call *call, real *x, const real *columns, const Window *win)
{
  fold(call, x, columns, NULL, true, *win, 0, win->planes, 0, 1, areaOf(*win));
}

#include "convolution/unfolded.c"
