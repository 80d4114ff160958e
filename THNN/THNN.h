/* THNN.h: the layers of libTHNN, and the rules of its whole public C API. Hosts include this file alone. It includes three others:
 *     THNN_base.h      versions, status codes, tensors, the state
 *     THNN_array.h     functions of arrays, for programs
 *     THNN_program.h   programs: networks as lists of calls
 *
 * A layer is two or three functions:
 *     THNN_FloatX_updateOutput       output     = f(input)
 *     THNN_FloatX_updateGradInput    gradInput  = gradient of the loss by the input
 *     THNN_FloatX_accGradParameters  gradWeight += scale * gradient by the weight, and so on
 * and the same for Double. A layer whose output has not its input's shape has a fourth, THNN_FloatX_outputSize.
 *
 * Rules that hold for every function
 *   - It returns THNN_OK (0) or one of the codes below; THNN_lastError() then names function, argument, what was
 *     expected and what came. All checks stand before the first write: after an error no output has changed.
 *     Nothing here ever exits, aborts, prints, or calls back.
 *   - A tensor is a view of memory that the caller owns and lends for the call. Strides count elements, may be zero or
 *     negative for inputs, and data need not be aligned. An output's elements must not overlap one another.
 *   - Outputs have their right size before the call: ask _outputSize, or take the shape that the argument's line gives.
 *   - updateOutput and updateGradInput overwrite; accGradParameters adds.
 *   - Indices, targets and labels count from 0. Width stands before height in arguments, after it in shapes.
 *   - It computes in the default floating-point environment, and restores the caller's control bits, status flags and errno.
 *   - state may be NULL: a process-wide default. Any function may run in any number of threads at once, as long as no
 *     two of them write the same memory. Results do not depend on the number of threads.
 *
 * Tags in the comment of a tensor argument
 *   [IN] read   [OUT] overwritten   [ACC] added to   [BUFFER] read and written: changed in place, or kept for the backward pass
 *   [OPTIONAL] may be NULL   [INPLACE] may be the same view as the input; must be, when `inplace` is set; `other` as the output
 *   [TRAIN] overwritten if `train` is set, else neither read nor written
 * Shapes: "(N x) C x H x W" has an optional batch dimension; "*" is any shape; a name in a later line means the same size.
 *
 * This header is the one source of truth: FFI declarations (`cc -E -P -DTHNN_FFI THNN.h`), the Python bindings, the tests
 * of NULL arguments and the tables of the documentation are made from it.
 */
#ifndef THNN_H
#define THNN_H

#include "THNN_base.h"
#include "THNN_array.h"
#include "THNN_program.h"

#if defined(__cplusplus) && !defined(THNN_FFI)
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------ layers
 * The second half of this file is read twice, for float and for double. */

#define THNN_HALF_OF_THE_FILE
#define THNN_(name) THNN_Float##name
#define THTensor THFloatTensor
#include "THNN.h"
#undef THNN_
#undef THTensor
#define THNN_(name) THNN_Double##name
#define THTensor THDoubleTensor
#include "THNN.h"
#undef THNN_
#undef THTensor
#undef THNN_HALF_OF_THE_FILE

#if defined(__cplusplus) && !defined(THNN_FFI)
}
#endif

#elif defined(THNN_HALF_OF_THE_FILE)

/* ------------------------------------------------------------------------------------------------ random tensors
 * They fill the tensor in row-major order, one draw (normal: one of a pair) an element, as torch.Tensor's methods do. */

THNN_API int32_t THNN_(uniform)(
    THNNState *state,
    THTensor *output, /* [OUT] * : from low to high */
    double low, double high);

THNN_API int32_t THNN_(normal)(
    THNNState *state,
    THTensor *output, /* [OUT] * */
    double mean, double stdv);

THNN_API int32_t THNN_(bernoulli)(
    THNNState *state,
    THTensor *output, /* [OUT] * : 1 with probability p, else 0 */
    double p);

THNN_API int32_t THNN_(exponential)(
    THNNState *state,
    THTensor *output, /* [OUT] * : mean 1 / rate */
    double rate);

THNN_API int32_t THNN_(cauchy)(
    THNNState *state,
    THTensor *output, /* [OUT] * */
    double median, double sigma);

THNN_API int32_t THNN_(geometric)(
    THNNState *state,
    THTensor *output, /* [OUT] * : k = 1, 2, ... with probability (1 - p) * p^(k - 1) */
    double p);

THNN_API int32_t THNN_(logNormal)(
    THNNState *state,
    THTensor *output, /* [OUT] * : exp of a normal with this mean and stdv */
    double mean, double stdv);

/* ------------------------------------------------------------------------------------------------ linear */

THNN_API int32_t THNN_(Linear_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) inputSize */
    THTensor *output,       /* [OUT] (N x) outputSize */
    const THTensor *weight, /* [IN] outputSize x inputSize */
    const THTensor *bias);  /* [IN] [OPTIONAL] outputSize */

THNN_API int32_t THNN_(Linear_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) inputSize */
    const THTensor *gradOutput, /* [IN] (N x) outputSize */
    THTensor *gradInput,        /* [OUT] (N x) inputSize */
    const THTensor *weight);    /* [IN] outputSize x inputSize */

THNN_API int32_t THNN_(Linear_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) inputSize */
    const THTensor *gradOutput, /* [IN] (N x) outputSize */
    THTensor *gradWeight,       /* [ACC] outputSize x inputSize */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] outputSize */
    double scale);

/* ------------------------------------------------------------------------------------------------ math */

THNN_API int32_t THNN_(pointwise_apply)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    const THTensor *other, /* [IN] as input, or with sizes of 1, which are repeated */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    int32_t operation);

THNN_API int32_t THNN_(pointwise_add)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [ACC] as input */
    double scale);

THNN_API int32_t THNN_(pointwise_sum)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *factor, /* [IN] [OPTIONAL] as input */
    THTensor *sum,          /* [ACC] as input, or with sizes of 1, over which it adds up */
    double scale);

THNN_API int32_t THNN_(DotProduct_updateOutput)(
    THNNState *state,
    const THTensor *input1, /* [IN] (N x) D */
    const THTensor *input2, /* [IN] as input1 */
    THTensor *output);      /* [OUT] N : 1 for single rows */

THNN_API int32_t THNN_(DotProduct_updateGradInput)(
    THNNState *state,
    const THTensor *input1,     /* [IN] (N x) D */
    const THTensor *input2,     /* [IN] as input1 */
    const THTensor *gradOutput, /* [IN] N : 1 for single rows */
    THTensor *gradInput1,       /* [OUT] as input1 */
    THTensor *gradInput2);      /* [OUT] as input1 */

THNN_API int32_t THNN_(CosineDistance_updateOutput)(
    THNNState *state,
    const THTensor *input1, /* [IN] (N x) D */
    const THTensor *input2, /* [IN] as input1 */
    THTensor *output);      /* [OUT] N : 1 for single rows */

THNN_API int32_t THNN_(CosineDistance_updateGradInput)(
    THNNState *state,
    const THTensor *input1,     /* [IN] (N x) D */
    const THTensor *input2,     /* [IN] as input1 */
    const THTensor *gradOutput, /* [IN] N : 1 for single rows */
    THTensor *gradInput1,       /* [OUT] as input1 */
    THTensor *gradInput2);      /* [OUT] as input1 */

THNN_API int32_t THNN_(PairwiseDistance_updateOutput)(
    THNNState *state,
    const THTensor *input1, /* [IN] (N x) D */
    const THTensor *input2, /* [IN] as input1 */
    THTensor *output,       /* [OUT] N : 1 for single rows */
    double p);

THNN_API int32_t THNN_(PairwiseDistance_updateGradInput)(
    THNNState *state,
    const THTensor *input1,     /* [IN] (N x) D */
    const THTensor *input2,     /* [IN] as input1 */
    const THTensor *gradOutput, /* [IN] N : 1 for single rows */
    THTensor *gradInput1,       /* [OUT] as input1 */
    THTensor *gradInput2,       /* [OUT] as input1 */
    double p);

/* ------------------------------------------------------------------------------------------------ convolution */

