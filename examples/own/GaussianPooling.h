/* GaussianPooling: its functions, declared as in THNN.h. */

THNN_API int32_t THNN_(GaussianPooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t size[8]);

THNN_API int32_t THNN_(GaussianPooling_updateOutput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    THTensor *output,            /* [OUT] (N x) C x oH x oW */
    const THTensor *logVariance, /* [IN] C */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(GaussianPooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,         /* [OUT] (N x) C x H x W */
    const THTensor *logVariance, /* [IN] C */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(GaussianPooling_accGradParameters)(
    THNNState *state,
    const THTensor *input,       /* [IN] (N x) C x H x W */
    const THTensor *gradOutput,  /* [IN] (N x) C x oH x oW */
    THTensor *gradLogVariance,   /* [ACC] C */
    const THTensor *logVariance, /* [IN] C */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    double scale);
