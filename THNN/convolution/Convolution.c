/* Convolution: weighted sums of a window that slides over the input (strictly speaking, cross-correlation).
 *
 *   output[n][o][ot][oh][ow]  = bias[o] + sum over c, m, i, j of weight[o][c][m][i][j] * input[n][c][t][h][w]
 *                               with t = ot * dT + m * dilationT - padT, h = oh * dH + i * dilationH - padH, w likewise
 *   gradInput[n][c][t][h][w]  = sum over o and all (ot, oh, ow, m, i, j) with these t, h, w of
 *                               weight[o][c][m][i][j] * gradOutput[n][o][ot][oh][ow]
 *   gradWeight[o][c][m][i][j] += scale * sum over n, ot, oh, ow of gradOutput[n][o][ot][oh][ow] * input[n][c][t][h][w]
 *   gradBias[o]               += scale * sum of gradOutput over samples and positions
 *
 * where the input is 0 outside its bounds. The layers differ in the number of axes, in dilation, and in the shape of the
 * weight:
 *
 *   layer                         axes    dilation   weight
 *   SpatialConvolutionMM          H W     1          nOutputPlane x nInputPlane x kH x kW, or a matrix
 *   SpatialDilatedConvolution     H W     any        nOutputPlane x nInputPlane x kH x kW
 *   SpatialGroupedConvolution     H W     1          nOutputPlane x (nInputPlane / groups) x kH x kW, or a matrix
 *   VolumetricConvolution         T H W   1          nOutputPlane x nInputPlane x kT x kH x kW, which gives the size of the kernel
 *   VolumetricConvolutionMM       T H W   1          nOutputPlane x nInputPlane x kT x kH x kW, or a matrix
 *   VolumetricDilatedConvolution  T H W   any        nOutputPlane x nInputPlane x kT x kH x kW
 *   TemporalConvolution           W       1          outputFrameSize x (kW * inputFrameSize); frames x features, no padding
 *
 *   input      (N x) nInputPlane x (T x) H x W
 *   output     (N x) nOutputPlane x (oT x) oH x oW with oH = floor((H + 2 * padH - dilationH * (kH - 1) - 1) / dH) + 1, oT and oW
 *              likewise; overwritten
 *   gradInput  as input, overwritten
 *   weight     as above. "Or a matrix" stands for the same elements as nOutputPlane rows
 *   bias       nOutputPlane
 *   gradWeight, gradBias  as weight and bias, added to
 *
 * SpatialGroupedConvolution divides the planes into `groups` of neighbours. The output planes of a group are a convolution of the input
 * planes of the same group alone. With `full` it is a transposed convolution (FullConvolution.c), with weight nInputPlane x
 * (nOutputPlane / groups) x kH x kW, and adjW and adjH count; otherwise these are 0. If a group is one input plane,
 * SpatialDepthWiseConvolution is faster.
 *
 * TemporalConvolution has the features of a frame side by side: (N x) nInputFrame x inputFrameSize. It is a convolution along one axis of
 * the same tensors with both dimensions exchanged.
 *
 * Dilated convolutions: Yu, Koltun, "Multi-scale context aggregation by dilated convolutions" (2016). Torch7 computed
 * VolumetricConvolution by loops and VolumetricConvolutionMM by matrix products; here they are the same.
 *
 * This file has the definition, all checks and the functions of the layers, also those that FullConvolution.c and FusedConvolution.c call.
 * Convolution_fast.c chooses the algorithm on the host; THCUNN/convolution/Convolution.cu has the kernels of a device. */
#include "declared/SpatialConvolutionMM.h"
#include "declared/SpatialDilatedConvolution.h"
#include "declared/SpatialGroupedConvolution.h"
#include "declared/VolumetricConvolution.h"
#include "declared/VolumetricConvolutionMM.h"
#include "declared/VolumetricDilatedConvolution.h"
#include "declared/TemporalConvolution.h"
#include "convolution/Convolution.h"
#ifndef THNN_CUDA
#include "convolution/Convolution_problem.h"
#endif

/* ---- The definition: the output of a ConvProblem, and the gradient of its weights. Every algorithm is tested against these loops, which
 * add in double precision. They also compute sizes that exceed the tables of the others. Padding counts as 0 and is multiplied, so an
 * infinite weight makes NaN there, as it does if memory is padded. */

#ifndef THNN_CUDA
/* The cell of x that output position o reads for kernel cell u, or -1 in the padding. */
static int64_t cellIndex(const ConvAxis *a, int64_t o, int64_t u)
{
  const int64_t index = o * a->stride + a->offset + u * a->dilation;
  return index >= 0 && index < a->in ? index : -1;
}

