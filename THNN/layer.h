/* THNN/layer.h: what a layer of your own is written with, outside of the library. docs/extension.md is its guide.
 *
 * A layer is a C file that is compiled twice, for float and for double, as the library's own are:
 *
 *     #include "THNN/layer.h"
 *     #include "MyLayer.h"                      its declarations, written as those of THNN.h
 *
 *     int32_t THNN_(MyLayer_updateOutput)(THNNState *state, const THTensor *input, THTensor *output)
 *     {
 *       const char *f = __func__;
 *       THNN_TRY(THNN_checkInput(f, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));            all checks stand first
 *       THNN_TRY(THNN_checkOutput(f, "output", view(output), input->nDimension, input->size));
 *
 *       Call call;
 *       THNN_enter(&call, state, f);
 *       const real *x = THNN_in(&call, view(input));                  contiguous memory, whatever the strides of the views
 *       real *y = THNN_out(&call, view(output));
 *       const int64_t n = THNN_nElement(view(input));
 *       const int threads = THNN_threads(&call, n);
 *       if (THNN_ready(&call)) {
 *         #pragma omp parallel for num_threads(threads)
 *         for (int64_t i = 0; i < n; i++) y[i] = x[i] * x[i];
 *       }
 *       return THNN_leave(&call);                                     copies back, gives back the memory, returns the status
 *     }
 *
 * The interface, of version THNN_LAYER_VERSION
 *   names      real, accreal; THNN_(name), which is THNN_Floatname or THNN_Doublename; THTensor, THLongTensor, THByteTensor
 *   numbers    THNN_APART, THNN_IN_DEFAULT_ENVIRONMENT: for what computes outside of a call, such as checks (core/core.h)
 *   checks     THNN_TRY, THNN_fail, view; THNN_checkInput, checkShape, checkCount, checkOutput, otherSizes, checkRange
 *   a call     Call, THNN_enter, in, out, acc, scratch, ready, badIndices, leave; THNN_nElement, isContiguous, sameShape
 *   threads    THNN_threads, threadId, perThread; loops that say `omp parallel for num_threads(...)`, perhaps with reduction(...) or
 *              schedule(dynamic), are shared by the library's threads where gcc compiles them, and are plain loops elsewhere
 *   windows    Space, Axis, sliding, windowStart, windowEnd, windowCells, firstWindow, endWindow; THNN_checkPlanes, checkSliding,
 *              checkAdaptive, spaceSize, checkSpace, checkSpaceOutput, checkGradients (core/space.h)
 *   planes     THNN_forwardPlanes, THNN_backwardPlanes (below): checks and memory around a pass over planes
 *   products   THNN_(gemm)
 *   random     THNN_lockGenerator, unlockGenerator, draw, drawMany, drawUniform, drawNormal
 * What else the headers in core/ have is the library's own and may change.
 *
 * A built layer holds no part of the library but a pointer to its table of functions, which the host hands over when it has opened the
 * file: THNN_attachLayer(THNN_layerInterface(THNN_LAYER_VERSION)). In a process where libTHNN's names are visible to all (a program
 * that was linked with it) that has happened by itself. */
#ifndef THNN_LAYER_H
#define THNN_LAYER_H

#include "core/real.h"
#include "core/space.h"

#ifdef THNN_CUDA
#undef THNN_API
#define THNN_API extern "C" __attribute__((visibility("default"))) /* for declarations without a header of their own, too */
#else
#include "core/interface.h"

#ifdef __cplusplus
#error THNN/layer.h: expected a C compiler; only CUDA files are C++
#endif

#define THNN_IN_EACH_FILE __attribute__((weak, visibility("hidden"))) /* one of its kind in a library of several files */

THNN_IN_EACH_FILE const THNNLayerInterface *THNN_interface;

#if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__)
#define THNN_SHARES_LOOPS /* by what gcc calls */
#endif

/* THNN_OK, or the version of layer.h that the layer was built with, where that of the library, which has given the table, is another. 0 less
 * it where the layer was compiled with -fopenmp and the library has no threads for gcc's loops. */
__attribute__((weak, visibility("default"))) int32_t THNN_attachLayer(const void *table)
{
  const THNNLayerInterface *given = table;
  if (!given || given->version != THNN_LAYER_VERSION || given->layout != THNN_LAYER_LAYOUT) return THNN_LAYER_VERSION;
#ifdef THNN_SHARES_LOOPS
  if (!given->parallel) return -THNN_LAYER_VERSION;
#endif
  THNN_interface = given;
  return THNN_OK;
}

#pragma weak THNN_layerInterface
__attribute__((constructor, unused)) static void THNN_attachByItself(void)
{
  if (THNN_layerInterface && !THNN_interface) THNN_attachLayer(THNN_layerInterface(THNN_LAYER_VERSION));
}

/* ------------------------------------------------------------------------------------------------ the table's functions */

