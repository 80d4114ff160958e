/* The table of what layers outside of the library call. */
#include <stdbool.h>
#include "core/interface.h"

THNN_FloatProduct THNN_Floatgemm;
THNN_DoubleProduct THNN_Doublegemm;

#ifdef THNN_OWN_TEAM
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
void GOMP_parallel_loop_nonmonotonic_dynamic(void (*body)(void *), void *data, unsigned threads, long begin, long end, long step,
                                             long chunk, unsigned flags);
bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to);
void GOMP_loop_end_nowait(void);
#endif

static const THNNLayerInterface table = {
    .version = THNN_LAYER_VERSION,
    .layout = THNN_LAYER_LAYOUT,
    .Floatgemm = THNN_Floatgemm,
    .Doublegemm = THNN_Doublegemm,
#ifdef THNN_OWN_TEAM
    .parallel = GOMP_parallel,
    .threadNumber = omp_get_thread_num,
    .threadCount = omp_get_num_threads,
    .parallelDynamic = GOMP_parallel_loop_nonmonotonic_dynamic,
    .nextDynamic = GOMP_loop_nonmonotonic_dynamic_next,
    .endLoop = GOMP_loop_end_nowait,
#endif
#define THNN_ENTRY(name) .name = THNN_##name,
    THNN_LAYER_FUNCTIONS(THNN_ENTRY)
#undef THNN_ENTRY
};

const void *THNN_layerInterface(int32_t version)
{
  if (version == THNN_LAYER_VERSION) return &table;
  THNN_fail(THNN_ERR_VERSION, __func__, "version", "expected %d, that of this library's layer.h, got %d", THNN_LAYER_VERSION, version);
  return NULL;
}