static double cell(const ConvProblem *s, int64_t n, int64_t c, int64_t t, int64_t h, int64_t w)
{
  if (t < 0 || h < 0 || w < 0) return 0;
  return s->x[n * s->xSampleStride + c * s->xChannelStride + t * s->t.xStride + h * s->h.xStride + w * s->w.xStride];
}

static int64_t weightIndex(const ConvProblem *s, int64_t o, int64_t c, int64_t m, int64_t i, int64_t j)
{
  return o * s->weightOutStride + c * s->weightInStride + s->t.weightStart + m * s->t.weightStride + s->h.weightStart + i * s->h.weightStride +
         s->w.weightStart + j * s->w.weightStride;
}

void THNN_(convolutionByDefinition)(const ConvProblem *s, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t n = 0; n < s->samples; n++)
    for (int64_t o = 0; o < s->outChannels; o++)
      for (int64_t t = 0; t < s->t.out; t++)
        for (int64_t h = 0; h < s->h.out; h++)
          for (int64_t w = 0; w < s->w.out; w++) {
            const int64_t group = n % s->groups;
            double sum = s->bias ? s->bias[group * s->outChannels + o] : 0;
            for (int64_t c = 0; c < s->inChannels; c++)
              for (int64_t m = 0; m < s->t.kernel; m++)
                for (int64_t i = 0; i < s->h.kernel; i++)
                  for (int64_t j = 0; j < s->w.kernel; j++)
                    sum += (double)s->weight[group * s->weightGroupStride + weightIndex(s, o, c, m, i, j)] *
                           cell(s, n, c, cellIndex(&s->t, t, m), cellIndex(&s->h, h, i), cellIndex(&s->w, w, j));
            const int64_t at = n * s->ySampleStride + o * s->yChannelStride + t * s->t.yStride + h * s->h.yStride + w * s->w.yStride;
            const Epilogue *f = &s->epilogue;
            THNN_REAL y = (THNN_REAL)sum;
            if (f->other) y += f->other[at];
            s->y[at] = activated(f->activation, y, f->a, f->b);
          }
}

void THNN_(gradientByDefinition)(const ConvProblem *s, real *weight, double scale, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads)
  for (int64_t o = 0; o < s->outChannels; o++)
    for (int64_t c = 0; c < s->inChannels; c++)
      for (int64_t m = 0; m < s->t.kernel; m++)
        for (int64_t i = 0; i < s->h.kernel; i++)
          for (int64_t j = 0; j < s->w.kernel; j++) {
            double sum = 0;
            for (int64_t n = 0; n < s->samples; n++)
              for (int64_t t = 0; t < s->t.out; t++)
                for (int64_t h = 0; h < s->h.out; h++)
                  for (int64_t w = 0; w < s->w.out; w++)
                    sum += (double)s->y[n * s->ySampleStride + o * s->yChannelStride + t * s->t.yStride + h * s->h.yStride + w * s->w.yStride] *
                           cell(s, n, c, cellIndex(&s->t, t, m), cellIndex(&s->h, h, i), cellIndex(&s->w, w, j));
            weight[weightIndex(s, o, c, m, i, j)] += (real)(scale * sum);
          }
}
#endif

/* ---- The layers: how their windows slide, and their four functions. */

static Convolution spatialMM(Axis w, Axis h)
{
  Convolution c = planarConvolution(w, h);
  c.allowsMatrix = 1;
  return c;
}

int32_t THNN_(SpatialConvolutionMM_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH, int64_t dW,
                                               int64_t dH, int64_t padW, int64_t padH, int64_t size[8])
{
  return THNN_(convolution_outputSize)(__func__, spatialMM(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1)), input, weight, size);
}

