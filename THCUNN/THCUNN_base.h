/* THCUNN.h: the CUDA twins of THNN's layers. Made by the build from THNN.h and THCUNN/THCUNN_base.h.
 *
 * THNN_CudaX_updateOutput computes what THNN_FloatX_updateOutput does, on device memory: the same arguments, shapes, checks, status
 * codes and messages. THNN_CudaDouble... is its double; THNN_CudaHalf... keeps its elements in half precision and computes in float.
 * The rules of THNN.h hold, and these beside:
 *   - Tensors are views of device memory; the views themselves, numbers and sizes are the host's. Elements may be strided.
 *   - A call queues its work on the state's stream and returns. It never waits, unless the host asks for that (setIndexReport),
 *     and allocates nothing: scratch memory is what the host has lent.
 *   - A state belongs to one stream, and to one call at a time.
 *   - Without a driver or a device every call that would compute is THNN_ERR_DEVICE. */
#ifndef THCUNN_H
#define THCUNN_H

#include "THNN_base.h"

#if defined(__cplusplus) && !defined(THNN_FFI)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ tensors
 * The same views; `data` is a device pointer. Half precision is IEEE binary16, seen by the host as 16 bits. */

typedef THFloatTensor THCudaTensor;
typedef THDoubleTensor THCudaDoubleTensor;
typedef THLongTensor THCudaLongTensor;
typedef THByteTensor THCudaByteTensor;

typedef struct THCudaHalfTensor {
  uint16_t *data;
  int64_t size[8];
  int64_t stride[8];
  int32_t nDimension;
  uint32_t flags;
} THCudaHalfTensor;

/* ------------------------------------------------------------------------------------------------ state and errors */

/* Text of this thread's latest error in this library. */
THNN_API const char *THNN_CudaLastError(void);
THNN_API int32_t THNN_CudaAbiVersion(void); /* the version of THNN.h */

/* Stream, scratch memory, cuBLAS. NULL, as a layer's state, has the default stream and nothing else. */
typedef struct THNNCudaState THNNCudaState;

THNN_API int32_t THNN_CudaState_new(THNNCudaState **state);
THNN_API int32_t THNN_CudaState_free(THNNCudaState *state); /* NULL is allowed */
THNN_API int32_t THNN_CudaState_setStream(THNNCudaState *state, void *stream); /* a cudaStream_t; NULL is the default one */

/* Device memory for the time of a call, aligned to 256 bytes, lent until it is replaced. A call for which it is too small is
 * THNN_ERR_MEMORY before its first write; scratchWanted then says how much that call needs as far as it came. Lend that much and call again,
 * until it succeeds. */
THNN_API int32_t THNN_CudaState_setScratch(THNNCudaState *state, void *memory, int64_t bytes);
THNN_API int32_t THNN_CudaState_scratchWanted(THNNCudaState *state, int64_t *bytes);

/* The check of indices and labels on the device, and of THNN_CudaArrayWithin. A kernel never follows a bad index; it leaves
 * out what belongs to it. With a report, two int64 in pinned memory that the device can write, the next call on this state that finds it
 * set is THNN_ERR_INDEX and computes nothing. With `wait`, a call that reads indices waits for their check, and is itself THNN_ERR_INDEX
 * before its first write. */
THNN_API int32_t THNN_CudaState_setIndexReport(THNNCudaState *state, int64_t *report, int32_t wait);

/* cuBLAS for matrix products: the path of its library, which is opened then, and the host's cublasHandle_t. Without it they are computed
 * by a kernel of our own, which is slower. */
THNN_API int32_t THNN_CudaState_setCublas(THNNCudaState *state, const char *path, void *handle);

/* As THNN_setPoolingBackward. By default no pooling layer adds with atomics here, so that results are repeatable bit by bit. A scatter
 * adds with atomics, in any order, if windows overlap. Half precision gathers then, too. */
THNN_API int32_t THNN_CudaState_setPoolingBackward(THNNCudaState *state, int32_t how);

/* ------------------------------------------------------------------------------------------------ arrays
 * THNN_CudaArrayX does what THNN_arrayX does, with arrays of device memory. Elements at other addresses than multiples of their size are
 * copied through scratch memory. Sums and products have an order of their own, which the sizes alone decide. */

/* @ARRAYS@ */
/* ------------------------------------------------------------------------------------------------ layers */

/* @LAYERS@ */
#if defined(__cplusplus) && !defined(THNN_FFI)
}
#endif

#endif
