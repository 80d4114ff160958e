/* NAME: its functions, declared as in THNN.h. Each tensor stands on its own line, with a tag and a shape. */

THNN_API int32_t THNN_(NAME_outputSize)(
    const THTensor *input,  /* [IN] (N x) inputSize */
    const THTensor *weight, /* [IN] outputSize x inputSize */
    int64_t size[8]);

THNN_API int32_t THNN_(NAME_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] (N x) inputSize */
    THTensor *output,       /* [OUT] (N x) outputSize */
    const THTensor *weight, /* [IN] outputSize x inputSize */
    const THTensor *bias);  /* [IN] outputSize */

THNN_API int32_t THNN_(NAME_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) inputSize */
    const THTensor *gradOutput, /* [IN] (N x) outputSize */
    THTensor *gradInput,        /* [OUT] (N x) inputSize */
    const THTensor *weight);    /* [IN] outputSize x inputSize */

THNN_API int32_t THNN_(NAME_accGradParameters)(
    THNNState *state,
    const THTensor *input,      /* [IN] (N x) inputSize */
    const THTensor *gradOutput, /* [IN] (N x) outputSize */
    THTensor *gradWeight,       /* [ACC] outputSize x inputSize */
    THTensor *gradBias,         /* [ACC] outputSize */
    double scale);
