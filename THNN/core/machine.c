/* What the system tells about the processor. */
#include "core/machine.h"
#include <stdatomic.h>
#include <unistd.h>

int64_t THNN_secondCache(void)
{
  enum {
    USUAL = 512 << 10, /* where the system does not know */
    LEAST = 256 << 10,
    MOST = 2 << 20,
  };
  static atomic_long known;
  long bytes = atomic_load_explicit(&known, memory_order_relaxed);
  if (bytes) return bytes;
  bytes = USUAL;
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (told > 0) bytes = told < LEAST ? LEAST : (told > MOST ? MOST : told);
#endif
  atomic_store_explicit(&known, bytes, memory_order_relaxed);
  return bytes;
}
