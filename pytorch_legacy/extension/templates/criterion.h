/* NAME: its functions, declared as in THNN.h. Each tensor stands on its own line, with a tag and a shape. */

THNN_API int32_t THNN_(NAME_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *output,       /* [OUT] 1 */
    int32_t sizeAverage);

THNN_API int32_t THNN_(NAME_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] * : as many elements as input */
    THTensor *gradInput,    /* [OUT] as input */
    int32_t sizeAverage);
