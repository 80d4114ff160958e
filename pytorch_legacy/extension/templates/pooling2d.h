/* NAME: its functions, declared as in THNN.h. Each tensor stands on its own line, with a tag and a shape. */

THNN_API int32_t THNN_(NAME_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH,
    int64_t size[8]);

THNN_API int32_t THNN_(NAME_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output,      /* [OUT] (N x) C x oH x oW */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);

THNN_API int32_t THNN_(NAME_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x oH x oW */
    THTensor *gradInput,        /* [OUT] (N x) C x H x W */
    int64_t kW, int64_t kH, int64_t dW, int64_t dH, int64_t padW, int64_t padH);
