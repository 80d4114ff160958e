/* LeakyReLU: elements that are not positive are scaled.
 *
 *   output[i]    = input[i]       if input[i] > 0,   else input[i] * negval
 *   gradInput[i] = gradOutput[i]  if input[i] > 0,   else gradOutput[i] * negval
 *
 *   input       *
 *   output      as input, overwritten; may be the input
 *   gradOutput  as many elements as input, in any shape
 *   gradInput   as input, overwritten; may be gradOutput
 *
 * With inplace, output is the input and gradInput is gradOutput. Backward then reads outputs in the place of inputs,
 * which have the same sign only if negval is not negative, which is checked. */
#include "declared/LeakyReLU.h"
#include "activation/LeakyReLU.h"

THNN_APART int32_t checkNumbers(const char *f, double negval, int32_t inplace)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (!inplace || negval >= 0) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "negval", "expected 0 or more, since inplace is set; got %g", negval);
}

int32_t THNN_(LeakyReLU_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, double negval,
                                      int32_t inplace)
{
  THNN_TRY(checkElements(__func__, view(input), view(output), inplace));
  THNN_TRY(checkNumbers(__func__, negval, inplace));
  return elementwise(__func__, state, leak, 1, view(output), view(input), view(input), negval, 0);
}

int32_t THNN_(LeakyReLU_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                         THTensor *gradInput, double negval, int32_t inplace)
{
  THNN_TRY(checkGradients(__func__, "input", view(input), view(gradOutput), view(gradInput), inplace));
  THNN_TRY(checkNumbers(__func__, negval, inplace));
  return elementwise(__func__, state, leak, 1, view(gradInput), view(input), view(gradOutput), negval, 0);
}
