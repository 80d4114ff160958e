/* THNN_base.h: versions, status codes, tensors, the state. Hosts include THNN.h, which has the rules. The library's own files
 * include this one, so that a line about one layer does not compile them all again. */
#ifndef THNN_BASE_H
#define THNN_BASE_H

#ifndef THNN_FFI
#include <stdint.h>
#endif

#ifndef THNN_API
#if defined(THNN_FFI) || !defined(__GNUC__)
#define THNN_API
#else
#define THNN_API __attribute__((visibility("default")))
#endif
#endif

#if defined(__cplusplus) && !defined(THNN_FFI)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ versions */

#define THNN_VERSION_MAJOR 0
#define THNN_VERSION_MINOR 1
#define THNN_VERSION_PATCH 0
#define THNN_ABI_VERSION 1 /* the SONAME's number: a host built for another one must not call on */

THNN_API int32_t THNN_versionNumber(void); /* major * 10000 + minor * 100 + patch */
THNN_API int32_t THNN_abiVersion(void);
THNN_API int32_t THNN_checkVersion(int32_t abiVersion); /* THNN_ERR_VERSION unless it is the library's own */

/* The table of functions for layers outside of the library: THNN_attachLayer of THNN/layer.h asks for its THNN_LAYER_VERSION. NULL, and a
 * text, where the library has another version. */
THNN_API const void *THNN_layerInterface(int32_t version);

/* ------------------------------------------------------------------------------------------------ errors */

enum THNNStatus {
  THNN_OK = 0,
  THNN_ERR_NULL = 1,        /* a pointer that must not be NULL is */
  THNN_ERR_SHAPE = 2,       /* a rank or a size is wrong, or sizes do not fit together */
  THNN_ERR_VALUE = 3,       /* a number is out of its range, a view cannot be written */
  THNN_ERR_INDEX = 4,       /* an index or a class label is out of range */
  THNN_ERR_MEMORY = 5,      /* no memory for scratch space */
  THNN_ERR_UNSUPPORTED = 6, /* right, but not built or not implemented here */
  THNN_ERR_DEVICE = 7,      /* no device, or the device failed */
  THNN_ERR_VERSION = 8      /* host and library do not fit */
};

/* Text of this thread's latest error. It stays until the thread's next error; never NULL. */
THNN_API const char *THNN_lastError(void);
/* Makes `text` the text of this thread's latest error, of at most 1023 bytes, and returns `status`: for functions that a host writes
 * around those of the library, as pl.to_c does. */
THNN_API int32_t THNN_setLastError(int32_t status, const char *text);

/* ------------------------------------------------------------------------------------------------ tensors */

enum THNNLimits { THNN_MAX_DIMS = 8 };
enum THNNFlags { THNN_READONLY = 1 }; /* the view must not be written: as an output it is an error */

typedef struct THFloatTensor {
  float *data;
  int64_t size[8];
  int64_t stride[8]; /* in elements */
  int32_t nDimension; /* 1 to 8; 0 is the empty tensor */
  uint32_t flags;
} THFloatTensor;

typedef struct THDoubleTensor {
  double *data;
  int64_t size[8];
  int64_t stride[8];
  int32_t nDimension;
  uint32_t flags;
} THDoubleTensor;

typedef struct THLongTensor {
  int64_t *data;
  int64_t size[8];
  int64_t stride[8];
  int32_t nDimension;
  uint32_t flags;
} THLongTensor;

typedef struct THByteTensor {
  uint8_t *data;
  int64_t size[8];
  int64_t stride[8];
  int32_t nDimension;
  uint32_t flags;
} THByteTensor;

/* DLPack: `dlTensor` is a DLTensor of CPU memory; the view borrows its memory, as the DLTensor borrows the view's
 * sizes and strides the other way round. No ownership moves: the managing capsule stays with the host. */
THNN_API int32_t THNN_FloatTensor_fromDLPack(THFloatTensor *tensor, const void *dlTensor);
THNN_API int32_t THNN_DoubleTensor_fromDLPack(THDoubleTensor *tensor, const void *dlTensor);
THNN_API int32_t THNN_LongTensor_fromDLPack(THLongTensor *tensor, const void *dlTensor);
THNN_API int32_t THNN_ByteTensor_fromDLPack(THByteTensor *tensor, const void *dlTensor);
THNN_API int32_t THNN_FloatTensor_toDLPack(THFloatTensor *tensor, void *dlTensor);
THNN_API int32_t THNN_DoubleTensor_toDLPack(THDoubleTensor *tensor, void *dlTensor);
THNN_API int32_t THNN_LongTensor_toDLPack(THLongTensor *tensor, void *dlTensor);
THNN_API int32_t THNN_ByteTensor_toDLPack(THByteTensor *tensor, void *dlTensor);

/* ------------------------------------------------------------------------------------------------ state */

/* Thread count, scratch memory and random generator. One state may serve several threads at once. */
typedef struct THNNState THNNState;

THNN_API int32_t THNN_newState(THNNState **state);
/* Makes a state for a host that makes the calls of a network by itself, as the C of pl.to_c does. It has the settings of the default
 * state, but THNN_FIXED in place of THNN_FAST, and its number of threads, now and later, until it gets another one. The host promises that
 * `constants`, the memory of the network's weights, does not change until the state is freed. So the first call with a weight packs it,
 * and no later one compares it. The states of programs are such states. */
THNN_API int32_t THNN_newProgramState(const void *constants, uint64_t bytes, THNNState **state);
THNN_API int32_t THNN_freeState(THNNState *state); /* NULL is allowed and frees nothing; no call may be running on it */