THNN_API int32_t THNN_(SpatialConvolutionMM_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialConvolutionMM_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(SpatialConvolutionMM_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x H x W */
    const THTensor *weight,     /* [IN] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(SpatialConvolutionMM_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    double scale);

/* output = activation(convolution of input + other), as the layers one after the other. The number of dimensions of weight says that of
 * the axes; numbers of others are not looked at. activation, of THNNActivation, has the numbers a and b. groups: of planes, as of
 * SpatialGroupedConvolution. full: a transposed layer. algorithm: of THNNConvolution up to THNN_BY_WINOGRAD_4; with another one than THNN_FAST
 * the bits of a sample depend on no other sample, and sizes that it is not for are an error. */
THNN_API int32_t THNN_(FusedConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oH x oW : as the layer's own _outputSize says */
    const THTensor *weight, /* [IN] nOutputPlane x (nInputPlane / groups) x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    const THTensor *other,  /* [IN] [OPTIONAL] [INPLACE] as output */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH,
    int64_t groups, int32_t full, int32_t activation, double a, double b, int32_t algorithm);

/* The algorithm for these sizes, of THNNConvolution but never THNN_FAST: the best one for weights that do not change and few samples.
 * How many the input has does not matter. */
THNN_API int32_t THNN_(FusedConvolution_algorithm)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x (nInputPlane / groups) x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH,
    int64_t groups, int32_t full, int64_t algorithm[1]);

/* Planes fall into groups, each of which is a convolution of its own, or with `full` a transposed one. */
THNN_API int32_t THNN_(SpatialGroupedConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x (nInputPlane / groups) x kH x kW, full: nInputPlane x (nOutputPlane / groups) x ... */
    int64_t groups, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH, int32_t full,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialGroupedConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x (nInputPlane / groups) x kH x kW, full: nInputPlane x (nOutputPlane / groups) x ... */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t groups, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH, int32_t full);

THNN_API int32_t THNN_(SpatialGroupedConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x H x W */
    const THTensor *weight,     /* [IN] nOutputPlane x (nInputPlane / groups) x kH x kW, full: nInputPlane x (nOutputPlane / groups) x ... */
    int64_t groups, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH, int32_t full);

THNN_API int32_t THNN_(SpatialGroupedConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x (nInputPlane / groups) x kH x kW, full: nInputPlane x (nOutputPlane / groups) x ... */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t groups, int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH, int32_t full,
    double scale);

THNN_API int32_t THNN_(SpatialConvolutionLocal_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] oH x oW x nOutputPlane x nInputPlane x kH x kW, or 3-D */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialConvolutionLocal_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oH x oW */
    const THTensor *weight, /* [IN] oH x oW x nOutputPlane x nInputPlane x kH x kW, or 3-D */
    const THTensor *bias,   /* [IN] nOutputPlane x oH x oW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight);

THNN_API int32_t THNN_(SpatialConvolutionLocal_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *weight,     /* [IN] oH x oW x nOutputPlane x nInputPlane x kH x kW, or 3-D */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight);

THNN_API int32_t THNN_(SpatialConvolutionLocal_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradWeight,       /* [ACC] oH x oW x nOutputPlane x nInputPlane x kH x kW, or 3-D */
    THTensor *gradBias,         /* [ACC] nOutputPlane x oH x oW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight,
    double scale);

THNN_API int32_t THNN_(SpatialConvolutionMap_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nKernel x kH x kW */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialConvolutionMap_updateOutput)(
    THNNState *state,
    const THTensor *input,         /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,              /* [OUT] (N x) nOutputPlane x oH x oW */
    const THTensor *weight,        /* [IN] nKernel x kH x kW */
    const THTensor *bias,          /* [IN] nOutputPlane */
    const THLongTensor *connTable, /* [IN] nKernel x 2 : input plane, output plane */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH);

THNN_API int32_t THNN_(SpatialConvolutionMap_updateGradInput)(
    THNNState *state,
    const THTensor *input,         /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput,    /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradInput,           /* [OUT] as input */
    const THTensor *weight,        /* [IN] nKernel x kH x kW */
    const THTensor *bias,          /* [IN] [OPTIONAL] * : not read */
    const THLongTensor *connTable, /* [IN] nKernel x 2 : input plane, output plane */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH);

THNN_API int32_t THNN_(SpatialConvolutionMap_accGradParameters)(
    THNNState *state,
    const THTensor *input,         /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput,    /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradWeight,          /* [ACC] nKernel x kH x kW */
    THTensor *gradBias,            /* [ACC] nOutputPlane */
    const THLongTensor *connTable, /* [IN] nKernel x 2 : input plane, output plane */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
    double scale);

THNN_API int32_t THNN_(SpatialDepthWiseConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialDepthWiseConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) (nInputPlane * nOutputPlane) x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane x nInputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(SpatialDepthWiseConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) (nInputPlane * nOutputPlane) x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *weight,     /* [IN] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(SpatialDepthWiseConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) (nInputPlane * nOutputPlane) x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x nInputPlane x kH x kW, or nOutputPlane x (nInputPlane * kH * kW) */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane x nInputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    double scale);

THNN_API int32_t THNN_(SpatialFullConvolutionMap_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nKernel x kH x kW */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialFullConvolutionMap_updateOutput)(
    THNNState *state,
    const THTensor *input,         /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,              /* [OUT] (N x) nOutputPlane x ((H - 1) * dH + kH) x ((W - 1) * dW + kW) */
    const THTensor *weight,        /* [IN] nKernel x kH x kW */
    const THTensor *bias,          /* [IN] nOutputPlane */
    const THLongTensor *connTable, /* [IN] nKernel x 2 : input plane, output plane */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH);

THNN_API int32_t THNN_(SpatialFullConvolutionMap_updateGradInput)(
    THNNState *state,
    const THTensor *input,         /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput,    /* [IN] (N x) nOutputPlane x ((H - 1) * dH + kH) x ((W - 1) * dW + kW) */
    THTensor *gradInput,           /* [OUT] as input */
    const THTensor *weight,        /* [IN] nKernel x kH x kW */
    const THTensor *bias,          /* [IN] [OPTIONAL] * : not read */
    const THLongTensor *connTable, /* [IN] nKernel x 2 : input plane, output plane */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH);

THNN_API int32_t THNN_(SpatialFullConvolutionMap_accGradParameters)(
    THNNState *state,
    const THTensor *input,         /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput,    /* [IN] (N x) nOutputPlane x ((H - 1) * dH + kH) x ((W - 1) * dW + kW) */
    THTensor *gradWeight,          /* [ACC] nKernel x kH x kW */
    THTensor *gradBias,            /* [ACC] nOutputPlane */
    const THLongTensor *connTable, /* [IN] nKernel x 2 : input plane, output plane */
    int64_t nInputPlane, int64_t nOutputPlane, int64_t dW, int64_t dH,
    double scale);

THNN_API int32_t THNN_(TemporalRowConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nFrame x frameSize, or (N x) frameSize x nFrame with featFirst */
    const THTensor *weight, /* [IN] frameSize x 1 x kW */
    int64_t kW, int64_t dW, int64_t padW, int32_t featFirst,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalRowConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nFrame x frameSize, or (N x) frameSize x nFrame with featFirst */
    THTensor *output,       /* [OUT] (N x) oFrame x frameSize, or (N x) frameSize x oFrame with featFirst */
    const THTensor *weight, /* [IN] frameSize x 1 x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] frameSize */
    int64_t kW, int64_t dW, int64_t padW, int32_t featFirst);

THNN_API int32_t THNN_(TemporalRowConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize, or (N x) frameSize x nFrame with featFirst */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x frameSize, or (N x) frameSize x oFrame with featFirst */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *weight,     /* [IN] frameSize x 1 x kW */
    int64_t kW, int64_t dW, int64_t padW, int32_t featFirst);

THNN_API int32_t THNN_(TemporalRowConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize, or (N x) frameSize x nFrame with featFirst */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x frameSize, or (N x) frameSize x oFrame with featFirst */
    THTensor *gradWeight,       /* [ACC] frameSize x 1 x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] frameSize */
    int64_t kW, int64_t dW, int64_t padW, int32_t featFirst,
    double scale);

THNN_API int32_t THNN_(SpatialDilatedConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialDilatedConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH);

