/* The base of every layer, independent of the element type: status, views, checks, scratch memory, threads.
 * A layer includes core/real.h, which includes this. A file that defines the layer X includes "declared/X.h" first: the declarations that
 * THNN.h declares of its functions. */
#ifndef THNN_CORE_H
#define THNN_CORE_H

#include <stddef.h>
#include <stdint.h>
#include "THNN_base.h"
#include "core/machine.h"
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(__CUDACC_RTC__)
#include <fenv.h>
#endif
#ifdef THNN_CUDA /* compiled for the device, as C++: docs/cuda.md */
#include "THCUNN_base.h"
#define THNNState THNNCudaState
#endif

/* One line of flat error handling: leave with the status that is not THNN_OK. */
#define THNN_TRY(call) \
  do { \
    int32_t status_ = (call); \
    if (status_ != THNN_OK) return status_; \
  } while (0)

/* Row and plane kernels are compiled for three generations of x86-64 and chosen when the library is loaded. Sanitizers,
 * musl, clang, gcc 11, other processors and portable builds take the plain one. */
#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__GLIBC__) && !defined(THNN_NO_CLONES)
#define THNN_HAS_CLONES
#define THNN_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"))) static
#else
#define THNN_KERNEL static
#endif

/* A helper inside a kernel must be inlined, or it would run as baseline code within the clone. */
#ifdef THNN_CUDA
#define THNN_INLINE static __host__ __device__ inline __attribute__((unused))
#define THNN_GEOMETRY_FUNCTION THNN_INLINE
#else
#define THNN_INLINE static inline __attribute__((always_inline, unused))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ environment: environment.c
 * Floating-point control (rounding, denormals, traps), floating-point status flags and errno belong to the calling thread. The library
 * computes in the default environment (round to nearest, denormals are numbers, no traps) and then restores the caller's, flags included.
 * THNN_enter and THNN_leave do so for a call. A function that computes or compares floating-point numbers outside of a call, such as
 * a check of numbers, is written as
 *
 *     THNN_APART int32_t checkNumbers(const char *f, double p)
 *     {
 *       THNN_IN_DEFAULT_ENVIRONMENT;
 *       ...
 *
 * It returns a status, and stores other results through pointers. It is not inlined. Otherwise compilers may move its arithmetic across
 * the calls that change the environment. */

#if defined(__x86_64__)
typedef struct Registers {
  uint32_t mxcsr;
} Registers;
#elif defined(__aarch64__) || defined(__CUDACC_RTC__)
typedef struct Registers {
  uint64_t fpcr, fpsr;
} Registers;
#else
typedef fenv_t Registers;
#endif

typedef struct Environment {
  Registers registers;
  int error; /* errno */
} Environment;

/* Stores the caller's environment and sets the default one. */
void THNN_enterEnvironment(Environment *callers);
/* Restores it. */
void THNN_leaveEnvironment(const Environment *callers);

#define THNN_APART __attribute__((noinline)) static
/* The caller's environment is restored at the end of the block, however that is left. */
#ifdef __cplusplus
#define THNN_IN_DEFAULT_ENVIRONMENT const DefaultEnvironment callersEnvironment
#else
#define THNN_IN_DEFAULT_ENVIRONMENT \
  __attribute__((cleanup(THNN_leaveEnvironment))) Environment callersEnvironment; \
  THNN_enterEnvironment(&callersEnvironment)
#endif

/* ------------------------------------------------------------------------------------------------ errors: status.c */

/* Keep "function: argument: <format>" as this thread's error text and return code. */
int32_t THNN_fail(int32_t code, const char *function, const char *argument, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ------------------------------------------------------------------------------------------------ views and checks: check.c */

/* A tensor of any type, or NULL; the name is that of the argument. */
typedef struct View {
  const char *name;
  void *data;
  const int64_t *size, *stride;
  int64_t itemSize;
  int32_t nDimension;
  uint32_t flags;
} View;

#define view(tensor) \
  ((tensor) ? (View){#tensor, (void *)(tensor)->data, (tensor)->size, (tensor)->stride, \
                     (int64_t)sizeof(*(tensor)->data), (tensor)->nDimension, (tensor)->flags} \
            : (View){0})

/* "2 x 3 x 4" for messages. */
typedef struct ShapeText {
  char text[200];
} ShapeText;
ShapeText THNN_shapeText(int32_t nDimension, const int64_t *size);

int64_t THNN_nElement(View v);
int THNN_isContiguous(View v);
int THNN_sameShape(View a, View b);

/* A readable tensor of minRank to maxRank dimensions; layout says which, as in "(N x) C x H x W". */
int32_t THNN_checkInput(const char *function, const char *name, View v, int minRank, int maxRank, const char *layout);
/* A readable tensor of exactly this shape. */
int32_t THNN_checkShape(const char *function, const char *name, View v, int32_t nDimension, const int64_t *size);
/* A readable tensor of this shape, or of another one with as many elements, which then go with its elements in their order. */
int32_t THNN_checkCount(const char *function, const char *name, View v, View like);
/* True if two views have the same elements in the same order. Contiguous ones may have different shapes. */
int THNN_isSameView(View a, View b);
/* A readable tensor of exactly this shape that can be written: not read-only, no two elements at one address. */
int32_t THNN_checkOutput(const char *function, const char *name, View v, int32_t nDimension, const int64_t *size);
/* The rule of shapes: as input, but for the last n sizes. */
int32_t THNN_otherSizes(const char *function, View input, int32_t n, const int64_t *last, int64_t *size);
/* As input (N x) C x H x W, but with planes of height x width: a shape to ask for, to check, and to check for writing. */
int32_t THNN_pooledShape(const char *function, View input, int64_t height, int64_t width, int64_t *size);
int32_t THNN_checkPooled(const char *function, const char *name, View v, View input, int64_t height, int64_t width);
int32_t THNN_checkPooledOutput(const char *function, const char *name, View v, View input, int64_t height, int64_t width);
/* lowest <= value <= highest. */
int32_t THNN_checkRange(const char *function, const char *name, int64_t value, int64_t lowest, int64_t highest);

/* Kernel sizes, strides, paddings and output sizes stay below this, so that geometry cannot overflow. */
#define THNN_MAX_SIZE INT32_MAX

#ifdef __cplusplus
}
#ifndef __CUDACC_RTC__
struct DefaultEnvironment {
  Environment callers;
  DefaultEnvironment() { THNN_enterEnvironment(&callers); }
  ~DefaultEnvironment() { THNN_leaveEnvironment(&callers); }
};
#endif
/* memory becomes a pointer of the type that is wanted, as void * does in C */
struct Memory {
  void *at;
  template <class T> operator T *() const { return static_cast<T *>(at); }
};
typedef Memory ConstMemory;
#else
typedef void *Memory;
typedef const void *ConstMemory;
#endif

/* ------------------------------------------------------------------------------------------------ one call: call.c */

typedef struct Arena Arena;

/* The resources of one call of a layer: contiguous copies of views that are not contiguous, scratch memory, threads.
 *     THNN_enter    begin, in the default environment
 *     THNN_in       pointer to the contiguous elements of an input
 *     THNN_out      pointer to contiguous memory for an output, to be overwritten
 *     THNN_acc      the same, holding the present values, to be added to
 *     THNN_scratch  uninitialised memory
 *     THNN_ready    true if there is something to compute, but false if there was no memory for one of these, if an output overlaps another
 *                   tensor, or if no output has an element. Nothing has been written yet: then leave
 *     THNN_leave    copy back what was not contiguous, return the memory, restore the caller's environment, return the status */
/* More than that is an error, before the first write. No layer of the library has more than 5 outputs and 10 tensors. */
enum {
  THNN_MAX_COPIES = 8,
  THNN_MAX_TENSORS = 16,
};

/* The dense memory of a registered argument. */
typedef struct ArgumentSpan {
  View view;
  intptr_t first, end;
  int isWritten;
} ArgumentSpan;

typedef struct Call {
  THNNState *state;
  const char *function;
  Arena *arena;
  int32_t status;
  int32_t inplace; /* an output may be the same view as an input */
  int32_t nWritten, isNeeded; /* number of outputs so far; true if one of them has an element */
  int32_t nSpans;
  ArgumentSpan spans[THNN_MAX_TENSORS];
  int32_t nCopy;
  struct {
    View view;
    const void *memory;
  } copy[THNN_MAX_COPIES];
  void *gemmScratch; /* scratch memory of matrix products, which follow each other, for so many threads; */
  int32_t gemmThreads;
  void *gemmRows; /* and what all these share, so many bytes */
  size_t gemmBytes;
  int32_t team; /* true if a thread can share small work; decided once, so that the same work has as many threads throughout a call */
  Environment environment; /* the caller's */
} Call;

void THNN_enter(Call *call, THNNState *state, const char *function);
ConstMemory THNN_in(Call *call, View v);
Memory THNN_out(Call *call, View v);
Memory THNN_acc(Call *call, View v);
Memory THNN_scratch(Call *call, int64_t count, size_t itemSize);
int THNN_ready(const Call *call);
int32_t THNN_leave(Call *call);
/* Registers the views of THNN_in, out and acc. Outputs must not overlap any other argument; otherwise the call fails. */
#ifdef __cplusplus
extern "C" { /* check.c, too, is C in the CUDA library */
#endif
void THNN_registerArgument(Call *call, View v, int isWritten);
#ifdef __cplusplus
}
#endif

/* n elements rounded up to whole lines that are loaded together. */
THNN_INLINE int64_t THNN_wholeLines(int64_t n)
{
  enum { ELEMENTS = THNN_LINES / sizeof(float) };
  return (n + ELEMENTS - 1) / ELEMENTS * ELEMENTS;
}

/* Elements of scratch memory for each thread, where a thread needs n: whole cache lines and a gap behind them. A processor loads ahead of
 * what is read. Without the gap it would take lines that the next thread has just written. */
enum { THNN_GAP = 512 };
THNN_INLINE int64_t THNN_perThread(int64_t n) { return THNN_wholeLines(n) + THNN_GAP; }

/* Elements of an index tensor, which like all elements need not be aligned (but on a device). */
#ifdef THNN_CUDA
typedef int64_t index_t;
#else
typedef int64_t index_t __attribute__((aligned(1)));
#endif

/* True if one of n indices is neither in [0, limit) nor equal to `except` (0: no exception). Then the call has failed with
 * THNN_ERR_INDEX. */
int THNN_badIndices(Call *call, const char *name, const index_t *indices, int64_t n, int64_t limit, int64_t except);

/* The number of threads for `work` element operations in all: 1 for little work, or in a forked child. (Not on a device.) */
int THNN_threads(const Call *call, int64_t work);
/* The state's value of THNN_setPoolingBackward. */
int THNN_poolingBackward(const Call *call);
/* True if layers run their definitions (THNN_setKernels). Never on a device, because tests compare devices with the host's definitions. */
int THNN_plain(const Call *call);
/* The state's value of THNN_setConvolution. (Not on a device.) */
int THNN_convolutionAlgorithm(const Call *call);
/* This thread's number within the parallel region it is in. */
int THNN_threadId(void);

/* ------------------------------------------------------------------------------------------------ state: state.c */

THNNState *THNN_orDefault(THNNState *state);
int32_t THNN_stateThreads(const THNNState *state);
Arena *THNN_borrowArena(THNNState *state);
void THNN_returnArena(THNNState *state, Arena *arena);
/* 64-byte aligned memory that lives until the arena is returned; NULL when there is none. */
void *THNN_arenaAllocate(Arena *arena, size_t bytes);

/* ------------------------------------------------------------------------------------------------ random: random.c */

typedef struct Generator Generator;
/* Lock the state's generator, so that draws of two threads do not mix within one tensor. */
Generator *THNN_lockGenerator(THNNState *state);
void THNN_unlockGenerator(THNNState *state);
uint32_t THNN_draw(Generator *generator);
void THNN_drawMany(Generator *generator, uint32_t *draws, int n);
/* The uniform in [0, 1) that a draw stands for. */
THNN_INLINE double THNN_uniformFromDraw(uint32_t draw) { return draw * (1.0 / 4294967296.0); }
double THNN_drawUniform(Generator *generator);
double THNN_drawNormal(Generator *generator);

#endif
