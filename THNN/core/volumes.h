/* Layers that give a tensor of planes other sizes: (N x) C x T x H x W or (N x) C x H x W, of which the last sizes change. */
#ifndef THNN_VOLUMES_H
#define THNN_VOLUMES_H

#include "core/core.h"
#include "core/geometry.h"

/* Planes of t x h x w cells; those of H x W have t = 1. */
typedef struct Volumes {
  int32_t dims;  /* 2: H x W, 3: T x H x W */
  int64_t count; /* N * C */
  int64_t t, h, w;
} Volumes;

THNN_INLINE int64_t volumeCells(const Volumes *p) { return p->t * p->h * p->w; }

/* An input of planes that have a cell, with sizes that geometry can compute with. */
__attribute__((unused)) static int32_t checkVolumes(const char *f, View input, int32_t dims, Volumes *p)
{
  THNN_TRY(THNN_checkInput(f, "input", input, dims + 1, dims + 2, dims == 2 ? "(N x) C x H x W" : "(N x) C x T x H x W"));
  const int64_t *last = input.size + input.nDimension;
  THNN_TRY(THNN_checkRange(f, "input width", last[-1], 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "input height", last[-2], 1, THNN_MAX_SIZE));
  if (dims == 3) THNN_TRY(THNN_checkRange(f, "input time", last[-3], 1, THNN_MAX_SIZE));
  const int64_t samples = input.nDimension == dims + 2 ? input.size[0] : 1;
  *p = (Volumes){dims, samples * last[-dims - 1], dims == 3 ? last[-3] : 1, last[-2], last[-1]};
  return THNN_OK;
}

/* As input, but with the planes of `out`: a shape to ask for, to check, and to check for writing. */
__attribute__((unused)) static int32_t volumeShape(const char *f, View input, const Volumes *out, int64_t *size)
{
  if (!size) return THNN_fail(THNN_ERR_NULL, f, "size", "expected a place for 8 sizes, got NULL");
  const int64_t last[] = {out->t, out->h, out->w};
  const int32_t kept = input.nDimension - out->dims;
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) {
    size[d] = d < kept ? input.size[d] : (d < input.nDimension ? last[3 - out->dims + d - kept] : 0);
  }
  return THNN_OK;
}

__attribute__((unused)) static int32_t checkVolumeInput(const char *f, const char *name, View v, View input, const Volumes *out)
{
  int64_t size[THNN_MAX_DIMS];
  volumeShape(f, input, out, size);
  return THNN_checkShape(f, name, v, input.nDimension, size);
}

__attribute__((unused)) static int32_t checkVolumeOutput(const char *f, const char *name, View v, View input, const Volumes *out)
{
  int64_t size[THNN_MAX_DIMS];
  volumeShape(f, input, out, size);
  return THNN_checkOutput(f, name, v, input.nDimension, size);
}

#endif