THNN_API int32_t THNN_(SpatialDilatedConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x H x W */
    const THTensor *weight,     /* [IN] nOutputPlane x nInputPlane x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH);

THNN_API int32_t THNN_(SpatialDilatedConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x nInputPlane x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    double scale);

THNN_API int32_t THNN_(SpatialFullConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialFullConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x fullH x fullW */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(SpatialFullConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullH x fullW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x H x W */
    const THTensor *weight,     /* [IN] nInputPlane x nOutputPlane x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(SpatialFullConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullH x fullW */
    THTensor *gradWeight,       /* [ACC] nInputPlane x nOutputPlane x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH,
    double scale);

THNN_API int32_t THNN_(SpatialFullDilatedConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int64_t adjW, int64_t adjH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialFullDilatedConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x fullH x fullW */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(SpatialFullDilatedConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullH x fullW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x H x W */
    const THTensor *weight,     /* [IN] nInputPlane x nOutputPlane x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(SpatialFullDilatedConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullH x fullW */
    THTensor *gradWeight,       /* [ACC] nInputPlane x nOutputPlane x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int64_t adjW, int64_t adjH,
    double scale);

THNN_API int32_t THNN_(TemporalConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nFrame x inputFrameSize */
    const THTensor *weight, /* [IN] outputFrameSize x (kW * inputFrameSize) */
    int64_t kW, int64_t dW,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nFrame x inputFrameSize */
    THTensor *output,       /* [OUT] (N x) oFrame x outputFrameSize */
    const THTensor *weight, /* [IN] outputFrameSize x (kW * inputFrameSize) */
    const THTensor *bias,   /* [IN] [OPTIONAL] outputFrameSize */
    int64_t kW, int64_t dW, int64_t inputFrameSize, int64_t outputFrameSize);

THNN_API int32_t THNN_(TemporalConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x inputFrameSize */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x outputFrameSize */
    THTensor *gradInput,        /* [OUT] (N x) nFrame x inputFrameSize */
    const THTensor *weight,     /* [IN] outputFrameSize x (kW * inputFrameSize) */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(TemporalConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x inputFrameSize */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x outputFrameSize */
    THTensor *gradWeight,       /* [ACC] outputFrameSize x (kW * inputFrameSize) */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] outputFrameSize */
    int64_t kW, int64_t dW,
    double scale);

THNN_API int32_t THNN_(VolumetricConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kT x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oT x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kT x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(VolumetricConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oT x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x T x H x W */
    const THTensor *weight,     /* [IN] nOutputPlane x nInputPlane x kT x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(VolumetricConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oT x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x nInputPlane x kT x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    double scale);

THNN_API int32_t THNN_(VolumetricConvolutionMM_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kT x kH x kW, or nOutputPlane x (nInputPlane * kT * kH * kW) */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricConvolutionMM_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oT x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kT x kH x kW, or nOutputPlane x (nInputPlane * kT * kH * kW) */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(VolumetricConvolutionMM_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oT x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x T x H x W */
    const THTensor *weight,     /* [IN] nOutputPlane x nInputPlane x kT x kH x kW, or nOutputPlane x (nInputPlane * kT * kH * kW) */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(VolumetricConvolutionMM_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oT x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x nInputPlane x kT x kH x kW, or nOutputPlane x (nInputPlane * kT * kH * kW) */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    double scale);

THNN_API int32_t THNN_(VolumetricDilatedConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kT x kH x kW */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricDilatedConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x oT x oH x oW */
    const THTensor *weight, /* [IN] nOutputPlane x nInputPlane x kT x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH);

THNN_API int32_t THNN_(VolumetricDilatedConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oT x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x T x H x W */
    const THTensor *weight,     /* [IN] nOutputPlane x nInputPlane x kT x kH x kW */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH);

THNN_API int32_t THNN_(VolumetricDilatedConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x oT x oH x oW */
    THTensor *gradWeight,       /* [ACC] nOutputPlane x nInputPlane x kT x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH,
    double scale);

THNN_API int32_t THNN_(VolumetricFullConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kT x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT, int64_t adjW, int64_t adjH,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricFullConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x fullT x fullH x fullW */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kT x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT, int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(VolumetricFullConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullT x fullH x fullW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x T x H x W */
    const THTensor *weight,     /* [IN] nInputPlane x nOutputPlane x kT x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT, int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(VolumetricFullConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullT x fullH x fullW */
    THTensor *gradWeight,       /* [ACC] nInputPlane x nOutputPlane x kT x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t adjT, int64_t adjW, int64_t adjH,
    double scale);

THNN_API int32_t THNN_(VolumetricFullDilatedConvolution_outputSize)(
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kT x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
    int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricFullDilatedConvolution_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nInputPlane x T x H x W */
    THTensor *output,       /* [OUT] (N x) nOutputPlane x fullT x fullH x fullW */
    const THTensor *weight, /* [IN] nInputPlane x nOutputPlane x kT x kH x kW */
    const THTensor *bias,   /* [IN] [OPTIONAL] nOutputPlane */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
    int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(VolumetricFullDilatedConvolution_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullT x fullH x fullW */
    THTensor *gradInput,        /* [OUT] (N x) nInputPlane x T x H x W */
    const THTensor *weight,     /* [IN] nInputPlane x nOutputPlane x kT x kH x kW */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
    int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH);

THNN_API int32_t THNN_(VolumetricFullDilatedConvolution_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nInputPlane x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) nOutputPlane x fullT x fullH x fullW */
    THTensor *gradWeight,       /* [ACC] nInputPlane x nOutputPlane x kT x kH x kW */
    THTensor *gradBias,         /* [ACC] [OPTIONAL] nOutputPlane */
    int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
    int64_t dilationH, int64_t adjT, int64_t adjW, int64_t adjH,
    double scale);

THNN_API int32_t THNN_(unfolded_copy)(
    THNNState *state,
    THTensor *finput,      /* [OUT] (nInputPlane * kH * kW) x (outputHeight * outputWidth) */
    const THTensor *input, /* [IN] nInputPlane x inputHeight x inputWidth */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t nInputPlane, int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight);

THNN_API int32_t THNN_(unfolded_acc)(
    THNNState *state,
    const THTensor *finput, /* [IN] (nInputPlane * kH * kW) x (outputHeight * outputWidth) */
    THTensor *input,        /* [ACC] nInputPlane x inputHeight x inputWidth */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t nInputPlane, int64_t inputWidth, int64_t inputHeight, int64_t outputWidth, int64_t outputHeight);

/* ------------------------------------------------------------------------------------------------ normalization */

THNN_API int32_t THNN_(BatchNormalization_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] N x C, N x C x L, N x C x H x W or N x C x T x H x W; C alone when not training */
    THTensor *output,       /* [OUT] [INPLACE] as input */
    const THTensor *weight, /* [IN] [OPTIONAL] C */
    const THTensor *bias,   /* [IN] [OPTIONAL] C */
    THTensor *running_mean, /* [BUFFER] C */
    THTensor *running_var,  /* [BUFFER] C : unbiased, divided by n - 1 */
    THTensor *save_mean,    /* [BUFFER] [TRAIN] C */
    THTensor *save_std,     /* [BUFFER] [TRAIN] C : 1 / sqrt(var + eps) */
    int32_t train, double momentum, double eps);

THNN_API int32_t THNN_(BatchNormalization_backward)(
    THNNState *state,
    const THTensor *input,        /* [IN] as in updateOutput */
    const THTensor *gradOutput,   /* [IN] as input */
    THTensor *gradInput,          /* [OUT] [OPTIONAL] as input */
    THTensor *gradWeight,         /* [ACC] [OPTIONAL] C */
    THTensor *gradBias,           /* [ACC] [OPTIONAL] C */
    const THTensor *weight,       /* [IN] [OPTIONAL] C */
    const THTensor *running_mean, /* [IN] C */
    const THTensor *running_var,  /* [IN] C */
    const THTensor *save_mean,    /* [IN] C */
    const THTensor *save_std,     /* [IN] C */
    int32_t train, double scale, double eps);

THNN_API int32_t THNN_(Normalize_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) D */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double p, double eps);

THNN_API int32_t THNN_(Normalize_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) D */
    const THTensor *gradOutput, /* [IN] as input */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    double p, double eps);

THNN_API int32_t THNN_(SpatialCrossMapLRN_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] as input */
    THTensor *scale,       /* [OUT] as input : for the backward pass */
    int64_t size, double alpha, double beta, double k);

THNN_API int32_t THNN_(SpatialCrossMapLRN_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] as input */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *scale,      /* [IN] as input */
    const THTensor *output,     /* [IN] as input */
    int64_t size, double alpha, double beta, double k);

/* ------------------------------------------------------------------------------------------------ activation */

THNN_API int32_t THNN_(Threshold_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double threshold, double val, int32_t inplace);

THNN_API int32_t THNN_(Threshold_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * : in place, the output that took its memory */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    double threshold, double val, int32_t inplace);

THNN_API int32_t THNN_(Tanh_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output);     /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Tanh_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] [OPTIONAL] * : not read */
    const THTensor *gradOutput, /* [IN] * */
    THTensor *gradInput,        /* [OUT] [INPLACE] as output */
    const THTensor *output);    /* [IN] as gradOutput : or another shape of as many elements */

THNN_API int32_t THNN_(Sigmoid_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output);     /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Sigmoid_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] [OPTIONAL] * : not read */
    const THTensor *gradOutput, /* [IN] * */
    THTensor *gradInput,        /* [OUT] [INPLACE] as output */
    const THTensor *output);    /* [IN] as gradOutput : or another shape of as many elements */

THNN_API int32_t THNN_(SoftMax_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] C, N x C, C x H x W or N x C x H x W */
    THTensor *output);     /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(SoftMax_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] C, N x C, C x H x W or N x C x H x W */
    const THTensor *gradOutput, /* [IN] as input */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    const THTensor *output);    /* [IN] as input */

THNN_API int32_t THNN_(LogSoftMax_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] C, N x C, C x H x W or N x C x H x W */
    THTensor *output);     /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(LogSoftMax_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] C, N x C, C x H x W or N x C x H x W */
    const THTensor *gradOutput, /* [IN] as input */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    const THTensor *output);    /* [IN] as input */

THNN_API int32_t THNN_(HardTanh_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double min_val, double max_val, int32_t inplace);

THNN_API int32_t THNN_(HardTanh_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * : in place, the output that took its memory */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    double min_val, double max_val, int32_t inplace);

THNN_API int32_t THNN_(LeakyReLU_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double negval, int32_t inplace);

THNN_API int32_t THNN_(LeakyReLU_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * : in place, the output that took its memory */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    double negval, int32_t inplace);

THNN_API int32_t THNN_(RReLU_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    THTensor *noise,       /* [BUFFER] [TRAIN] as input : the slopes */
    double lower, double upper, int32_t train, int32_t inplace);

THNN_API int32_t THNN_(RReLU_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * : in place, the output that took its memory */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    const THTensor *noise,      /* [IN] as input : when training; else not looked at */
    double lower, double upper, int32_t train, int32_t inplace);

THNN_API int32_t THNN_(PReLU_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] N x nOutputPlane x H x W : or of 1 to 8 dimensions; * when nOutputPlane is 0 */
    THTensor *output,       /* [OUT] [INPLACE] as input */
    const THTensor *weight, /* [IN] nOutputPlane : 1 when nOutputPlane is 0 */
    int64_t nOutputPlane);

