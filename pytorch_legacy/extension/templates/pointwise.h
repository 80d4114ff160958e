/* NAME: its functions, declared as in THNN.h. Each tensor stands on its own line, with a tag and a shape. */

THNN_API int32_t THNN_(NAME_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] as input */
    double beta);

THNN_API int32_t THNN_(NAME_updateGradInput)(
    THNNState *state,
    const THTensor *input,      /* [IN] * */
    const THTensor *gradOutput, /* [IN] as input */
    THTensor *gradInput,        /* [OUT] as input */
    double beta);
