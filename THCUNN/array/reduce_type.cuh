/* The kernels of reduce.cu for one type. */
#include "array/folded_type.h"

template <> struct Fold<Value> {
  typedef Wide Sum;
  static __device__ Sum neutral(int operation) { return TYPED(neutral)(operation); }
  static __device__ Sum folded(int operation, Sum so_far, Sum x) { return TYPED(folded)(operation, so_far, x); }
  static __device__ bool isBetter(int operation, Sum x, Sum best) { return TYPED(isBetter)(operation, x, best); }
};