THNN_API int32_t THNN_(PReLU_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] as in updateOutput */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    const THTensor *weight,     /* [IN] nOutputPlane : 1 when nOutputPlane is 0 */
    int64_t nOutputPlane);

THNN_API int32_t THNN_(PReLU_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] as in updateOutput */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradWeight,       /* [ACC] nOutputPlane : 1 when nOutputPlane is 0 */
    int64_t nOutputPlane, double scale);

THNN_API int32_t THNN_(ELU_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double alpha, int32_t inplace);

THNN_API int32_t THNN_(ELU_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * : in place, the output that took its memory */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    const THTensor *output,     /* [IN] as input */
    double alpha, int32_t inplace);

THNN_API int32_t THNN_(SoftPlus_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double beta, double threshold);

THNN_API int32_t THNN_(SoftPlus_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    const THTensor *output,     /* [IN] [OPTIONAL] as input : not read */
    double beta, double threshold);

THNN_API int32_t THNN_(LogSigmoid_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    THTensor *output);      /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(LogSigmoid_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] * */
    const THTensor *gradOutput,  /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput);        /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(HardShrink_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double lambda_);

THNN_API int32_t THNN_(HardShrink_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    double lambda_);

THNN_API int32_t THNN_(SoftShrink_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double lambda_);

THNN_API int32_t THNN_(SoftShrink_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput,        /* [OUT] [INPLACE] as input */
    double lambda_);

THNN_API int32_t THNN_(GatedLinear_outputSize)(
    const THTensor *input, /* [IN] N x (2 * C) : any shape of even size along dim */
    int64_t dim,
    int64_t size[8]);

THNN_API int32_t THNN_(GatedLinear_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] N x (2 * C) : any shape of even size along dim */
    THTensor *output,      /* [OUT] N x C : as input, half as long along dim */
    int64_t dim);

THNN_API int32_t THNN_(GatedLinear_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] N x (2 * C) : any shape of even size along dim */
    const THTensor *gradOutput, /* [IN] N x C : as input, half as long along dim */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t dim);

THNN_API int32_t THNN_(Abs_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    THTensor *output);      /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Abs_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] * */
    const THTensor *gradOutput,  /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput);        /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Square_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    THTensor *output);      /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Square_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] * */
    const THTensor *gradOutput,  /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput);        /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Exp_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output);     /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Exp_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] [OPTIONAL] * : not read */
    const THTensor *gradOutput, /* [IN] * */
    THTensor *gradInput,        /* [OUT] [INPLACE] as output */
    const THTensor *output);    /* [IN] as gradOutput : or another shape of as many elements */

THNN_API int32_t THNN_(Log_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output);     /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Log_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * */
    const THTensor *gradOutput, /* [IN] as input : or another shape of as many elements */
    THTensor *gradInput);       /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(Sqrt_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] [INPLACE] as input */
    double eps);

THNN_API int32_t THNN_(Sqrt_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] [OPTIONAL] * : not read */
    const THTensor *gradOutput,  /* [IN] * */
    THTensor *gradInput,         /* [OUT] [INPLACE] as output */
    const THTensor *output);     /* [IN] as gradOutput : or another shape of as many elements */

/* ------------------------------------------------------------------------------------------------ pooling */

THNN_API int32_t THNN_(SpatialMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : h * W + w of the maximum within its plane; NULL: not wanted */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int32_t count_include_pad);

THNN_API int32_t THNN_(SpatialAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int32_t count_include_pad);

THNN_API int32_t THNN_(SpatialAdaptiveAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t owidth, int64_t oheight,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialAdaptiveAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oheight x owidth */
    int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(SpatialAdaptiveAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oheight x owidth */
    THTensor *gradInput);       /* [OUT] as input */

THNN_API int32_t THNN_(SpatialAdaptiveMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t owidth, int64_t oheight,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialAdaptiveMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oheight x owidth */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : h * W + w of the maximum within its plane; NULL: not wanted */
    int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(SpatialAdaptiveMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,   /* [IN] (N x) C x oheight x owidth */
    THTensor *gradInput,          /* [OUT] as input */
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(SpatialGlobalAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialGlobalAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output);     /* [OUT] (N x) C x 1 x 1 */

THNN_API int32_t THNN_(SpatialGlobalAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x 1 x 1 */
    THTensor *gradInput);       /* [OUT] as input */

THNN_API int32_t THNN_(SpatialPowerAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    double power, int32_t use_abs,
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialPowerAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    double power, int32_t use_abs,
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialPowerAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *output,     /* [IN] as gradOutput */
    double power, int32_t use_abs,
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(FeatureLPPooling_outputSize)(
    const THTensor *input, /* [IN] N x C, N x C x L or N x C x H x W in batch mode, else the same without N */
    int64_t width, int64_t stride, int32_t batchMode,
    int64_t size[8]);

THNN_API int32_t THNN_(FeatureLPPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] N x C, N x C x L or N x C x H x W in batch mode, else the same without N */
    THTensor *output,      /* [OUT] N x oC : as input but for oC = (C - width) / stride + 1 */
    double power, int64_t width, int64_t stride, int32_t batchMode);

THNN_API int32_t THNN_(FeatureLPPooling_updateGradInput)(
    THNNState *state,
    const THTensor *gradOutput, /* [IN] N x oC : as output */
    const THTensor *input,      /* [IN] N x C, N x C x L or N x C x H x W in batch mode, else the same without N */
    const THTensor *output,     /* [IN] N x oC : as input but for oC = (C - width) / stride + 1 */
    THTensor *gradInput,        /* [OUT] as input */
    double power, int64_t width, int64_t stride, int32_t batchMode);

THNN_API int32_t THNN_(SpatialSubSampling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialSubSampling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) C x H x W */
    THTensor *output,       /* [OUT] (N x) C x oH x oW */
    const THTensor *weight, /* [IN] C */
    const THTensor *bias,   /* [IN] C */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH);

THNN_API int32_t THNN_(SpatialSubSampling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *weight,     /* [IN] C */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH);

THNN_API int32_t THNN_(SpatialSubSampling_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradWeight,       /* [ACC] C */
    THTensor *gradBias,         /* [ACC] C */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH,
    double scale);

THNN_API int32_t THNN_(TemporalSubSampling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t kW, int64_t dW,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalSubSampling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nFrame x frameSize */
    THTensor *output,       /* [OUT] (N x) oFrame x frameSize */
    const THTensor *weight, /* [IN] frameSize */
    const THTensor *bias,   /* [IN] frameSize */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(TemporalSubSampling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x frameSize */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *weight,     /* [IN] frameSize */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(TemporalSubSampling_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x frameSize */
    THTensor *gradWeight,       /* [ACC] frameSize */
    THTensor *gradBias,         /* [ACC] frameSize */
    int64_t kW, int64_t dW,
    double scale);

THNN_API int32_t THNN_(SpatialGaussianPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    const THTensor *mean,  /* [IN] C x M x 2 : along W and H, from the middle of the window */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialGaussianPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,     /* [IN] (N x) C x H x W */
    THTensor *output,          /* [OUT] (N x) (C * M) x oH x oW */
    const THTensor *mean,      /* [IN] C x M x 2 : along W and H, from the middle of the window */
    const THTensor *precision, /* [IN] C x M x 2 : 1 / variance, along W and H */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int32_t count_include_pad);

THNN_API int32_t THNN_(SpatialGaussianPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) (C * M) x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *mean,       /* [IN] C x M x 2 */
    const THTensor *precision,  /* [IN] C x M x 2 */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int32_t count_include_pad);

THNN_API int32_t THNN_(SpatialGaussianPooling_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) (C * M) x oH x oW */
    THTensor *gradMean,         /* [ACC] C x M x 2 : may be `mean` itself */
    THTensor *gradPrecision,    /* [ACC] C x M x 2 : may be `precision` itself */
    const THTensor *mean,       /* [IN] C x M x 2 */
    const THTensor *precision,  /* [IN] C x M x 2 */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int32_t count_include_pad, double scale);

THNN_API int32_t THNN_(SpatialMixedPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialMixedPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) C x H x W */
    THTensor *output,       /* [OUT] (N x) C x oH x oW */
    THLongTensor *indices,  /* [OUT] as output : h * W + w of the maximum within its plane */
    const THTensor *weight, /* [IN] C or 1 : the share of the maximum */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialMixedPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    const THTensor *weight,      /* [IN] C or 1 */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialMixedPooling_accGradParameters)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradWeight,        /* [ACC] C or 1 */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    double scale);

THNN_API int32_t THNN_(SpatialGatedPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialGatedPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) C x H x W */
    THTensor *output,       /* [OUT] (N x) C x oH x oW */
    THLongTensor *indices,  /* [OUT] as output : h * W + w of the maximum within its plane */
    THTensor *gate,         /* [OUT] as output : the share of the maximum */
    const THTensor *weight, /* [IN] C x kH x kW or 1 x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialGatedPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THTensor *output,      /* [IN] as gradOutput */
    const THLongTensor *indices, /* [IN] as gradOutput */
    const THTensor *gate,        /* [IN] as gradOutput */
    const THTensor *weight,      /* [IN] C x kH x kW or 1 x kH x kW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialGatedPooling_accGradParameters)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradWeight,        /* [ACC] C x kH x kW or 1 x kH x kW */
    const THTensor *output,      /* [IN] as gradOutput */
    const THLongTensor *indices, /* [IN] as gradOutput */
    const THTensor *gate,        /* [IN] as gradOutput */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    double scale);

