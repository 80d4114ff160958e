/* Products of matrices for arrayProduct: compiled for each element type, where product.cu is compiled once. */
#ifndef THCUNN_ARRAY_MATRICES_H
#define THCUNN_ARRAY_MATRICES_H

#include "core/core.h"

/* c (B... x M x N) = a (B... x M x K) * b (B... x K x N): checked arrays, none of them empty. */
void THNN_CudamultiplyArrays(Call *call, View a, View b, View c);
void THNN_CudaDoublemultiplyArrays(Call *call, View a, View b, View c);

#endif