#define THNN_fail THNN_interface->fail
#define THNN_shapeText THNN_interface->shapeText
#define THNN_nElement THNN_interface->nElement
#define THNN_isContiguous THNN_interface->isContiguous
#define THNN_sameShape THNN_interface->sameShape
#define THNN_checkInput THNN_interface->checkInput
#define THNN_checkShape THNN_interface->checkShape
#define THNN_checkCount THNN_interface->checkCount
#define THNN_checkOutput THNN_interface->checkOutput
#define THNN_otherSizes THNN_interface->otherSizes
#define THNN_checkRange THNN_interface->checkRange
#define THNN_enter THNN_interface->enter
#define THNN_in THNN_interface->in
#define THNN_out THNN_interface->out
#define THNN_acc THNN_interface->acc
#define THNN_scratch THNN_interface->scratch
#define THNN_ready THNN_interface->ready
#define THNN_leave THNN_interface->leave
#define THNN_badIndices THNN_interface->badIndices
#define THNN_threads THNN_interface->threads
#define THNN_plain THNN_interface->plain
#define THNN_threadId THNN_interface->threadId
#define THNN_lockGenerator THNN_interface->lockGenerator
#define THNN_unlockGenerator THNN_interface->unlockGenerator
#define THNN_draw THNN_interface->draw
#define THNN_drawMany THNN_interface->drawMany
#define THNN_drawUniform THNN_interface->drawUniform
#define THNN_drawNormal THNN_interface->drawNormal
#define THNN_checkPlanes THNN_interface->checkPlanes
#define THNN_checkFrames THNN_interface->checkFrames
#define THNN_checkSliding THNN_interface->checkSliding
#define THNN_checkSlidingFrames THNN_interface->checkSlidingFrames
#define THNN_checkAdaptive THNN_interface->checkAdaptive
#define THNN_checkAdaptiveFrames THNN_interface->checkAdaptiveFrames
#define THNN_checkOutputsFromGrad THNN_interface->checkOutputsFromGrad
#define THNN_checkAdaptiveFramesFromGrad THNN_interface->checkAdaptiveFramesFromGrad
#define THNN_spaceSize THNN_interface->spaceSize
#define THNN_checkSpace THNN_interface->checkSpace
#define THNN_checkSpaceOutput THNN_interface->checkSpaceOutput
#define THNN_checkGradients THNN_interface->checkGradients
#define THNN_Floatgemm THNN_interface->Floatgemm
#define THNN_Doublegemm THNN_interface->Doublegemm

/* Functions, because an attribute of THNN_IN_DEFAULT_ENVIRONMENT names one. */
THNN_IN_EACH_FILE void THNN_enterEnvironment(Environment *callers) { THNN_interface->enterEnvironment(callers); }
THNN_IN_EACH_FILE void THNN_leaveEnvironment(const Environment *callers) { THNN_interface->leaveEnvironment(callers); }

/* ------------------------------------------------------------------------------------------------ shared loops
 * What gcc calls where a loop says `omp parallel for`. Here it reaches the library's threads; no libgomp is needed. */
#ifdef THNN_SHARES_LOOPS
THNN_IN_EACH_FILE void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
  THNN_interface->parallel(body, data, threads, flags);
}
THNN_IN_EACH_FILE int omp_get_thread_num(void) { return THNN_interface->threadNumber(); }
THNN_IN_EACH_FILE int omp_get_num_threads(void) { return THNN_interface->threadCount(); }
THNN_IN_EACH_FILE void GOMP_parallel_loop_nonmonotonic_dynamic(void (*body)(void *), void *data, unsigned threads, long begin,
                                                               long end, long step, long chunk, unsigned flags)
{
  THNN_interface->parallelDynamic(body, data, threads, begin, end, step, chunk, flags);
}
THNN_IN_EACH_FILE _Bool GOMP_loop_nonmonotonic_dynamic_next(long *from, long *to) { return THNN_interface->nextDynamic(from, to); }
THNN_IN_EACH_FILE void GOMP_loop_end_nowait(void) { THNN_interface->endLoop(); }
#endif

#endif /* the host's part */

#ifndef __CUDACC_RTC__ /* the host's part of a .cu file, of which NVRTC compiles the kernels */

/* ------------------------------------------------------------------------------------------------ planes
 * Layers whose output's planes come from the input's planes, each from its own: checks and memory around a pass over all of them, on the
 * host a loop that threads share, on a device kernels. The space has been checked before (THNN_checkPlanes and so on). */

typedef void THNN_Forward(Call *call, real *output, const real *input, const Space *s);
typedef void THNN_Backward(Call *call, real *gradInput, const real *input, const real *gradOutput, const Space *s);

__attribute__((unused)) static int32_t THNN_forwardPlanes(const char *f, THNNState *state, const THTensor *input, THTensor *output,
                                                          const Space *s, THNN_Forward *pass)
{
  THNN_TRY(THNN_checkSpaceOutput(f, "output", view(output), view(input), s));
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) pass(&call, y, x, s);
  return THNN_leave(&call);
}

__attribute__((unused)) static int32_t THNN_backwardPlanes(const char *f, THNNState *state, const THTensor *input,
                                                           const THTensor *gradOutput, THTensor *gradInput, const Space *s,
                                                           THNN_Backward *pass)
{
  THNN_TRY(THNN_checkGradients(f, view(input), view(gradOutput), view(gradInput), s));
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *g = THNN_in(&call, view(gradOutput));
  real *gx = THNN_out(&call, view(gradInput));
  if (THNN_ready(&call)) pass(&call, gx, x, g, s);
  return THNN_leave(&call);
}

#endif

#endif