THNN_API int32_t THNN_(TemporalSoftPool_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalSoftPool_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    THTensor *output,      /* [OUT] (N x) oFrame x frameSize */
    int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode, double beta);

THNN_API int32_t THNN_(TemporalSoftPool_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x frameSize */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t kW, int64_t dW, int64_t padW, int32_t ceil_mode, double beta,
    int32_t exact);

THNN_API int32_t THNN_(SpatialSoftPool_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialSoftPool_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, double beta);

THNN_API int32_t THNN_(SpatialSoftPool_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode, double beta,
    int32_t exact);

THNN_API int32_t THNN_(VolumetricSoftPool_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricSoftPool_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x oT x oH x oW */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode, double beta);

THNN_API int32_t THNN_(VolumetricSoftPool_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oT x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode, double beta,
    int32_t exact);

THNN_API int32_t THNN_(SpatialLocalImportancePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialLocalImportancePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    const THTensor *logit, /* [IN] as input */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialLocalImportancePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *logit,      /* [IN] as input */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    THTensor *gradLogit,        /* [OUT] as input */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialFractionalMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t outputW, int64_t outputH, int64_t poolSizeW, int64_t poolSizeH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialFractionalMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,          /* [IN] (N x) C x H x W */
    THTensor *output,               /* [OUT] (N x) C x outputH x outputW */
    int64_t outputW, int64_t outputH, int64_t poolSizeW, int64_t poolSizeH,
    THLongTensor *indices,          /* [OUT] as output : h * W + w of the maximum within its plane */
    const THTensor *randomSamples); /* [IN] N x C x 2 : for width and height, in [0, 1); N is 1 for a single sample */

