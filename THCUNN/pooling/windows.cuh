/* What the kernels of windows share. */
#ifndef THCUNN_POOLING_WINDOWS_H
#define THCUNN_POOLING_WINDOWS_H

#include "pooling/window.h"

/* Most cells of a window along an axis. */
static inline double mostCells(const Axis *a) { return (double)(a->kernel ? THNN_min(a->kernel, a->in) : THNN_ceilDiv(a->in, a->out)); }

/* Do windows have so many cells that a warp should share one? */
static inline bool largeWindows(const Windows *p) { return mostCells(&p->t) * mostCells(&p->h) * mostCells(&p->w) >= 64; }

#endif
