/* arrayProduct on the device. Story: THNN/array/product.c; checks: checks.c. */
#include "array/matrices.h"
#include "array/checks.h"
#include "core/device.h"

int32_t THNN_CudaArrayProduct(THNNState *state, const THNNArray *input, const THNNArray *other, THNNArray *output)
{
  THNN_TRY(checkProduct(__func__, input, other, output));
  if (THNN_nElement(array(output)) == 0) return THNN_OK;
  if (input->size[input->nDimension - 1] == 0) return THNN_CudaArrayFill(state, output, 0);
  Call call;
  THNN_enter(&call, state, __func__);
  if (input->type == THNN_FLOAT) THNN_CudamultiplyArrays(&call, array(input), array(other), array(output));
  else THNN_CudaDoublemultiplyArrays(&call, array(input), array(other), array(output));
  return THNN_leave(&call);
}