THNN_API int32_t THNN_(SpatialFractionalMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,   /* [IN] (N x) C x outputH x outputW */
    THTensor *gradInput,          /* [OUT] as input */
    int64_t outputW, int64_t outputH, int64_t poolSizeW, int64_t poolSizeH,
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(VolumetricFractionalMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W x T */
    int64_t outputT, int64_t outputW, int64_t outputH, int64_t poolSizeT, int64_t poolSizeW, int64_t poolSizeH,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricFractionalMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,          /* [IN] (N x) C x H x W x T */
    THTensor *output,               /* [OUT] (N x) C x outputH x outputW x outputT */
    int64_t outputT, int64_t outputW, int64_t outputH, int64_t poolSizeT, int64_t poolSizeW, int64_t poolSizeH,
    THLongTensor *indices,          /* [OUT] as output : (h * W + w) * T + t of the maximum within its plane */
    const THTensor *randomSamples); /* [IN] N x C x 3 : for time, width, height, in [0, 1); N is 1 for a single sample */

THNN_API int32_t THNN_(VolumetricFractionalMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C x H x W x T */
    const THTensor *gradOutput,   /* [IN] (N x) C x outputH x outputW x outputT */
    THTensor *gradInput,          /* [OUT] as input */
    int64_t outputT, int64_t outputW, int64_t outputH, int64_t poolSizeT, int64_t poolSizeW, int64_t poolSizeH,
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(SpatialMaxUnpooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t owidth, int64_t oheight,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialMaxUnpooling_updateOutput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    THTensor *output,            /* [OUT] (N x) C x oheight x owidth */
    const THLongTensor *indices, /* [IN] as input : h * owidth + w of each element within its plane, or -1 for none */
    int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(SpatialMaxUnpooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oheight x owidth */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as input : -1 for none */
    int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(VolumetricMaxUnpooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t otime, int64_t owidth, int64_t oheight,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricMaxUnpooling_updateOutput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x T x H x W */
    THTensor *output,            /* [OUT] (N x) C x otime x oheight x owidth */
    const THLongTensor *indices, /* [IN] as input : (t * oheight + h) * owidth + w within its plane, or -1 for none */
    int64_t otime, int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(VolumetricMaxUnpooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x otime x oheight x owidth */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as input : -1 for none */
    int64_t otime, int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(TemporalDynamicKMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) L x F */
    int64_t minK, double factor,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalDynamicKMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) L x F */
    THTensor *output,      /* [OUT] (N x) k x F : k = max(minK, ceil(factor * L)) */
    THLongTensor *indices, /* [OUT] as output : the frames that were kept, ascending */
    int64_t minK, double factor);

THNN_API int32_t THNN_(TemporalDynamicKMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) L x F */
    const THTensor *gradOutput,  /* [IN] (N x) k x F */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t minK, double factor);

THNN_API int32_t THNN_(SpatialStochasticPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialStochasticPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : h * W + w of the cell that was drawn, or -1; not in evaluation */
    const THTensor *noise, /* [IN] [OPTIONAL] as output : uniform in [0, 1); NULL for evaluation */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialStochasticPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] [OPTIONAL] as gradOutput : -1 for none; NULL for evaluation */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialS3Pooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t pool, int64_t gridW, int64_t gridH,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialS3Pooling_updateOutput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    THTensor *output,            /* [OUT] (N x) C x (H // pool) x (W // pool) : rounded down */
    THLongTensor *indices,       /* [OUT] [OPTIONAL] as output : h * W + w of each maximum; not of means */
    const THLongTensor *rows,    /* [IN] [OPTIONAL] (H // pool) : those that are kept; NULL for the mean, in evaluation */
    const THLongTensor *columns, /* [IN] [OPTIONAL] (W // pool) : likewise */
    int64_t pool, int64_t gridW, int64_t gridH);

THNN_API int32_t THNN_(SpatialS3Pooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x (H // pool) x (W // pool) */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] [OPTIONAL] as gradOutput : NULL for means */
    const THLongTensor *rows,    /* [IN] [OPTIONAL] (H // pool) */
    const THLongTensor *columns, /* [IN] [OPTIONAL] (W // pool) */
    int64_t pool, int64_t gridW, int64_t gridH);

THNN_API int32_t THNN_(TemporalMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t kW, int64_t dW,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    THTensor *output,      /* [OUT] (N x) oFrame x frameSize */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : frame * frameSize + feature of the maximum; NULL: not wanted */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(TemporalMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput,  /* [IN] (N x) oFrame x frameSize */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(SpatialDilatedMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialDilatedMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : h * W + w of the maximum within its plane; -1 for none; NULL: not wanted */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int32_t ceil_mode);

THNN_API int32_t THNN_(SpatialDilatedMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW, int64_t dilationH,
    int32_t ceil_mode);

THNN_API int32_t THNN_(VolumetricMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x oT x oH x oW */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : (t * H + h) * W + w of the maximum within its volume; NULL: not wanted */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode);

THNN_API int32_t THNN_(VolumetricMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oT x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode);

THNN_API int32_t THNN_(VolumetricDilatedMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricDilatedMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x oT x oH x oW */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : (t * H + h) * W + w of the maximum within its volume; -1 for none; NULL: not wanted */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode);

THNN_API int32_t THNN_(VolumetricDilatedMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oT x oH x oW */
    THTensor *gradInput,         /* [OUT] as input */
    const THLongTensor *indices, /* [IN] as gradOutput */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int64_t dilationT, int64_t dilationW, int64_t dilationH, int32_t ceil_mode);

THNN_API int32_t THNN_(TemporalAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t kW, int64_t dW,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    THTensor *output,      /* [OUT] (N x) oFrame x frameSize */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(TemporalAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput, /* [IN] (N x) oFrame x frameSize */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t kW, int64_t dW);

THNN_API int32_t THNN_(VolumetricAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x oT x oH x oW */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode, int32_t count_include_pad);

THNN_API int32_t THNN_(VolumetricAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oT x oH x oW */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t kT, int64_t kW, int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
    int32_t ceil_mode, int32_t count_include_pad);

THNN_API int32_t THNN_(TemporalAdaptiveAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t owidth,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalAdaptiveAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    THTensor *output,      /* [OUT] (N x) owidth x frameSize */
    int64_t owidth);

THNN_API int32_t THNN_(TemporalAdaptiveAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput, /* [IN] (N x) owidth x frameSize */
    THTensor *gradInput);       /* [OUT] as input */

THNN_API int32_t THNN_(TemporalAdaptiveMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t owidth,
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalAdaptiveMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    THTensor *output,      /* [OUT] (N x) owidth x frameSize */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : place in the sequence; NULL: not wanted */
    int64_t owidth);

THNN_API int32_t THNN_(TemporalAdaptiveMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput,   /* [IN] (N x) owidth x frameSize */
    THTensor *gradInput,          /* [OUT] as input */
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(VolumetricAdaptiveAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t otime, int64_t owidth, int64_t oheight,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricAdaptiveAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x otime x oheight x owidth */
    int64_t otime, int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(VolumetricAdaptiveAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x otime x oheight x owidth */
    THTensor *gradInput);       /* [OUT] as input */

THNN_API int32_t THNN_(VolumetricAdaptiveMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t otime, int64_t owidth, int64_t oheight,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricAdaptiveMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x otime x oheight x owidth */
    THLongTensor *indices, /* [OUT] [OPTIONAL] as output : (t * H + h) * W + w of the maximum within its volume; NULL: not wanted */
    int64_t otime, int64_t owidth, int64_t oheight);

THNN_API int32_t THNN_(VolumetricAdaptiveMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput,   /* [IN] (N x) C x otime x oheight x owidth */
    THTensor *gradInput,          /* [OUT] as input */
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(TemporalGlobalAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalGlobalAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    THTensor *output);     /* [OUT] (N x) 1 x frameSize */

THNN_API int32_t THNN_(TemporalGlobalAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput, /* [IN] (N x) 1 x frameSize */
    THTensor *gradInput);       /* [OUT] as input */

THNN_API int32_t THNN_(VolumetricGlobalAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricGlobalAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output);     /* [OUT] (N x) C x 1 x 1 x 1 */

THNN_API int32_t THNN_(VolumetricGlobalAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x 1 x 1 x 1 */
    THTensor *gradInput);       /* [OUT] as input */

THNN_API int32_t THNN_(TemporalGlobalMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) nFrame x frameSize */
    int64_t size[8]);

THNN_API int32_t THNN_(TemporalGlobalMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) nFrame x frameSize */
    THTensor *output,       /* [OUT] (N x) 1 x frameSize */
    THLongTensor *indices); /* [OUT] [OPTIONAL] as output : place in the sequence; NULL: not wanted */

THNN_API int32_t THNN_(TemporalGlobalMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) nFrame x frameSize */
    const THTensor *gradOutput,   /* [IN] (N x) 1 x frameSize */
    THTensor *gradInput,          /* [OUT] as input */
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(SpatialGlobalMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialGlobalMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) C x H x W */
    THTensor *output,       /* [OUT] (N x) C x 1 x 1 */
    THLongTensor *indices); /* [OUT] [OPTIONAL] as output : h * W + w of the maximum within its plane; NULL: not wanted */

THNN_API int32_t THNN_(SpatialGlobalMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,   /* [IN] (N x) C x 1 x 1 */
    THTensor *gradInput,          /* [OUT] as input */
    const THLongTensor *indices); /* [IN] as gradOutput */

THNN_API int32_t THNN_(VolumetricGlobalMaxPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricGlobalMaxPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) C x T x H x W */
    THTensor *output,       /* [OUT] (N x) C x 1 x 1 x 1 */
    THLongTensor *indices); /* [OUT] [OPTIONAL] as output : (t * H + h) * W + w of the maximum within its volume; NULL: not wanted */

THNN_API int32_t THNN_(VolumetricGlobalMaxPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput,   /* [IN] (N x) C x 1 x 1 x 1 */
    THTensor *gradInput,          /* [OUT] as input */
    const THLongTensor *indices); /* [IN] as gradOutput */

/* ------------------------------------------------------------------------------------------------ embedding */

THNN_API int32_t THNN_(LookupTable_updateOutput)(
    THNNState *state,
    const THLongTensor *input, /* [IN] N x L : any shape, in 0 .. nIndex-1 */
    THTensor *output,          /* [OUT] N x L x nOutput : input's sizes, then those of a row */
    const THTensor *weight);   /* [IN] nIndex x nOutput : rows may have more dimensions */

THNN_API int32_t THNN_(LookupTable_accGradParameters)(
    THNNState *state,
    const THLongTensor *input,  /* [IN] N x L : any shape, in 0 .. nIndex-1 */
    const THTensor *gradOutput, /* [IN] N x L x nOutput : input's sizes, then those of a row */
    THTensor *gradWeight,       /* [ACC] nIndex x nOutput : rows may have more dimensions */
    int32_t scaleGradByFreq, int64_t paddingValue, double scale);

THNN_API int32_t THNN_(LookupTable_renorm)(
    THNNState *state,
    const THLongTensor *input, /* [IN] N x L : any shape, in 0 .. nIndex-1 */
    THTensor *weight,          /* [BUFFER] nIndex x nOutput : the rows in input are shortened */
    double maxNorm, double normType);

THNN_API int32_t THNN_(LookupTableBag_updateOutput)(
    THNNState *state,
    const THLongTensor *input,   /* [IN] nnz : in 0 .. nIndex-1 */
    const THLongTensor *offsets, /* [IN] N : where each bag begins; the first at 0 */
    const THTensor *weight,      /* [IN] nIndex x nOutput */
    THTensor *output,            /* [OUT] N x nOutput */
    THLongTensor *offset2bag,    /* [OUT] nnz */
    int32_t mode,
    THLongTensor *seq_length);   /* [OUT] N */

THNN_API int32_t THNN_(LookupTableBag_accGradParameters)(
    THNNState *state,
    const THLongTensor *input,      /* [IN] nnz : in 0 .. nIndex-1 */
    const THTensor *gradOutput,     /* [IN] N x nOutput */
    THTensor *gradWeight,           /* [ACC] nIndex x nOutput */
    const THLongTensor *offset2bag, /* [IN] nnz : in 0 .. N-1 */
    int32_t scaleGradByFreq, int32_t mode,
    const THLongTensor *seq_length, /* [IN] [OPTIONAL] N : needed in mode 1 */
    double scale);

THNN_API int32_t THNN_(SparseLinear_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] nnz x 3 : sample, column and value of each entry */
    THTensor *output,       /* [OUT] N x outputSize */
    const THTensor *weight, /* [IN] outputSize x inputSize */
    const THTensor *bias);  /* [IN] outputSize */

THNN_API int32_t THNN_(SparseLinear_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] nnz x 3 : sample, column and value of each entry */
    const THTensor *gradOutput, /* [IN] N x outputSize */
    THTensor *gradWeight,       /* [ACC] outputSize x inputSize */
    THTensor *gradBias,         /* [ACC] outputSize */
    const THTensor *weight,     /* [IN] outputSize x inputSize */
    double weightDecay, double scale);

THNN_API int32_t THNN_(SparseLinear_zeroGradParameters)(
    THNNState *state,
    THTensor *gradWeight,       /* [BUFFER] outputSize x inputSize : the columns in lastInput are cleared */
    THTensor *gradBias,         /* [OUT] outputSize */
    const THTensor *lastInput); /* [IN] nnz x 3 : sample, column and value of each entry */

THNN_API int32_t THNN_(SparseLinear_updateParameters)(
    THNNState *state,
    THTensor *weight,           /* [ACC] outputSize x inputSize : the columns in lastInput */
    THTensor *bias,             /* [ACC] outputSize */
    const THTensor *gradWeight, /* [IN] outputSize x inputSize */
    const THTensor *gradBias,   /* [IN] outputSize */
    const THTensor *lastInput,  /* [IN] nnz x 3 : sample, column and value of each entry */
    double learningRate);

THNN_API int32_t THNN_(SparseLinear_legacyUpdateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] N x nnz x 2 : column and value of each entry */
    THTensor *output,       /* [OUT] N x outputSize */
    const THTensor *weight, /* [IN] outputSize x inputSize */
    const THTensor *bias);  /* [IN] outputSize */

THNN_API int32_t THNN_(SparseLinear_legacyAccGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] N x nnz x 2 : column and value of each entry */
    const THTensor *gradOutput, /* [IN] N x outputSize */
    THTensor *gradWeight,       /* [ACC] outputSize x inputSize */
    THTensor *gradBias,         /* [ACC] outputSize */
    const THTensor *weight,     /* [IN] outputSize x inputSize */
    double weightDecay, double scale);

THNN_API int32_t THNN_(SparseLinear_legacyZeroGradParameters)(
    THNNState *state,
    THTensor *gradWeight,       /* [BUFFER] outputSize x inputSize : the columns in lastInput are cleared */
    THTensor *gradBias,         /* [OUT] outputSize */
    const THTensor *lastInput); /* [IN] N x nnz x 2 : column and value of each entry */

THNN_API int32_t THNN_(SparseLinear_legacyUpdateParameters)(
    THNNState *state,
    THTensor *weight,           /* [ACC] outputSize x inputSize : the columns in lastInput */
    THTensor *bias,             /* [ACC] outputSize */
    const THTensor *gradWeight, /* [IN] outputSize x inputSize */
    const THTensor *gradBias,   /* [IN] outputSize */
    const THTensor *lastInput,  /* [IN] N x nnz x 2 : column and value of each entry */
    double learningRate);

THNN_API int32_t THNN_(IndexLinear_updateOutput)(
    THNNState *state,
    const THLongTensor *keys,   /* [IN] nnz : with keysOffset in 0 .. inputSize-1 */
    int64_t keysOffset,
    const THTensor *values,     /* [IN] nnz */
    const THLongTensor *sizes,  /* [IN] N : entries of each sample */
    THTensor *output,           /* [OUT] N x outputSize */
    THTensor *weight,           /* [BUFFER] inputSize x outputSize, or inputSize x 4 + outputSize to normalize values */
    const THTensor *bias,       /* [IN] outputSize */
    THTensor *normalizedValues, /* [OUT] [OPTIONAL] nnz : needed to normalize values */
    int32_t train);

THNN_API int32_t THNN_(IndexLinear_accGradParameters)(
    THNNState *state,
    const THTensor *values,     /* [IN] nnz : normalized, if they were */
    const THLongTensor *sizes,  /* [IN] N : entries of each sample */
    const THTensor *gradOutput, /* [IN] N x outputSize */
    THTensor *gradWeight,       /* [OUT] nnz x outputSize, or nnz x 2 * outputSize for normalized values */
    THTensor *gradBias,         /* [ACC] outputSize */
    double scale);

THNN_API int32_t THNN_(IndexLinear_accUpdateGradParameters)(
    THNNState *state,
    const THLongTensor *keys,   /* [IN] nnz : with keysOffset in 0 .. inputSize-1 */
    int64_t keysOffset,
    const THTensor *values,     /* [IN] nnz : normalized, if they were */
    const THLongTensor *sizes,  /* [IN] N : entries of each sample */
    const THTensor *gradOutput, /* [IN] N x outputSize */
    THTensor *weight,           /* [ACC] inputSize x outputSize, or inputSize x 4 + outputSize for normalized values */
    THTensor *bias,             /* [ACC] outputSize */
    double weightDecay, double scale);

THNN_API int32_t THNN_(IndexLinear_updateParameters)(
    THNNState *state,
    const THTensor *gradWeight,      /* [IN] nnz x outputSize, or nnz x 2 * outputSize for normalized values */
    const THTensor *gradBias,        /* [IN] outputSize */
    THTensor *weight,                /* [ACC] inputSize x outputSize, or inputSize x 4 + outputSize for normalized values */
    THTensor *bias,                  /* [ACC] outputSize */
    const THLongTensor *runningKeys, /* [IN] nnz : with keysOffset in 0 .. inputSize-1 */
    int64_t keysOffset, double weightDecay, double learningRate);

/* ------------------------------------------------------------------------------------------------ recurrent */

THNN_API int32_t THNN_(GRUFused_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) 3 * hiddenSize */
    const THTensor *hidden, /* [IN] (N x) 3 * hiddenSize */
    const THTensor *bias1,  /* [IN] [OPTIONAL] 3 * hiddenSize */
    const THTensor *bias2,  /* [IN] [OPTIONAL] 3 * hiddenSize */
    const THTensor *hx,     /* [IN] (N x) hiddenSize */
    THTensor *output,       /* [OUT] (N x) hiddenSize */
    THTensor *storage);     /* [OUT] (N x) 5 * hiddenSize : for backward */

