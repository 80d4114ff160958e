/* DLPack at the edge: a DLTensor of CPU memory seen as our view, and our view as a DLTensor. */
#include "core/core.h"

/* DLPack's DLTensor, whose layout is fixed since its version 0.2. */
typedef struct DLTensor {
  void *data;
  struct {
    int32_t type, id;
  } device;
  int32_t nDimension;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides; /* strides in elements; NULL means contiguous */
  uint64_t byteOffset;
} DLTensor;
_Static_assert(sizeof(void *) != 8 || (sizeof(DLTensor) == 48 && offsetof(DLTensor, shape) == 24), "the layout of DLPack's DLTensor");

enum {
  DL_CPU = 1,
  DL_CUDA_HOST = 3,
  DL_INT = 0,
  DL_UINT = 1,
  DL_FLOAT = 2,
};

static int32_t checkFrom(const char *function, const void *tensor, const DLTensor *dl, int code, int bits)
{
  if (!tensor) return THNN_fail(THNN_ERR_NULL, function, "tensor", "expected a tensor, got NULL");
  if (!dl) return THNN_fail(THNN_ERR_NULL, function, "dlTensor", "expected a DLTensor, got NULL");
  if (dl->device.type != DL_CPU && dl->device.type != DL_CUDA_HOST)
    return THNN_fail(THNN_ERR_DEVICE, function, "dlTensor", "expected CPU memory (device type 1 or 3), got device type %d",
                     dl->device.type);
  if (dl->dtype.code != code || dl->dtype.bits != bits || dl->dtype.lanes != 1)
    return THNN_fail(THNN_ERR_VALUE, function, "dlTensor", "expected type code %d of %d bits, got code %d of %d bits, %d lanes",
                     code, bits, dl->dtype.code, dl->dtype.bits, dl->dtype.lanes);
  if (dl->nDimension < 0 || dl->nDimension > THNN_MAX_DIMS)
    return THNN_fail(THNN_ERR_SHAPE, function, "dlTensor", "expected at most %d dimensions, got %d", THNN_MAX_DIMS, dl->nDimension);
  if (dl->nDimension > 0 && !dl->shape)
    return THNN_fail(THNN_ERR_NULL, function, "dlTensor", "expected a shape, got NULL");
  int64_t elements = 1;
  for (int32_t d = dl->nDimension - 1; d >= 0; d--) /* a size of 0 does not make the others small */
    if (dl->shape[d] < 0 || __builtin_mul_overflow(elements, dl->shape[d] > 0 ? dl->shape[d] : 1, &elements))
      return THNN_fail(THNN_ERR_SHAPE, function, "dlTensor", "expected sizes of 0 and more that fit into memory, got %s",
                       THNN_shapeText(dl->nDimension, dl->shape).text);
  return THNN_OK;
}

/* Sizes and strides; returns how many. A scalar has none there, and one of 1 here. */
static int32_t takeSizes(const DLTensor *dl, int64_t *size, int64_t *stride)
{
  int64_t dense = 1;
  size[0] = stride[0] = 1;
  for (int32_t d = dl->nDimension - 1; d >= 0; d--) {
    size[d] = dl->shape[d];
    stride[d] = dl->strides ? dl->strides[d] : dense;
    dense *= dl->shape[d];
  }
  return dl->nDimension > 0 ? dl->nDimension : 1;
}

static int32_t give(const char *function, View v, int64_t *size, int64_t *stride, DLTensor *dl, int code)
{
  if (!v.size) return THNN_fail(THNN_ERR_NULL, function, "tensor", "expected a tensor, got NULL");
  if (!dl) return THNN_fail(THNN_ERR_NULL, function, "dlTensor", "expected a DLTensor, got NULL");
  if (v.nDimension < 0 || v.nDimension > THNN_MAX_DIMS)
    return THNN_fail(THNN_ERR_SHAPE, function, "tensor", "expected at most %d dimensions, got %d", THNN_MAX_DIMS, v.nDimension);
  if (v.nDimension == 0) size[0] = 0, stride[0] = 1; /* no dimension would be a scalar there */
  *dl = (DLTensor){
      .data = v.data,
      .device = {DL_CPU, 0},
      .nDimension = v.nDimension > 0 ? v.nDimension : 1,
      .shape = size,
      .strides = stride,
  };
  dl->dtype.code = (uint8_t)code;
  dl->dtype.bits = (uint8_t)(8 * v.itemSize);
  dl->dtype.lanes = 1;
  return THNN_OK;
}

#define DLPACK_CONVERSIONS(Type, type, code) \
  int32_t THNN_##Type##Tensor_fromDLPack(TH##Type##Tensor *tensor, const void *dlTensor) \
  { \
    const DLTensor *dl = dlTensor; \
    THNN_TRY(checkFrom(__func__, tensor, dl, code, 8 * (int)sizeof(type))); \
    tensor->data = (type *)((uintptr_t)dl->data + dl->byteOffset); \
    tensor->nDimension = takeSizes(dl, tensor->size, tensor->stride); \
    tensor->flags = 0; \
    return THNN_OK; \
  } \
  int32_t THNN_##Type##Tensor_toDLPack(TH##Type##Tensor *tensor, void *dlTensor) \
  { \
    return give(__func__, view(tensor), tensor ? tensor->size : 0, tensor ? tensor->stride : 0, dlTensor, code); \
  }

DLPACK_CONVERSIONS(Float, float, DL_FLOAT)
DLPACK_CONVERSIONS(Double, double, DL_FLOAT)
DLPACK_CONVERSIONS(Long, int64_t, DL_INT)
DLPACK_CONVERSIONS(Byte, uint8_t, DL_UINT)
