/* Threads of a device that share whole planes.
 *
 * A plane is read by a team: a warp, or a block if it is large. Few large planes are cut into parts, a block each, whose results a
 * second kernel joins in their order. */
#ifndef THCUNN_POOLING_PLANES_H
#define THCUNN_POOLING_PLANES_H

#include "core/real.h"

enum {
  PART_CELLS = 1 << 15,
  MANY_PLANES = 1 << 10, /* enough for all blocks: planes stay whole */
};

/* The number of parts of a plane. It depends on the shapes alone. */
static inline int64_t planeParts(int64_t planes, int64_t cells)
{
  return planes >= MANY_PLANES ? 1 : THNN_max(THNN_ceilDiv(cells, PART_CELLS), 1);
}

#endif
