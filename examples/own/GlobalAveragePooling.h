/* GlobalAveragePooling: its functions, declared as in THNN.h. */

THNN_API int32_t THNN_(GlobalAveragePooling_outputSize)(
    const THTensor *input, /* [IN] (N x) C x H x W */
    int64_t size[8]);

THNN_API int32_t THNN_(GlobalAveragePooling_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] (N x) C x H x W */
    THTensor *output);     /* [OUT] (N x) C x 1 x 1 */

THNN_API int32_t THNN_(GlobalAveragePooling_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) C x H x W */
    const THTensor *gradOutput, /* [IN] (N x) C x 1 x 1 */
    THTensor *gradInput);       /* [OUT] (N x) C x H x W */