int32_t THNN_(SpatialConvolutionMM_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                 const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                 int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  const Convolution c = spatialMM(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialConvolutionMM_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                    THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH)
{
  const Convolution c = spatialMM(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialConvolutionMM_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                      THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, double scale)
{
  const Convolution c = spatialMM(sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

int32_t THNN_(SpatialDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                    int64_t dilationH, int64_t size[8])
{
  const Convolution c = planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                      const THTensor *weight, const THTensor *bias, int64_t kW, int64_t kH,
                                                      int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                      int64_t dilationH)
{
  const Convolution c = planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t kH,
                                                         int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                         int64_t dilationH)
{
  const Convolution c = planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t kH,
                                                           int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t dilationW,
                                                           int64_t dilationH, double scale)
{
  const Convolution c = planarConvolution(sliding(kW, dW, padW, dilationW), sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

static Convolution grouped(int64_t groups, Axis w, Axis h, int64_t adjW, int64_t adjH, int32_t full)
{
  Convolution c = transposed(planarConvolution(w, h), 0, adjW, adjH); /* adjW and adjH of a layer that is not full are checked, too */
  c.full = full;
  c.allowsMatrix = !full;
  c.groups = groups;
  return c;
}

int32_t THNN_(SpatialGroupedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t groups, int64_t kW, int64_t kH,
                                                    int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH,
                                                    int32_t full, int64_t size[8])
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(SpatialGroupedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                      const THTensor *bias, int64_t groups, int64_t kW, int64_t kH, int64_t dW,
                                                      int64_t dH, int64_t padW, int64_t padH, int64_t adjW, int64_t adjH, int32_t full)
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(SpatialGroupedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradInput, const THTensor *weight, int64_t groups, int64_t kW,
                                                         int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                         int64_t adjH, int32_t full)
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(SpatialGroupedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                           THTensor *gradWeight, THTensor *gradBias, int64_t groups, int64_t kW,
                                                           int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH, int64_t adjW,
                                                           int64_t adjH, int32_t full, double scale)
{
  const Convolution c = grouped(groups, sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1), adjW, adjH, full);
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

static int32_t volumetric(const char *f, const THTensor *weight, const char *name, Axis t, Axis w, Axis h, Convolution *c)
{
  *c = volumetricConvolution(t, w, h);
  return takeKernelSize(f, name, weight, c);
}

int32_t THNN_(VolumetricConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t dT, int64_t dW, int64_t dH,
                                                int64_t padT, int64_t padW, int64_t padH, int64_t size[8])
{
  Convolution c;
  THNN_TRY(volumetric(__func__, weight, "weight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                  const THTensor *bias, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                  int64_t padW, int64_t padH)
{
  Convolution c;
  THNN_TRY(volumetric(__func__, weight, "weight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradInput, const THTensor *weight, int64_t dT, int64_t dW,
                                                     int64_t dH, int64_t padT, int64_t padW, int64_t padH)
{
  Convolution c;
  THNN_TRY(volumetric(__func__, weight, "weight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradWeight, THTensor *gradBias, int64_t dT, int64_t dW, int64_t dH,
                                                       int64_t padT, int64_t padW, int64_t padH, double scale)
{
  Convolution c;
  THNN_TRY(volumetric(__func__, gradWeight, "gradWeight", sliding(1, dT, padT, 1), sliding(1, dW, padW, 1), sliding(1, dH, padH, 1), &c));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

static Convolution volumetricMM(Axis t, Axis w, Axis h)
{
  Convolution c = volumetricConvolution(t, w, h);
  c.allowsMatrix = 1;
  return c;
}

int32_t THNN_(VolumetricConvolutionMM_outputSize)(const THTensor *input, const THTensor *weight, int64_t kT, int64_t kW, int64_t kH,
                                                  int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW, int64_t padH,
                                                  int64_t size[8])
{
  const Convolution c = volumetricMM(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricConvolutionMM_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                    const THTensor *weight, const THTensor *bias, int64_t kT, int64_t kW,
                                                    int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                    int64_t padH)
{
  const Convolution c = volumetricMM(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricConvolutionMM_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                       THTensor *gradInput, const THTensor *weight, int64_t kT, int64_t kW,
                                                       int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                       int64_t padH)
{
  const Convolution c = volumetricMM(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricConvolutionMM_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                         THTensor *gradWeight, THTensor *gradBias, int64_t kT, int64_t kW,
                                                         int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                         int64_t padH, double scale)
{
  const Convolution c = volumetricMM(sliding(kT, dT, padT, 1), sliding(kW, dW, padW, 1), sliding(kH, dH, padH, 1));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

int32_t THNN_(VolumetricDilatedConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kT, int64_t kW,
                                                       int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                       int64_t padH, int64_t dilationT, int64_t dilationW, int64_t dilationH,
                                                       int64_t size[8])
{
  const Convolution c = volumetricConvolution(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                                              sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_outputSize)(__func__, c, input, weight, size);
}

int32_t THNN_(VolumetricDilatedConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output,
                                                         const THTensor *weight, const THTensor *bias, int64_t kT, int64_t kW,
                                                         int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT, int64_t padW,
                                                         int64_t padH, int64_t dilationT, int64_t dilationW, int64_t dilationH)
{
  const Convolution c = volumetricConvolution(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                                              sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateOutput)(__func__, state, c, input, output, weight, bias);
}

int32_t THNN_(VolumetricDilatedConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                            THTensor *gradInput, const THTensor *weight, int64_t kT, int64_t kW,
                                                            int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                            int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
                                                            int64_t dilationH)
{
  const Convolution c = volumetricConvolution(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                                              sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_updateGradInput)(__func__, state, c, input, gradOutput, gradInput, weight);
}

int32_t THNN_(VolumetricDilatedConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                              THTensor *gradWeight, THTensor *gradBias, int64_t kT, int64_t kW,
                                                              int64_t kH, int64_t dT, int64_t dW, int64_t dH, int64_t padT,
                                                              int64_t padW, int64_t padH, int64_t dilationT, int64_t dilationW,
                                                              int64_t dilationH, double scale)
{
  const Convolution c = volumetricConvolution(sliding(kT, dT, padT, dilationT), sliding(kW, dW, padW, dilationW),
                                              sliding(kH, dH, padH, dilationH));
  return THNN_(convolution_accGradParameters)(__func__, state, c, input, gradOutput, gradWeight, gradBias, scale);
}

static Convolution temporal(int64_t kW, int64_t dW)
{
  Convolution c = planarConvolution(sliding(kW, dW, 0, 1), sliding(1, 1, 0, 1));
  c.dims = 1;
  c.window.h = c.window.t;
  return c;
}

/* (N x) frames x features as (N x) features x frames. */
static THTensor exchanged(const THTensor *t)
{
  THTensor seen = *t;
  const int32_t n = t->nDimension;
  seen.size[n - 2] = t->size[n - 1];
  seen.size[n - 1] = t->size[n - 2];
  seen.stride[n - 2] = t->stride[n - 1];
  seen.stride[n - 1] = t->stride[n - 2];
  return seen;
}

/* outputFrameSize x (kW * inputFrameSize) as outputFrameSize x inputFrameSize x kW. */
static THTensor transposedWeight(const THTensor *weight, int64_t kW)
{
  THTensor seen = *weight;
  seen.nDimension = 3;
  seen.size[1] = weight->size[1] / kW;
  seen.size[2] = kW;
  seen.stride[2] = weight->stride[1] * seen.size[1];
  return seen;
}

/* Checks the tensors in their own order, so that messages name their dimensions. */
static int32_t temporalShape(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, int64_t kW,
                             int64_t dW, int64_t size[THNN_MAX_DIMS])
{
  THNN_TRY(THNN_checkInput(f, "input", view(input), 2, 3, "(N x) nInputFrame x inputFrameSize"));
  const int32_t n = input->nDimension;
  const int64_t frames = input->size[n - 2], features = input->size[n - 1];
  THNN_TRY(THNN_checkRange(f, "nInputFrame", frames, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "inputFrameSize", features, 1, INT64_MAX));
  THNN_TRY(THNN_checkRange(f, "kW", kW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, "dW", dW, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), 2, 2, "outputFrameSize x (kW * inputFrameSize)"));
  THNN_TRY(THNN_checkRange(f, "outputFrameSize", weight->size[0], 1, INT64_MAX));
  if (weight->size[1] % kW)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected a multiple of kW %lld columns, got %s", (long long)kW,
                     THNN_shapeText(2, weight->size).text);
  if (weight->size[1] / kW != features)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected frames of %lld, the inputFrameSize, got %s",
                     (long long)(weight->size[1] / kW), THNN_shapeText(n, input->size).text);
  if (frames < kW)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least kW %lld frames, got %lld", (long long)kW, (long long)frames);
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < n ? input->size[d] : 0;
  size[n - 2] = THNN_windowCount(frames, kW, dW, 0, 0);
  size[n - 1] = weight->size[0];
  return THNN_OK;
}

int32_t THNN_(TemporalConvolution_outputSize)(const THTensor *input, const THTensor *weight, int64_t kW, int64_t dW,
                                              int64_t size[8])
{
  int64_t found[THNN_MAX_DIMS];
  THNN_TRY(temporalShape(__func__, input, weight, "weight", kW, dW, found));
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for 8 sizes, got NULL");
  memcpy(size, found, sizeof found);
  return THNN_OK;
}

int32_t THNN_(TemporalConvolution_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                                const THTensor *bias, int64_t kW, int64_t dW, int64_t inputFrameSize,
                                                int64_t outputFrameSize)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(temporalShape(__func__, input, weight, "weight", kW, dW, size));
  THNN_TRY(THNN_checkRange(__func__, "inputFrameSize", inputFrameSize, weight->size[1] / kW, weight->size[1] / kW));
  THNN_TRY(THNN_checkRange(__func__, "outputFrameSize", outputFrameSize, weight->size[0], weight->size[0]));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), input->nDimension, size));
  const THTensor in = exchanged(input), w = transposedWeight(weight, kW);
  THTensor out = exchanged(output);
  return THNN_(convolution_updateOutput)(__func__, state, temporal(kW, dW), &in, &out, &w, bias);
}

int32_t THNN_(TemporalConvolution_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                   THTensor *gradInput, const THTensor *weight, int64_t kW, int64_t dW)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(temporalShape(__func__, input, weight, "weight", kW, dW, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  THNN_TRY(THNN_checkOutput(__func__, "gradInput", view(gradInput), input->nDimension, input->size));
  const THTensor in = exchanged(input), g = exchanged(gradOutput), w = transposedWeight(weight, kW);
  THTensor back = exchanged(gradInput);
  return THNN_(convolution_updateGradInput)(__func__, state, temporal(kW, dW), &in, &g, &back, &w);
}

int32_t THNN_(TemporalConvolution_accGradParameters)(THNNState *state, const THTensor *input, const THTensor *gradOutput,
                                                     THTensor *gradWeight, THTensor *gradBias, int64_t kW, int64_t dW,
                                                     double scale)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(temporalShape(__func__, input, gradWeight, "gradWeight", kW, dW, size));
  THNN_TRY(THNN_checkShape(__func__, "gradOutput", view(gradOutput), input->nDimension, size));
  const THTensor in = exchanged(input), g = exchanged(gradOutput);
  THTensor w = transposedWeight(gradWeight, kW);
  return THNN_(convolution_accGradParameters)(__func__, state, temporal(kW, dW), &in, &g, &w, gradBias, scale);
}

enum { MIN_BATCH_POSITIONS = 64 }; /* samples with fewer positions are computed as one matrix */

/* ---- The checks. */

/* The name of an argument of an axis: "kW", "dilationT". */
typedef struct ArgumentName {
  char text[16];
} ArgumentName;

static ArgumentName argumentName(const char *what, char axis)
{
  ArgumentName name = {{0}};
  const size_t n = strlen(what);
  memcpy(name.text, what, n);
  name.text[n] = axis;
  return name;
}

/* The number of cells from the first to the last one of a window. */
static int64_t kernelExtent(const Axis *a) { return (a->kernel - 1) * a->dilation + 1; }

static int32_t checkNumbers(const char *f, char letter, const Axis *a)
{
  THNN_TRY(THNN_checkRange(f, argumentName("k", letter).text, a->kernel, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, argumentName("d", letter).text, a->stride, 1, THNN_MAX_SIZE));
  THNN_TRY(THNN_checkRange(f, argumentName("pad", letter).text, a->pad, 0, THNN_MAX_SIZE));
  return THNN_checkRange(f, argumentName("dilation", letter).text, a->dilation, 1, THNN_MAX_SIZE);
}

/* Computes the positions of a window over `in` cells of input, or the cells of output over `in` positions of a full layer. */
static int32_t checkPositions(const char *f, char letter, int full, int64_t in, int64_t adj, Axis *a)
{
  if (!full) {
    THNN_TRY(THNN_checkRange(f, argumentName("adj", letter).text, adj, 0, 0));
    a->in = in;
    a->out = THNN_windowCount(in, kernelExtent(a), a->stride, a->pad, 0);
    return THNN_OK;
  }
  THNN_TRY(THNN_checkRange(f, argumentName("adj", letter).text, adj, 0, THNN_max(a->stride, a->dilation) - 1));
  a->out = in;
  a->in = (in - 1) * a->stride - 2 * a->pad + kernelExtent(a) + adj;
  return THNN_OK;
}

/* The planes of a row of weight, or -1 if its shape is wrong. */
static int64_t weightPlanes(const Convolution *c, const THTensor *weight)
{
  const int64_t kernel[3] = {c->window.t.kernel, c->window.h.kernel, c->window.w.kernel}, *own = kernel + 3 - c->dims;
  int same = weight->nDimension == c->dims + 2;
  for (int32_t d = 0; same && d < c->dims; d++) same = weight->size[d + 2] == own[d];
  if (same) return weight->size[1];
  int64_t cells;
  if (!c->allowsMatrix || weight->nDimension != 2 || __builtin_mul_overflow(kernel[0], kernel[1] * kernel[2], &cells)) return -1;
  return weight->size[1] % cells ? -1 : weight->size[1] / cells;
}

/* Checks input, weight and all numbers. Computes the window and the shape of the output. */
static int32_t checkShapes(const char *f, const THTensor *input, const THTensor *weight, const char *weightName, Convolution *c,
                           int64_t size[THNN_MAX_DIMS])
{
  static const char *const inputs[] = {"", "(N x) nInputPlane x W", "(N x) nInputPlane x H x W", "(N x) nInputPlane x T x H x W"};
  static const char *const weights[] = {"", "nOutputPlane x nInputPlane x kW", "nOutputPlane x nInputPlane x kH x kW",
                                        "nOutputPlane x nInputPlane x kT x kH x kW"};
  static const char *const fulls[] = {"", "nInputPlane x nOutputPlane x kW", "nInputPlane x nOutputPlane x kH x kW",
                                      "nInputPlane x nOutputPlane x kT x kH x kW"};
  const int32_t dims = c->dims, n = dims + 2;
  Window *w = &c->window;
  THNN_TRY(THNN_checkInput(f, "input", view(input), n - 1, n, inputs[dims]));
  const int64_t *last = input->size + input->nDimension, channels = last[-dims - 1];
  const int64_t in[3] = {dims > 2 ? last[-3] : 1, dims > 1 ? last[-2] : 1, last[-1]};
  THNN_TRY(THNN_checkRange(f, "nInputPlane", channels, 1, INT64_MAX));
  const int64_t longest = c->full ? THNN_MAX_SIZE : INT64_MAX; /* the size of an output must not overflow */
  THNN_TRY(THNN_checkRange(f, "input time", in[0], 1, longest));
  THNN_TRY(THNN_checkRange(f, "input height", in[1], 1, longest));
  THNN_TRY(THNN_checkRange(f, "input width", in[2], 1, longest));
  THNN_TRY(THNN_checkInput(f, weightName, view(weight), c->allowsMatrix ? 2 : n, n, (c->full ? fulls : weights)[dims]));
  THNN_TRY(THNN_checkRange(f, c->full ? "nInputPlane" : "nOutputPlane", weight->size[0], 1, INT64_MAX));
  THNN_TRY(checkNumbers(f, 'W', &w->w));
  THNN_TRY(checkNumbers(f, 'H', &w->h));
  THNN_TRY(checkNumbers(f, 'T', &w->t));

  const int64_t kernel[3] = {w->t.kernel, w->h.kernel, w->w.kernel}, planes = weightPlanes(c, weight);
  if (planes < 0)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected %s x %s, got %s",
                     c->full ? "nInputPlane x nOutputPlane" : "nOutputPlane x nInputPlane",
                     THNN_shapeText(dims, kernel + 3 - dims).text, THNN_shapeText(weight->nDimension, weight->size).text);
  THNN_TRY(THNN_checkRange(f, "groups", c->groups, 1, c->dims > 1 ? THNN_MAX_SIZE : 1)); /* sequences are channels-last and have one
                                                                                          * group */
  if (weight->size[0] % c->groups)
    return THNN_fail(THNN_ERR_SHAPE, f, weightName, "expected a multiple of %lld groups of %s, got %lld", (long long)c->groups,
                     c->full ? "nInputPlane" : "nOutputPlane", (long long)weight->size[0]);
  const int64_t expected = c->full ? weight->size[0] : planes * c->groups, outputs = c->full ? planes * c->groups : weight->size[0];
  if (channels != expected)
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected %lld planes, the nInputPlane, got %s", (long long)expected,
                     THNN_shapeText(input->nDimension, input->size).text);
  if (c->full) THNN_TRY(THNN_checkRange(f, "nOutputPlane", outputs, 1, INT64_MAX));

  THNN_TRY(checkPositions(f, 'T', c->full, in[0], c->adjT, &w->t));
  THNN_TRY(checkPositions(f, 'H', c->full, in[1], c->adjH, &w->h));
  THNN_TRY(checkPositions(f, 'W', c->full, in[2], c->adjW, &w->w));
  const int64_t result[3] = {c->full ? w->t.in : w->t.out, c->full ? w->h.in : w->h.out, c->full ? w->w.in : w->w.out};
  if (THNN_min(THNN_min(result[0], result[1]), result[2]) < 1) {
    if (c->full)
      return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected one that gives output, got %s for an output of %s",
                       THNN_shapeText(input->nDimension, input->size).text, THNN_shapeText(dims, result + 3 - dims).text);
    const int64_t least[3] = {kernelExtent(&w->t), kernelExtent(&w->h), kernelExtent(&w->w)};
    const int64_t padded[3] = {in[0] + 2 * w->t.pad, in[1] + 2 * w->h.pad, in[2] + 2 * w->w.pad};
    return THNN_fail(THNN_ERR_SHAPE, f, "input", "expected at least the kernel, %s, got %s with its padding",
                     THNN_shapeText(dims, least + 3 - dims).text, THNN_shapeText(dims, padded + 3 - dims).text);
  }
  for (int32_t d = 0; d < THNN_MAX_DIMS; d++) size[d] = d < input->nDimension ? input->size[d] : 0;
  memcpy(size + input->nDimension - dims, result + 3 - dims, (size_t)dims * sizeof(int64_t));
  size[input->nDimension - dims - 1] = outputs;
  w->channels = c->full ? outputs : channels;
  c->outChannels = c->full ? channels : outputs;
  c->samples = input->nDimension == n ? input->size[0] : 1;
  return THNN_OK;
}

/* Divides the work of a layer whose shapes were checked. */
static void planBatch(Convolution *c)
{
  Window *w = &c->window;
  w->channels /= c->groups;
  c->outChannels /= c->groups;
  c->samples *= c->groups;
  c->cells = w->t.kernel * w->h.kernel * w->w.kernel;
  c->depth = w->channels * c->cells;
  c->area = w->t.out * w->h.out * w->w.out;
  const int isMerged = c->area < MIN_BATCH_POSITIONS && c->samples > 1;
  c->matrices = isMerged ? 1 : c->samples;
  c->positions = isMerged ? c->samples * c->area : c->area;
  const int isUnpadded = w->t.pad == 0 && w->h.pad == 0 && w->w.pad == 0 && w->t.in == w->t.out && w->h.in == w->h.out;
  c->isPointwise = c->cells == 1 && isUnpadded && w->w.in == w->w.out && w->t.stride == 1 && w->h.stride == 1 && w->w.stride == 1;
  if (c->isPointwise) { /* a channel is one long row */
    w->w.in = w->w.out = c->area;
    w->h.in = w->h.out = w->t.in = w->t.out = 1;
  }
}

/* The checks that all functions of a layer share, and planBatch. `result` is output or gradOutput. */
static int32_t check(const char *f, const THTensor *input, const THTensor *result, const char *resultName, const THTensor *weight,
                     const char *weightName, Convolution *c)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, weightName, c, size));
  THNN_TRY(THNN_checkShape(f, resultName, view(result), input->nDimension, size));
  planBatch(c);
  return THNN_OK;
}

/* The size of bias: output planes of all groups. */
static int64_t biasSize(const Convolution *c) { return (c->full ? c->window.channels : c->outChannels) * c->groups; }

#ifndef THNN_CUDA /* THCUNN/convolution/Convolution.cu defines these three */
#define forward THNN_(fastForward)
#define backward THNN_(fastBackward)

static void gradients(Call *call, const Convolution *c, const real *in, const real *g, real *gw, real *gb, double scale)
{
  const Axis *t = &c->window.t, *h = &c->window.h, *w = &c->window.w;
  THNN_(fastGradWeight)(call, c, c->full ? g : in, c->full ? in : g, gw, scale);
  if (!THNN_ready(call) || !gb) return;
  if (c->full) THNN_(fastGradBias)(call, c, g, gb, c->window.channels, t->in * h->in * w->in, scale);
  else THNN_(fastGradBias)(call, c, g, gb, c->outChannels, c->area, scale);
}
#endif

/* Checks the number of an algorithm. A device has one algorithm and ignores the number. */
static int32_t checkAlgorithm(const char *f, const Convolution *c)
{
  THNN_TRY(THNN_checkRange(f, "algorithm", c->algorithm, THNN_FAST, THNN_BY_WINOGRAD_4));
#ifndef THNN_CUDA
  const int isWinograd = c->algorithm == THNN_BY_WINOGRAD_2 || c->algorithm == THNN_BY_WINOGRAD_4;
  if (isWinograd && !THNN_(hasWinograd)(c))
    return THNN_fail(THNN_ERR_VALUE, f, "algorithm",
                     "expected %d to %d, since Winograd's is for floats, one group and kernels of 3x3 that move by one, got %d",
                     THNN_FAST, THNN_BY_OUTPUTS, c->algorithm);
#endif
  return THNN_OK;
}

int32_t THNN_(convolution_algorithm)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *algorithm)
{
  int64_t size[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, "weight", &c, size));
  if (!algorithm) return THNN_fail(THNN_ERR_NULL, f, "algorithm", "expected a place for a number, got NULL");
  planBatch(&c);
#ifdef THNN_CUDA
  *algorithm = THNN_FAST;
#else
  *algorithm = THNN_(fastAlgorithm)(&c);
#endif
  return THNN_OK;
}

/* Sizes and strides of a view. Sequences were passed with their last dimensions exchanged; inMemoryOrder exchanges them back for the host,
 * whose loops read channels-last sequences in place. */
typedef struct Dimensions {
  int64_t size[THNN_MAX_DIMS], stride[THNN_MAX_DIMS];
} Dimensions;

static View inMemoryOrder(const Convolution *c, View v, Dimensions *shape)
{
#ifndef THNN_CUDA
  if (c->dims != 1) return v;
  const int32_t n = v.nDimension;
  memcpy(shape->size, v.size, (size_t)n * sizeof(int64_t));
  memcpy(shape->stride, v.stride, (size_t)n * sizeof(int64_t));
  shape->size[n - 2] = v.size[n - 1];
  shape->size[n - 1] = v.size[n - 2];
  shape->stride[n - 2] = v.stride[n - 1];
  shape->stride[n - 1] = v.stride[n - 2];
  v.size = shape->size;
  v.stride = shape->stride;
#endif
  (void)c;
  (void)shape;
  return v;
}

/* ---- The functions of a layer, which FullConvolution.c and FusedConvolution.c call, too: all checks, then the work. */

int32_t THNN_(convolution_outputSize)(const char *f, Convolution c, const THTensor *input, const THTensor *weight, int64_t *size)
{
  int64_t found[THNN_MAX_DIMS];
  THNN_TRY(checkShapes(f, input, weight, "weight", &c, found));
  if (!size) return THNN_fail(THNN_ERR_NULL, f, "size", "expected a place for 8 sizes, got NULL");
  memcpy(size, found, sizeof found);
  return THNN_OK;
}

int32_t THNN_(convolution_updateOutput)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                        const THTensor *weight, const THTensor *bias)
{
  return THNN_(convolution_updateSum)(f, state, c, input, output, weight, bias, NULL);
}

int32_t THNN_(convolution_updateSum)(const char *f, THNNState *state, Convolution c, const THTensor *input, THTensor *output,
                                     const THTensor *weight, const THTensor *bias, const THTensor *other)
{
  THNN_TRY(check(f, input, output, "output", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), output->nDimension, output->size));
  const int64_t size = biasSize(&c);
  if (bias) THNN_TRY(THNN_checkShape(f, "bias", view(bias), 1, &size));
  if (other) THNN_TRY(THNN_checkShape(f, "other", view(other), output->nDimension, output->size));
  THNN_TRY(checkAlgorithm(f, &c));

  Call call;
  THNN_enter(&call, state, f);
  Dimensions shape[4];
  const real *in = THNN_in(&call, inMemoryOrder(&c, view(input), shape)), *w = THNN_in(&call, inMemoryOrder(&c, view(weight), shape + 1));
  const real *b = THNN_in(&call, view(bias));
  real *out = THNN_out(&call, inMemoryOrder(&c, view(output), shape + 2));
  call.inplace = 1; /* other may be output */
  if (other) c.epilogue.other = THNN_in(&call, inMemoryOrder(&c, view(other), shape + 3));
  if (THNN_ready(&call)) (c.full ? backward : forward)(&call, &c, in, out, w, b);
  return THNN_leave(&call);
}

int32_t THNN_(convolution_updateGradInput)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                           const THTensor *gradOutput, THTensor *gradInput, const THTensor *weight)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", weight, "weight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradInput", view(gradInput), input->nDimension, input->size));

  Call call;
  THNN_enter(&call, state, f);
  Dimensions shape[3];
  const real *g = THNN_in(&call, inMemoryOrder(&c, view(gradOutput), shape)), *w = THNN_in(&call,
                                                                                           inMemoryOrder(&c, view(weight), shape + 1));
  real *gi = THNN_out(&call, inMemoryOrder(&c, view(gradInput), shape + 2));
  if (THNN_ready(&call)) (c.full ? forward : backward)(&call, &c, g, gi, w, NULL);
  return THNN_leave(&call);
}

int32_t THNN_(convolution_accGradParameters)(const char *f, THNNState *state, Convolution c, const THTensor *input,
                                             const THTensor *gradOutput, THTensor *gradWeight, THTensor *gradBias, double scale)
{
  THNN_TRY(check(f, input, gradOutput, "gradOutput", gradWeight, "gradWeight", &c));
  THNN_TRY(THNN_checkOutput(f, "gradWeight", view(gradWeight), gradWeight->nDimension, gradWeight->size));
  const int64_t size = biasSize(&c);
  if (gradBias) THNN_TRY(THNN_checkOutput(f, "gradBias", view(gradBias), 1, &size));

  Call call;
  THNN_enter(&call, state, f);
  Dimensions shape[3];
  const real *in = THNN_in(&call, inMemoryOrder(&c, view(input), shape)), *g = THNN_in(&call,
                                                                                       inMemoryOrder(&c, view(gradOutput), shape + 1));
  real *gw = THNN_acc(&call, inMemoryOrder(&c, view(gradWeight), shape + 2)), *gb = THNN_acc(&call, view(gradBias));
  if (THNN_ready(&call)) gradients(&call, &c, in, g, gw, gb, scale);
  return THNN_leave(&call);
}