THNN_API int32_t THNN_(GRUFused_updateGradInput)(
    THNNState *state,
    THTensor *gradInInput,      /* [OUT] (N x) 3 * hiddenSize */
    THTensor *gradInHidden,     /* [OUT] (N x) 3 * hiddenSize */
    const THTensor *gradOutput, /* [IN] (N x) hiddenSize */
    THTensor *gradInputHx,      /* [OUT] (N x) hiddenSize */
    const THTensor *storage);   /* [IN] (N x) 5 * hiddenSize : as updateOutput left it */

THNN_API int32_t THNN_(LSTMFused_updateOutput)(
    THNNState *state,
    THTensor *input,        /* [BUFFER] (N x) 4 * hiddenSize : becomes the gates, which backward calls storage */
    const THTensor *hidden, /* [IN] (N x) 4 * hiddenSize */
    const THTensor *bias1,  /* [IN] [OPTIONAL] 4 * hiddenSize */
    const THTensor *bias2,  /* [IN] [OPTIONAL] 4 * hiddenSize */
    const THTensor *cell,   /* [IN] (N x) hiddenSize */
    THTensor *output,       /* [OUT] (N x) hiddenSize */
    THTensor *outputCell);  /* [OUT] (N x) hiddenSize */

THNN_API int32_t THNN_(LSTMFused_updateGradInput)(
    THNNState *state,
    const THTensor *storage,        /* [IN] (N x) 4 * hiddenSize : input, as updateOutput left it */
    THTensor *gradInGates,          /* [OUT] (N x) 4 * hiddenSize */
    const THTensor *cx,             /* [IN] (N x) hiddenSize : cell */
    const THTensor *cy,             /* [IN] (N x) hiddenSize : outputCell */
    const THTensor *gradOutput,     /* [IN] (N x) hiddenSize */
    const THTensor *gradOutputCell, /* [IN] (N x) hiddenSize */
    THTensor *gradInputCx);         /* [OUT] (N x) hiddenSize */

/* order: 0, the rows of hiddenSize are the gates i, f, g, o, as cuDNN has them; 1: i, f, o, g, as rnn has them. */
THNN_API int32_t THNN_(LSTMSequence_updateOutput)(
    THNNState *state,
    THTensor *gates,        /* [BUFFER] T x N x 4 * hiddenSize : what the inputs give; becomes the gates */
    THTensor *output,       /* [OUT] T x N x hiddenSize */
    THTensor *cell,         /* [OUT] T x N x hiddenSize */
    const THTensor *weight, /* [IN] hiddenSize x 4 * hiddenSize */
    const THTensor *bias,   /* [IN] 4 * hiddenSize */
    const THTensor *h0,     /* [IN] N x hiddenSize */
    const THTensor *c0,     /* [IN] N x hiddenSize */
    int32_t order);

THNN_API int32_t THNN_(LSTMSequence_updateGradInput)(
    THNNState *state,
    const THTensor *gates,      /* [IN] T x N x 4 * hiddenSize : as updateOutput left them */
    const THTensor *gradOutput, /* [IN] T x N x hiddenSize */
    THTensor *gradGates,        /* [OUT] T x N x 4 * hiddenSize */
    THTensor *gradHidden,       /* [BUFFER] N x hiddenSize : of the last output, beside gradOutput; becomes that of h0 */
    THTensor *gradCell,         /* [BUFFER] N x hiddenSize : of the last cell; becomes that of c0 */
    const THTensor *weight,     /* [IN] hiddenSize x 4 * hiddenSize */
    const THTensor *c0,         /* [IN] N x hiddenSize */
    const THTensor *cell,       /* [IN] T x N x hiddenSize */
    int32_t order);

/* resetFirst: 1, r multiplies the state before the product with its weights, as rnn has it; 0, what the product gives, as cuDNN has it. */
THNN_API int32_t THNN_(GRUSequence_updateOutput)(
    THNNState *state,
    THTensor *gates,        /* [BUFFER] T x N x 3 * hiddenSize : what the inputs give; becomes the gates r, z, g */
    THTensor *output,       /* [OUT] T x N x hiddenSize */
    THTensor *reset,        /* [OUT] T x N x hiddenSize : for backward */
    const THTensor *weight, /* [IN] hiddenSize x 3 * hiddenSize */
    const THTensor *bias,   /* [IN] 3 * hiddenSize : of r, z, g; if not resetFirst 4 * hiddenSize, the last ones of what r multiplies */
    const THTensor *h0,     /* [IN] N x hiddenSize */
    const THTensor *mask,   /* [IN] [OPTIONAL] T x N : where it is not 0, gates and output are, and the next step begins anew */
    int32_t resetFirst);

THNN_API int32_t THNN_(GRUSequence_updateGradInput)(
    THNNState *state,
    const THTensor *gates,      /* [IN] T x N x 3 * hiddenSize : as updateOutput left them */
    const THTensor *gradOutput, /* [IN] T x N x hiddenSize */
    THTensor *gradGates,        /* [OUT] T x N x 3 * hiddenSize */
    THTensor *gradReset,        /* [OUT] T x N x hiddenSize : of reset as updateOutput left it */
    THTensor *gradHidden,       /* [BUFFER] N x hiddenSize : of the last output, beside gradOutput; becomes that of h0 */
    const THTensor *weight,     /* [IN] hiddenSize x 3 * hiddenSize */
    const THTensor *h0,         /* [IN] N x hiddenSize */
    const THTensor *output,     /* [IN] T x N x hiddenSize */
    const THTensor *reset,      /* [IN] T x N x hiddenSize : as updateOutput left it */
    const THTensor *mask,       /* [IN] [OPTIONAL] T x N */
    int32_t resetFirst);

/* ------------------------------------------------------------------------------------------------ padding */

THNN_API int32_t THNN_(SpatialReplicationPadding_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialReplicationPadding_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r) */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b);

THNN_API int32_t THNN_(SpatialReplicationPadding_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r) */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b);

THNN_API int32_t THNN_(SpatialReflectionPadding_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialReflectionPadding_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r) */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b);

THNN_API int32_t THNN_(SpatialReflectionPadding_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r) */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b);

THNN_API int32_t THNN_(SpatialZeroPadding_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialZeroPadding_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r) */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b);

THNN_API int32_t THNN_(SpatialZeroPadding_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x (H + pad_t + pad_b) x (W + pad_l + pad_r) */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t pad_l, int64_t pad_r, int64_t pad_t, int64_t pad_b);

THNN_API int32_t THNN_(VolumetricReplicationPadding_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t pleft, int64_t pright, int64_t ptop, int64_t pbottom, int64_t pfront, int64_t pback,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricReplicationPadding_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x (T + pfront + pback) x (H + ptop + pbottom) x (W + pleft + pright) */
    int64_t pleft, int64_t pright, int64_t ptop, int64_t pbottom, int64_t pfront, int64_t pback);

THNN_API int32_t THNN_(VolumetricReplicationPadding_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x (T + pfront + pback) x (H + ptop + pbottom) x (W + pleft + pright) */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t pleft, int64_t pright, int64_t ptop, int64_t pbottom, int64_t pfront, int64_t pback);

