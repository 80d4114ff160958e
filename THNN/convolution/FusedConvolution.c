/* FusedConvolution: a dense convolution, a sum with another tensor and an activation in one pass over the output.
 *
 *   output = activation(convolution(input) + other)
 *
 * with the same bits as the layers have one after the other.
 *
 *   input, output, weight, bias  as of SpatialConvolutionMM and the other dense convolutions. The weight gives the number of dimensions:
 *                nOutputPlane x nInputPlane x (kT x) (kH x) kW, of a transposed layer (`full`) nInputPlane first. A layer of sequences
 *                passes views with exchanged dimensions: planes x frames of frames x planes. Numbers of an axis that the weight lacks are ignored
 *   groups     of planes, each with weights of its own (SpatialGroupedConvolution); 1 for sequences
 *   other        the residual: as output, or none, or output itself
 *   activation, a, b  of THNNActivation
 *   algorithm    of THNNConvolution. THNN_FAST: chosen in each call, also by the number of samples. Another one is used for any number
 *                of samples, so that the bits of a sample do not depend on the others; FusedConvolution_algorithm returns the one that suits
 *                the sizes. An algorithm that cannot compute them is an error. One that
 *                THNN_setConvolution names takes precedence; THNN_FAST and THNN_FIXED name none
 *
 * passes.c has the checks, Convolution_fast.c the algorithms, Convolution_epilogue.h the addition and the activation. */
#include "declared/FusedConvolution.h"
#include "convolution/Convolution.h"

THNN_APART int32_t makeLayer(const char *f, const THTensor *weight, Axis t, Axis w, Axis h, int64_t adjT, int64_t adjW, int64_t adjH,
                             int64_t groups, int32_t full, Convolution *c)
{
  const Axis none = {1, 1, 1, 1, 0, 1};
  THNN_TRY(THNN_checkInput(f, "weight", view(weight), 3, 5, "nOutputPlane x nInputPlane x (kT x) (kH x) kW"));
  const int32_t n = weight->nDimension;
  w.kernel = weight->size[n - 1];
  if (n > 3) h.kernel = weight->size[n - 2];
  if (n > 4) t.kernel = weight->size[n - 3];
  *c = volumetricConvolution(n > 4 ? t : none, w, n > 3 ? h : none);
  c->dims = n - 2;
  if (full) *c = transposed(*c, n > 4 ? adjT : 0, adjW, n > 3 ? adjH : 0);
  c->groups = groups;
  return THNN_OK;
}

THNN_APART int32_t makeEpilogue(const char *f, int32_t activation, double a, double b, Epilogue *epilogue)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  THNN_TRY(THNN_checkRange(f, "activation", activation, THNN_NO_ACTIVATION, THNN_LEAKY_RELU));
  if (activation == THNN_HARD_TANH && !(a < b)) return THNN_fail(THNN_ERR_VALUE, f, "b", "expected more than a %g, got %g", a, b);
  *epilogue = (Epilogue){NULL, activation, (accreal)a, (accreal)b};
  return THNN_OK;
}

int32_t THNN_(FusedConvolution_algorithm)(const THTensor *input, const THTensor *weight, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                          int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW, int64_t dilationH,
                                          int64_t adjT, int64_t adjW, int64_t adjH, int64_t groups, int32_t full, int64_t algorithm[1])
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c;
  THNN_TRY(makeLayer(__func__, weight, t, w, h, adjT, adjW, adjH, groups, full, &c));
  return THNN_(convolution_algorithm)(__func__, c, input, weight, algorithm);
}

int32_t THNN_(FusedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                             const THTensor *bias, const THTensor *other, int64_t dT, int64_t dW, int64_t dH,
                                             int64_t padT, int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
                                             int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH, int64_t groups,
                                             int32_t full, int32_t activation, double a, double b, int32_t algorithm)
{
  const Axis t = sliding(1, dT, padT, dilationT), w = sliding(1, dW, padW, dilationW), h = sliding(1, dH, padH, dilationH);
  Convolution c;
  THNN_TRY(makeLayer(__func__, weight, t, w, h, adjT, adjW, adjH, groups, full, &c));
  THNN_TRY(makeEpilogue(__func__, activation, a, b, &c.epilogue));
  c.algorithm = algorithm;
  return THNN_(convolution_updateSum)(__func__, state, c, input, output, weight, bias, other);
}
