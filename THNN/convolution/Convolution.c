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
 * passes.c has the checks and the passes, which FullConvolution.c and FusedConvolution.c call, too. Convolution_fast.c chooses the algorithm
 * on the host; THCUNN/convolution/Convolution.cu has the kernels of a device. */
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
  return o * s->weightOutStride + c * s->weightInStride + s->t.weightStart + m * s->t.weightStride + s->h.weightStart +
         i * s->h.weightStride + s->w.weightStart + j * s->w.weightStride;
}

static int64_t outputIndex(const ConvProblem *s, int64_t n, int64_t o, int64_t t, int64_t h, int64_t w)
{
  return n * s->ySampleStride + o * s->yChannelStride + t * s->t.yStride + h * s->h.yStride + w * s->w.yStride;
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
            const int64_t at = outputIndex(s, n, o, t, h, w);
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
                    sum += (double)s->y[outputIndex(s, n, o, t, h, w)] *
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