/* ------------------------------------------------------------------------------------------------ sampling */

THNN_API int32_t THNN_(SpatialUpSamplingNearest_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t scale_factor,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialUpSamplingNearest_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x (H * scale_factor) x (W * scale_factor) */
    int64_t scale_factor);

THNN_API int32_t THNN_(SpatialUpSamplingNearest_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x (H * scale_factor) x (W * scale_factor) */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t scale_factor);

THNN_API int32_t THNN_(VolumetricUpSamplingNearest_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t scale_factor,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricUpSamplingNearest_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x (T * scale_factor) x (H * scale_factor) x (W * scale_factor) */
    int64_t scale_factor);

THNN_API int32_t THNN_(VolumetricUpSamplingNearest_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x T x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x (T * scale_factor) x (H * scale_factor) x (W * scale_factor) */
    THTensor *gradInput,        /* [OUT] as input */
    int64_t scale_factor);

THNN_API int32_t THNN_(SpatialUpSamplingBilinear_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t outputHeight, int64_t outputWidth,
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialUpSamplingBilinear_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x outputHeight x outputWidth */
    int64_t outputHeight, int64_t outputWidth);

THNN_API int32_t THNN_(SpatialUpSamplingBilinear_updateGradInput)(
    THNNState *state,
    const THTensor *gradOutput, /* [IN] (N x) C x outputHeight x outputWidth */
    THTensor *gradInput,        /* [OUT] (N x) C x inputHeight x inputWidth */
    int64_t nbatch, int64_t nchannels,
    int64_t inputHeight, int64_t inputWidth,
    int64_t outputHeight, int64_t outputWidth);

THNN_API int32_t THNN_(VolumetricUpSamplingTrilinear_outputSize)(
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    int64_t outputDepth, int64_t outputHeight, int64_t outputWidth,
    int64_t size[8]);

THNN_API int32_t THNN_(VolumetricUpSamplingTrilinear_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x T x H x W */
    THTensor *output,      /* [OUT] (N x) C x outputDepth x outputHeight x outputWidth */
    int64_t outputDepth, int64_t outputHeight, int64_t outputWidth);

THNN_API int32_t THNN_(VolumetricUpSamplingTrilinear_updateGradInput)(
    THNNState *state,
    const THTensor *gradOutput, /* [IN] (N x) C x outputDepth x outputHeight x outputWidth */
    THTensor *gradInput,        /* [OUT] (N x) C x inputDepth x inputHeight x inputWidth */
    int64_t nbatch, int64_t nchannels,
    int64_t inputDepth, int64_t inputHeight, int64_t inputWidth,
    int64_t outputDepth, int64_t outputHeight, int64_t outputWidth);

THNN_API int32_t THNN_(SpatialGridSamplerBilinear_outputSize)(
    const THTensor *input, /* [IN] N x C x H x W */
    const THTensor *grid,  /* [IN] N x oH x oW x 2 : x and y, from -1 at the first cell to 1 at the last one */
    int64_t size[8]);

THNN_API int32_t THNN_(SpatialGridSamplerBilinear_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] N x C x H x W */
    const THTensor *grid,  /* [IN] N x oH x oW x 2 : x and y, from -1 at the first cell to 1 at the last one */
    THTensor *output);     /* [OUT] N x C x oH x oW */

THNN_API int32_t THNN_(SpatialGridSamplerBilinear_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] N x C x H x W */
    THTensor *gradInput,         /* [OUT] as input */
    const THTensor *grid,        /* [IN] N x oH x oW x 2 : x and y, from -1 at the first cell to 1 at the last one */
    THTensor *gradGrid,          /* [OUT] as grid */
    const THTensor *gradOutput); /* [IN] N x C x oH x oW */

/* ------------------------------------------------------------------------------------------------ criterions */

THNN_API int32_t THNN_(AbsCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(AbsCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *gradInput,    /* [OUT] [INPLACE] as input */
    int32_t sizeAverage);

THNN_API int32_t THNN_(BCECriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,    /* [IN] * : probabilities */
    const THTensor *target,   /* [IN] * : as many elements as input */
    THTensor *output,         /* [OUT] 1 */
    int32_t sizeAverage,
    const THTensor *weights); /* [IN] [OPTIONAL] * : as many elements as input */

THNN_API int32_t THNN_(BCECriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,    /* [IN] * : probabilities */
    const THTensor *target,   /* [IN] * : as many elements as input */
    THTensor *gradInput,      /* [OUT] [INPLACE] as input */
    int32_t sizeAverage,
    const THTensor *weights); /* [IN] [OPTIONAL] * : as many elements as input */

THNN_API int32_t THNN_(ClassNLLCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C */
    const THLongTensor *target, /* [IN] N, or 1 for a single sample : in 0 .. C-1, or ignore_index */
    THTensor *output,           /* [OUT] 1 */
    int32_t sizeAverage,
    const THTensor *weights,    /* [IN] [OPTIONAL] C */
    THTensor *total_weight,     /* [OUT] 1 */
    int64_t ignore_index);

THNN_API int32_t THNN_(ClassNLLCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,        /* [IN] (N x) C */
    const THLongTensor *target,   /* [IN] N, or 1 for a single sample : in 0 .. C-1, or ignore_index */
    THTensor *gradInput,          /* [OUT] as input */
    int32_t sizeAverage,
    const THTensor *weights,      /* [IN] [OPTIONAL] C */
    const THTensor *total_weight, /* [IN] 1 */
    int64_t ignore_index);

THNN_API int32_t THNN_(DistKLDivCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * : logarithms of probabilities */
    const THTensor *target, /* [IN] * : as many elements as input, probabilities */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(DistKLDivCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * : logarithms of probabilities */
    const THTensor *target, /* [IN] * : as many elements as input, probabilities */
    THTensor *gradInput,    /* [OUT] [INPLACE] as input */
    int32_t sizeAverage);

THNN_API int32_t THNN_(L1Cost_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output);     /* [OUT] 1 */

THNN_API int32_t THNN_(L1Cost_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * */
    const THTensor *gradOutput, /* [IN] [OPTIONAL] * : not read */
    THTensor *gradInput);       /* [OUT] [INPLACE] as input */

THNN_API int32_t THNN_(MarginCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input, 1 or -1 */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage, double margin);

THNN_API int32_t THNN_(MarginCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input, 1 or -1 */
    THTensor *gradInput,    /* [OUT] [INPLACE] as input */
    int32_t sizeAverage, double margin);

THNN_API int32_t THNN_(MSECriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(MSECriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *gradInput,    /* [OUT] [INPLACE] as input */
    int32_t sizeAverage);

THNN_API int32_t THNN_(MultiLabelMarginCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C */
    const THLongTensor *target, /* [IN] as input : a sample's labels, in 0 .. C-1, up to the first -1 */
    THTensor *output,           /* [OUT] 1 */
    THTensor *isTarget,         /* [OUT] as input : 1 for a label, else 0 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(MultiLabelMarginCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C */
    const THLongTensor *target, /* [IN] as input : a sample's labels, in 0 .. C-1, up to the first -1 */
    THTensor *gradInput,        /* [OUT] as input */
    const THTensor *isTarget,   /* [IN] as input */
    int32_t sizeAverage);

THNN_API int32_t THNN_(MultiMarginCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C */
    const THLongTensor *target, /* [IN] N, or 1 for a single sample : in 0 .. C-1 */
    THTensor *output,           /* [OUT] 1 */
    int32_t sizeAverage, int64_t p,
    const THTensor *weights,    /* [IN] [OPTIONAL] C */
    double margin);

THNN_API int32_t THNN_(MultiMarginCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C */
    const THLongTensor *target, /* [IN] N, or 1 for a single sample : in 0 .. C-1 */
    THTensor *gradInput,        /* [OUT] as input */
    int32_t sizeAverage, int64_t p,
    const THTensor *weights,    /* [IN] [OPTIONAL] C */
    double margin);

THNN_API int32_t THNN_(SmoothL1Criterion_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(SmoothL1Criterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *gradInput,    /* [OUT] [INPLACE] as input */
    int32_t sizeAverage);

THNN_API int32_t THNN_(SoftMarginCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input, 1 or -1 */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(SoftMarginCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input, 1 or -1 */
    THTensor *gradInput,    /* [OUT] [INPLACE] as input */
    int32_t sizeAverage);

THNN_API int32_t THNN_(SpatialClassNLLCriterion_updateOutput)(
    THNNState *state,
    const THTensor *input,       /* [IN] N x C x H x W */
    const THLongTensor *target,  /* [IN] N x H x W : in 0 .. C-1 */
    THTensor *output,            /* [OUT] 1 */
    int32_t sizeAverage,
    const THTensor *weights,     /* [IN] [OPTIONAL] C */
    THTensor *total_weight);     /* [OUT] 1 */

THNN_API int32_t THNN_(SpatialClassNLLCriterion_updateGradInput)(
    THNNState *state,
    const THTensor *input,         /* [IN] N x C x H x W */
    const THLongTensor *target,    /* [IN] N x H x W : in 0 .. C-1 */
    THTensor *gradInput,           /* [OUT] as input */
    int32_t sizeAverage,
    const THTensor *weights,       /* [IN] [OPTIONAL] C */
    const THTensor *total_weight); /* [IN] 1 */

#endif
