/* THNN_base.h: what all functions of THNN.h stand on: versions, status codes, tensors, the state. Hosts include THNN.h, which has the rules;
 * the library's own files include this one, so that a line about one layer does not compile them all again. */
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

/* What layers outside of the library call: a table, for THNN_attachLayer of THNN/layer.h, whose THNN_LAYER_VERSION is asked for. NULL, and a
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
THNN_API int32_t THNN_freeState(THNNState *state); /* NULL is allowed and frees nothing; no call may be running on it */

/* Threads that one call may use; 0 is the default, one per processor (or OMP_NUM_THREADS). A forked child always uses one. */
THNN_API int32_t THNN_setNumThreads(THNNState *state, int32_t threads);
THNN_API int32_t THNN_getNumThreads(THNNState *state, int32_t *threads);

/* How average and max pooling layers work backward. Either way results are the same from call to call and for any number of threads;
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

/* What layers compute with.
 *   fast   what suits the processor: the default
 *   plain  the definition, where the layer's file has one: loops that read as the formula. They are several times slower, and what tests
 *          compare the fast way with. Sums have another order there, so that results differ by rounding */
enum THNNKernels {
  THNN_KERNELS_FAST = 0,
  THNN_KERNELS_PLAIN = 1,
};
THNN_API int32_t THNN_setKernels(THNNState *state, int32_t kernels);

/* How dense convolutions compute, as far as they can: by default, FAST, the fastest way, which for floats and kernels of 3x3 that move by one
 * may be Winograd's, whose rounding error is below 1e-5 of the output's scale; PLAIN: sums of products alone. The others name one way,
 * for tests and measurements: loops that define the result, vectors of places or of output planes, Winograd's F(2x2, 3x3) and F(4x4, 3x3);
 * where that is none for a layer, the plain sum is taken. Whatever the way, results do not depend on the number of threads. */
enum THNNConvolution {
  THNN_FAST = 0,
  THNN_PLAIN = 1,
  THNN_BY_DEFINITION = 2,
  THNN_BY_PLACES = 3,
  THNN_BY_OUTPUTS = 4,
  THNN_BY_WINOGRAD_2 = 5,
  THNN_BY_WINOGRAD_4 = 6,
};
THNN_API int32_t THNN_setConvolution(THNNState *state, int32_t how);

/* Convolutions keep weights as their kernels read them, from the second or third call on that finds the same numbers at the same place: up to
 * four times the weights. This is how many bytes a state keeps at most, 512 MiB by default; 0 keeps none. THNN_freeScratch gives them back. */
THNN_API int32_t THNN_setKeptBytes(THNNState *state, uint64_t bytes);

/* What FusedConvolution does to each sum x, with its numbers a and b, as the layers of these names do. */
enum THNNActivation {
  THNN_NO_ACTIVATION = 0, /* x */
  THNN_THRESHOLD = 1,     /* b where x <= a, else x: ReLU with two zeros */
  THNN_HARD_TANH = 2,     /* x within [a, b], else the nearer of them */
  THNN_LEAKY_RELU = 3     /* x where x > 0, else a * x */
};

/* What pointwise_apply does. */
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

/* What multiplies matrices: "built-in". Libraries of before had the name of a BLAS here. */
THNN_API const char *THNN_blas(void);

/* Torch7's random sequence (Mersenne Twister MT19937; seeded with 5489 until manualSeed). */
THNN_API int32_t THNN_manualSeed(THNNState *state, uint64_t seed);
THNN_API int32_t THNN_random(THNNState *state, uint32_t *value); /* the raw 32-bit draw */
THNN_API int32_t THNN_initialSeed(THNNState *state, uint64_t *value);
THNN_API int32_t THNN_randperm(THNNState *state, THLongTensor *output); /* 0 to N - 1 in random order */

/* The generator's state as the bytes that Torch7 saves on 64-bit machines: a vector of 5048. */
THNN_API int32_t THNN_getRNGState(THNNState *state, THByteTensor *output);
THNN_API int32_t THNN_setRNGState(THNNState *state, const THByteTensor *input);

/* ------------------------------------------------------------------------------------------------ arrays
 * What networks do with arrays between their layers, for programs: element by element, along axes, by index. An array has any element
 * type, and any strides; an input is repeated along a dimension by a stride of 0, so all inputs of an element-wise function have the
 * shape of its output. An output may be the same view as an input, but may not reach into it in another way. Truth is a byte, 0 or 1. */

enum THNNType { THNN_FLOAT = 0,
                THNN_DOUBLE = 1,
                THNN_LONG = 2,
                THNN_BYTE = 3 };