/* Threads that one call may use; 0 is the default, one per processor (or OMP_NUM_THREADS). A forked child always uses one. */
THNN_API int32_t THNN_setNumThreads(THNNState *state, int32_t threads);
THNN_API int32_t THNN_getNumThreads(THNNState *state, int32_t *threads);

/* The backward pass of average and max pooling layers. With both, results are the same from call to call and for any number of threads;
 * the order of a sum's terms may differ.
 *   gather   each row of gradInput asks the windows that it is part of, is written once, and rows are shared among threads
 *   scatter  gradInput is cleared, then each window adds to its cells; planes are shared among threads
 * By default averages gather, and maxima, whose windows give to one cell each, scatter. Indices of maxima that do not lie in their
 * windows, as those of forward do, are left out by a gather, and have their place in a scatter. */
enum THNNPoolingBackward {
  THNN_DEFAULT = 0,
  THNN_GATHER = 1,
  THNN_SCATTER = 2,
};
THNN_API int32_t THNN_setPoolingBackward(THNNState *state, int32_t how);

/* The loops that layers run.
 *   fast   what suits the processor: the default
 *   plain  the definition, where the layer's file has one: loops that read as the formula. They are several times slower, and what tests
 *          compare the fast way with. Sums have another order there, so that results differ by rounding */
enum THNNKernels {
  THNN_KERNELS_FAST = 0,
  THNN_KERNELS_PLAIN = 1,
};
THNN_API int32_t THNN_setKernels(THNNState *state, int32_t kernels);

/* The algorithm of dense convolutions. FAST, the default: the fastest algorithm, which for floats and kernels of 3x3 that move by one
 * may be Winograd's, whose rounding error is below 1e-5 of the output's scale; PLAIN: sums of products alone. The others name one way,
 * for tests and measurements: loops that define the result, vectors of places or of output planes, Winograd's F(2x2, 3x3) and F(4x4, 3x3);
 * where that is none for a layer, the plain sum is taken. FIXED, which the states of programs have, is FAST, but an output's
 * algorithm is the one that FusedConvolution_algorithm tells. It depends on the sizes of one sample alone, so a sample's bits do, too.
 * Whatever the way, results do not depend on the number of threads. */
enum THNNConvolution {
  THNN_FAST = 0,
  THNN_PLAIN = 1,
  THNN_BY_DEFINITION = 2,
  THNN_BY_PLACES = 3,
  THNN_BY_OUTPUTS = 4,
  THNN_BY_WINOGRAD_2 = 5,
  THNN_BY_WINOGRAD_4 = 6,
  THNN_FIXED = 7,
};
THNN_API int32_t THNN_setConvolution(THNNState *state, int32_t how);
/* While this is set, THNN_FAST of the default state is THNN_FIXED in calls of this thread. Other threads are not affected. */
THNN_API int32_t THNN_fixConvolutions(int32_t isFixed);

/* Convolutions keep weights as their kernels read them, from the second or third call on that finds the same numbers at the same place, and
 * the constants of a program from the first on: up to four times the weights. This is how many bytes a state keeps at most, 512 MiB by
 * default; 0 keeps none. THNN_freeScratch gives them back. */
THNN_API int32_t THNN_setCacheBytes(THNNState *state, uint64_t bytes);

/* The activation that FusedConvolution applies to each sum x, with its numbers a and b, as the layers of these names do. */
enum THNNActivation {
  THNN_NO_ACTIVATION = 0, /* x */
  THNN_THRESHOLD = 1,     /* b where x <= a, else x: ReLU with two zeros */
  THNN_HARD_TANH = 2,     /* x within [a, b], else the nearer of them */
  THNN_LEAKY_RELU = 3     /* x where x > 0, else a * x */
};

/* The operation of pointwise_apply. */
enum THNNOperation {
  THNN_ADD = 0,
  THNN_SUBTRACT = 1,
  THNN_MULTIPLY = 2,
  THNN_DIVIDE = 3,
  THNN_LARGER = 4,
  THNN_SMALLER = 5,
};

/* Scratch memory is kept for the next call; this gives back what no running call uses. */
THNN_API int32_t THNN_freeScratch(THNNState *state);
/* The bytes that a state keeps for later calls: packed weights, and scratch memory. What a running call uses is not counted. */
THNN_API int32_t THNN_stateBytes(THNNState *state, uint64_t *packed, uint64_t *scratch);

/* The library that multiplies matrices: "built-in". Libraries of before had the name of a BLAS here. */
THNN_API const char *THNN_blas(void);

/* Torch7's random sequence (Mersenne Twister MT19937; seeded with 5489 until manualSeed). */
THNN_API int32_t THNN_manualSeed(THNNState *state, uint64_t seed);
THNN_API int32_t THNN_random(THNNState *state, uint32_t *value); /* the raw 32-bit draw */
THNN_API int32_t THNN_initialSeed(THNNState *state, uint64_t *value);
THNN_API int32_t THNN_randperm(THNNState *state, THLongTensor *output); /* 0 to N - 1 in random order */

/* The generator's state as the bytes that Torch7 saves on 64-bit machines: a vector of 5048. */
THNN_API int32_t THNN_getRNGState(THNNState *state, THByteTensor *output);
THNN_API int32_t THNN_setRNGState(THNNState *state, const THByteTensor *input);

#if defined(__cplusplus) && !defined(THNN_FFI)
}
#endif

#endif
