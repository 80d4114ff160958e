/* The interface of layers outside of the library: a table of the core's functions, which hides all of them behind one exported name.
 *
 * THNN_layerInterface returns the table; with layer.h a layer's file calls its entries by the usual names. An entry is as its function,
 * which core.h, space.h and real.h explain. A change of the entries, or of the fields of Call, View, Space and Axis, raises
 * THNN_LAYER_VERSION: a layer that was built for another one is then refused. */
#ifndef THNN_INTERFACE_H
#define THNN_INTERFACE_H

#include "core/core.h"
#include "core/space.h"

#define THNN_LAYER_VERSION 3

// clang-format off
#define THNN_LAYER_FUNCTIONS(entry) \
  entry(enterEnvironment) entry(leaveEnvironment) entry(fail) entry(shapeText) entry(nElement) entry(isContiguous) entry(sameShape) entry(checkInput) entry(checkShape) \
  entry(checkCount) entry(checkOutput) entry(otherSizes) entry(checkRange) entry(enter) entry(in) entry(out) entry(acc) \
  entry(scratch) entry(ready) entry(leave) entry(badIndices) entry(threads) entry(plain) entry(threadId) \
  entry(lockGenerator) entry(unlockGenerator) entry(draw) entry(drawMany) entry(drawUniform) entry(drawNormal) \
  entry(checkPlanes) entry(checkFrames) entry(checkSliding) entry(checkSlidingFrames) entry(checkAdaptive) \
  entry(checkAdaptiveFrames) entry(checkOutputsFromGrad) entry(checkAdaptiveFramesFromGrad) entry(spaceSize) entry(checkSpace) \
  entry(checkSpaceOutput) entry(checkGradients)
// clang-format on

/* One that is not aligned, as in real.h. */
typedef float THNN_anyFloat __attribute__((aligned(1)));
typedef double THNN_anyDouble __attribute__((aligned(1)));
typedef void THNN_FloatProduct(Call *call, int threads, int transA, int transB, int64_t m, int64_t n, int64_t k, THNN_anyFloat alpha,
                               const THNN_anyFloat *a, int64_t lda, const THNN_anyFloat *b, int64_t ldb, THNN_anyFloat beta,
                               THNN_anyFloat *c, int64_t ldc);
typedef void THNN_DoubleProduct(Call *call, int threads, int transA, int transB, int64_t m, int64_t n, int64_t k, THNN_anyDouble alpha,
                                const THNN_anyDouble *a, int64_t lda, const THNN_anyDouble *b, int64_t ldb, THNN_anyDouble beta,
                                THNN_anyDouble *c, int64_t ldc);

typedef struct THNNLayerInterface {
  int32_t version, layout; /* THNN_LAYER_VERSION, THNN_LAYER_LAYOUT */
#define THNN_ENTRY(name) __typeof__(THNN_##name) *name;
  THNN_LAYER_FUNCTIONS(THNN_ENTRY)
#undef THNN_ENTRY
  THNN_FloatProduct *Floatgemm;
  THNN_DoubleProduct *Doublegemm;
  /* The functions that gcc calls for shared loops (core/team.c); NULL in a library that another compiler has built. */
  void (*parallel)(void (*body)(void *), void *data, unsigned threads, unsigned flags);
  int (*threadNumber)(void), (*threadCount)(void);
  void (*parallelDynamic)(void (*body)(void *), void *data, unsigned threads, long begin, long end, long step, long chunk, unsigned flags);
  _Bool (*nextDynamic)(long *from, long *to);
  void (*endLoop)(void);
} THNNLayerInterface;

/* Differs where the compiler lays out what layers have in their own memory in another way. */
#define THNN_LAYER_LAYOUT \
  (int32_t)(sizeof(Call) * 31 + sizeof(View) * 17 + sizeof(Space) * 7 + sizeof(Axis) * 3 + sizeof(THNNLayerInterface))

#endif
