/* Memory that is called into the cache shortly before it is wanted.
 *
 * A processor that walks through memory asks for what comes next by itself, as far ahead as it can see: a few hundred instructions.
 * Where much is computed, scattered or stored between two loads that is too late, and at the end of a short row, or of a page, it
 * begins anew. Such a kernel says what it will want, and is up to twice as fast where no cache holds that; loops along one long row gain
 * nothing. Best it says so line by line, as it loads: a processor that has asked for a dozen lines waits until one of them has come. */
#ifndef THNN_FETCH_H
#define THNN_FETCH_H

#include <stdint.h>
#include "core/machine.h"

/* `bytes` bytes, from `offset` bytes after `base` on. They may lie beyond the array: nothing is read that a program would notice. */
static inline __attribute__((always_inline)) void THNN_fetch(const void *base, int64_t offset, int64_t bytes)
{
  for (int64_t i = 0; i < bytes; i += THNN_LINE) __builtin_prefetch((const void *)((uintptr_t)base + (uintptr_t)(offset + i)));
}

#endif