typedef struct THNNArray { /* laid out as a tensor, and its element type */
  void *data;
  int64_t size[8];
  int64_t stride[8]; /* in elements */
  int32_t nDimension; /* 1 to 8; 0 is the empty array */
  uint32_t flags;
  int32_t type; /* THNNType */
  int32_t reserved; /* 0 */
} THNNArray;

/* What arrayMap does; LOGICAL_NOT, IS_NAN, IS_INFINITE and IS_FINITE give bytes. Integers have NEGATE, ABSOLUTE, SQUARE, SIGN, LOGICAL_NOT. */
enum THNNMap {
  THNN_NEGATE = 0,
  THNN_ABSOLUTE = 1,
  THNN_SQUARE = 2,
  THNN_SQRT = 3,
  THNN_EXP = 4,
  THNN_LOG = 5,
  THNN_LOG1P = 6,
  THNN_EXPM1 = 7,
  THNN_TANH = 8,
  THNN_SIN = 9,
  THNN_COS = 10,
  THNN_FLOOR = 11,
  THNN_CEIL = 12,
  THNN_TRUNC = 13,
  THNN_RINT = 14,
  THNN_SIGN = 15,
  THNN_RECIPROCAL = 16,
  THNN_LOGICAL_NOT = 17,
  THNN_IS_NAN = 18,
  THNN_IS_INFINITE = 19,
  THNN_IS_FINITE = 20
};

/* What arrayApply does. Those from EQUAL on give bytes. LARGER and SMALLER are NaN where one of the elements is. For integers, DIVIDE is
 * none, FLOOR_DIVIDE and REMAINDER round to minus infinity and are 0 by 0; for floats they are those of Python. */
enum THNNApply {
  THNN_APPLY_ADD = 0,
  THNN_APPLY_SUBTRACT = 1,
  THNN_APPLY_MULTIPLY = 2,
  THNN_APPLY_DIVIDE = 3,
  THNN_APPLY_LARGER = 4,
  THNN_APPLY_SMALLER = 5,
  THNN_APPLY_POWER = 6,
  THNN_APPLY_FLOOR_DIVIDE = 7,
  THNN_APPLY_REMAINDER = 8,
  THNN_APPLY_HYPOT = 9,
  THNN_APPLY_ATAN2 = 10,
  THNN_APPLY_EQUAL = 16,
  THNN_APPLY_NOT_EQUAL = 17,
  THNN_APPLY_LESS = 18,
  THNN_APPLY_LESS_EQUAL = 19,
  THNN_APPLY_GREATER = 20,
  THNN_APPLY_GREATER_EQUAL = 21,
  THNN_APPLY_AND = 22,
  THNN_APPLY_OR = 23,
  THNN_APPLY_XOR = 24
};

/* What arrayReduce does. Sums and products of floats are taken in double precision. ANY and ALL give bytes. */
enum THNNReduce { THNN_SUM = 0,
                  THNN_PRODUCT = 1,
                  THNN_MAXIMUM = 2,
                  THNN_MINIMUM = 3,
                  THNN_ANY = 4,
                  THNN_ALL = 5 };

THNN_API int32_t THNN_arrayFill(
    THNNState *state,
    THNNArray *output, /* [OUT] * */
    double value);     /* converted to the type of output */

THNN_API int32_t THNN_arrayCopy(
    THNNState *state,
    const THNNArray *input, /* [IN] * : of any type, converted as C does; elements.c for what C leaves open */
    THNNArray *output);     /* [OUT] as input */

THNN_API int32_t THNN_arrayMap(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] [INPLACE] as input */
    int32_t operation);     /* THNNMap */

THNN_API int32_t THNN_arrayApply(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    const THNNArray *other, /* [IN] as input, of its type */
    THNNArray *output,      /* [OUT] [INPLACE] as input, of its type, or bytes */
    int32_t operation);     /* THNNApply */

THNN_API int32_t THNN_arrayReduce(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] as input, with sizes of 1 in the dimensions that are reduced */
    int32_t operation);     /* THNNReduce */

THNN_API int32_t THNN_arrayReduceIndex(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] longs: as input, with a size of 1 in the dimension: the first place of the extreme, or of a NaN */
    int32_t dimension,
    int32_t operation); /* THNN_MAXIMUM or THNN_MINIMUM */

THNN_API int32_t THNN_arrayScan(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    THNNArray *output,      /* [OUT] [INPLACE] as input: sums of the elements up to each */
    int32_t dimension);

THNN_API int32_t THNN_arrayProduct(
    THNNState *state,
    const THNNArray *input, /* [IN] B... x M x K : floats or doubles */
    const THNNArray *other, /* [IN] B... x K x N */
    THNNArray *output);     /* [OUT] B... x M x N */

THNN_API int32_t THNN_arrayTake(
    THNNState *state,
    const THNNArray *input,   /* [IN] * */
    const THNNArray *indices, /* [IN] longs: K, from 0; of which none may be out of range */
    THNNArray *output,        /* [OUT] as input, with K in the dimension */
    int32_t dimension);

THNN_API int32_t THNN_arrayPut(
    THNNState *state,
    const THNNArray *input,   /* [IN] as output, with K in the dimension */
    const THNNArray *indices, /* [IN] longs: K, from 0; of which none may be out of range */
    THNNArray *output,        /* [BUFFER] * : at the indices it is overwritten, or added to in their order */
    int32_t dimension,
    int32_t adds);

THNN_API int32_t THNN_arrayChoose(
    THNNState *state,
    const THNNArray *condition, /* [IN] bytes: * */
    const THNNArray *input,     /* [IN] as condition: where it is not 0 */
    const THNNArray *other,     /* [IN] as condition, of input's type: where it is 0 */
    THNNArray *output);         /* [OUT] [INPLACE] as condition, of input's type */

THNN_API int32_t THNN_arrayIota(
    THNNState *state,
    THNNArray *output, /* [OUT] K : start, start + step, ... */
    double start, double step);

/* An error, THNN_ERR_INDEX, with `text` before it, unless each element lies in [low, high] and is a whole number. */
THNN_API int32_t THNN_arrayWithin(
    THNNState *state,
    const THNNArray *input, /* [IN] * */
    double low, double high,
    const char *text);

/* ------------------------------------------------------------------------------------------------ programs
 * A network as a list of calls of this library's functions, made by pytorch-legacy. The bytes are untrusted: opening checks all of them,
 * so that no program reads or writes memory but its own, its bytes, and the arrays of a run. */

typedef struct THNNProgram THNNProgram;

/* The bytes stay the host's, must be aligned to 64, and must stay unchanged until the program and all of its clones are closed. */
THNN_API int32_t THNN_openProgram(const void *bytes, uint64_t size, THNNProgram **program);
/* For another thread: a clone has memory of its own, and shares the bytes and the state, so that weights are packed once. */
THNN_API int32_t THNN_cloneProgram(const THNNProgram *program, THNNProgram **clone);
THNN_API int32_t THNN_closeProgram(THNNProgram *program); /* NULL is allowed; no call may be running on it */
THNN_API int32_t THNN_programCounts(const THNNProgram *program, int32_t *inputs, int32_t *outputs);

/* Sets type, dimensions, sizes and dense strides of the outputs for inputs of these sizes; `data` of both stays as it is. */
THNN_API int32_t THNN_planProgram(THNNProgram *program, const THNNArray *inputs, int32_t nInputs, THNNArray *outputs, int32_t nOutputs);

/* Inputs have any strides and are not written; outputs are dense, and may overlap inputs, not each other. One thread at a time: while the
 * program runs in another one, THNN_ERR_VALUE. Memory is kept for the next run; the same sizes again need no planning. */
THNN_API int32_t THNN_runProgram(THNNProgram *program, const THNNArray *inputs, int32_t nInputs, THNNArray *outputs, int32_t nOutputs);

/* The number of the call, from 0, in which the latest run failed; -1 if it failed before the first call, or did not fail. */
THNN_API int32_t THNN_programFailure(const THNNProgram *program, int64_t *call);
/* The state of a program and its clones, which ends with the last of them. It begins with the settings of the default state, and has its
 * number of threads until it is given another one; 0 takes that of the default state again. */
THNN_API int32_t THNN_programState(const THNNProgram *program, THNNState **state);
THNN_API int32_t THNN_programBytes(THNNProgram *program, uint64_t *arena); /* allocated: for the largest sizes of its runs */

/* Lets programs call a function from outside of the library by its name, as long as the process lives. `signature` has a letter for each
 * argument: s the state, which may stand first, f a tensor that is read, F one that is written, l and L the same of longs, b and B of bytes,
 * a and A of any type (THNNArray), i int64_t, j int32_t, d double, t text. Tensors f and F are Float's or Double's, as the name begins with
 * Float or Double. The function gets the arguments after the state as THNNArgument. Tensors may be NULL, and their shapes are the
 * program's: it checks them, returns a THNNStatus, and runs in several threads at once. The same name again is an error, unless function
 * and signature are the same. */
typedef union THNNArgument {
  void *tensor; /* TH*Tensor, THNNArray or const char */
  int64_t integer;
  double number;
} THNNArgument;
typedef int32_t THNNLayerCall(THNNState *state, const THNNArgument *arguments);
THNN_API int32_t THNN_registerLayer(const char *name, THNNLayerCall *function, const char *signature);

#if defined(__cplusplus) && !defined(THNN_FFI)
}
#endif

#endif
