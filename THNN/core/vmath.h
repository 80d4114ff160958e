/* Elementary functions that become SIMD code: exp, expm1, log, tanh, sigmoid, softplus, each for float and double.
 *
 *     for (int64_t i = 0; i < n; i++) y[i] = real_tanh(x[i]);
 *
 * Calls into libm would keep such a loop scalar. Here every function is straight arithmetic, inlined, without branches,
 * tables or calls, so that the loop is vectorised for whatever the kernel is compiled for; gcc turns the selects (?:)
 * into vector code under -fno-trapping-math, which changes no result. With -ffp-contract=off the results are the same
 * bits on every processor.
 *
 * Largest error in ulp, float and double alike, and what stands at the edges (NaN gives NaN; results below the smallest
 * normal number are denormals, not zero; expm1 and tanh keep the sign of a zero and are accurate next to it):
 *
 *     exp      1.05   -inf -> 0, inf -> inf, overflow -> inf
 *     expm1    2.1    -inf -> -1, inf -> inf, overflow -> inf
 *     log      1.0    0 -> -inf, below 0 -> NaN, inf -> inf
 *     tanh     1.25   -inf -> -1, inf -> 1
 *     sigmoid  1.8    -inf -> 0, inf -> 1; full accuracy in the lower tail
 *     softplus 1.8    log(1 + exp(x)): -inf -> 0, inf -> inf; full accuracy in the lower tail
 *
 * Each function has three steps: reduce the argument to a small range, evaluate a polynomial there, put the result
 * together. The polynomials are minimax fits: Remez exchange on the relative error of the function that is rebuilt from
 * them, solved with 60 digits, coefficients then rounded; the error named beside each is that of the rounded ones. They
 * are evaluated two coefficients at a time, which makes the chain of dependent operations half as long as Horner's.
 *
 * What stands at the edges takes up to half of the work. A loop over many numbers looks first whether a block of them has none
 * such: expCalm and sigmoidCalm, for numbers that are all `calm`, and logNormal, for normal numbers above 0, give the same bits
 * as exp, sigmoid and log.
 *
 * The double half of this file repeats the float half with longer polynomials. */
#ifndef THNN_VMATH_H
#define THNN_VMATH_H

#include <math.h>
#include <stdint.h>
#include "core/core.h"

/* Elements in memory, at any byte, as in core/real.h. */
typedef float vm_unalignedf __attribute__((aligned(1)));
typedef double vm_unaligned __attribute__((aligned(1)));

/* In a layer file, the one of its element type. */
#define VM_REAL(name) _Generic((THNN_REAL)0, float: vm_##name##f, double: vm_##name)
#define real_abs(x) _Generic((THNN_REAL)0, float: fabsf, double: fabs)(x)
#define real_sqrt(x) _Generic((THNN_REAL)0, float: sqrtf, double: sqrt)(x)
#define real_exp(x) VM_REAL(exp)(x)
#define real_exp2Near(x) VM_REAL(exp2Near)(x)
#define real_expm1(x) VM_REAL(expm1)(x)
#define real_log(x) VM_REAL(log)(x)
#define real_softplus(x) VM_REAL(softplus)(x)
#define real_tanh(x) VM_REAL(tanh)(x)
#define real_sigmoid(x) VM_REAL(sigmoid)(x)

/* a * b + c, rounded once. Two of the three generations of THNN_KERNEL have an instruction for it, which processors have had since
 * 2013; what libm computes for the oldest ones is slow, and the same. Where nothing is chosen when the library is loaded, older
 * ones are what the compiler has to think of: there the product is rounded too. */
#if defined(__x86_64__) && !defined(__FMA__) && !defined(THNN_HAS_CLONES)
THNN_INLINE float vm_fmaf(float a, float b, float c) { return a * b + c; }
THNN_INLINE double vm_fma(double a, double b, double c) { return a * b + c; }
#else
THNN_INLINE float vm_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
THNN_INLINE double vm_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif

/* ---------------------------------------------------------------------------------------------------------- float */

THNN_INLINE uint32_t vm_bitsf(float x)
{
  return (union { float value; uint32_t bits; }){.value = x}.bits;
}

THNN_INLINE float vm_fromBitsf(uint32_t bits)
{
  return (union { uint32_t bits; float value; }){.bits = bits}.value;
}

/* 2^(exponent - 127). Only the low 9 bits of exponent count, and of these the highest, the sign, must be 0. */
THNN_INLINE float vm_powerf(uint32_t exponent)
{
  return vm_fromBitsf(exponent << 23);
}

/* x = n ln2 + r with |r| <= ln2 / 2, so exp(x) = 2^n exp(r): returns exp(r) - 1, and n + 254 in the low 9 bits of *n.
 * Adding 1.5 * 2^23 leaves no room for a fraction: the sum is rounded to a whole number, which stands in its low bits.
 * ln2 is split so that n times the first part is exact. */
THNN_INLINE float vm_expReducedf(float x, uint32_t *n)
{
  const float shift = 0x1.8p23f + 254;
  float shifted = vm_fmaf(x, 1.44269504f, shift), k = shifted - shift;
  *n = vm_bitsf(shifted);
  float r = vm_fmaf(-k, 0x1.7f7d1cp-20f, vm_fmaf(-k, 0x1.62e4p-1f, x));
  float rr = r * r;
  float p = 0.00138825167f; /* (exp(r) - 1 - r) / r^2; exp(r) - 1 within 2^-25.8 */
  p = vm_fmaf(p, rr, vm_fmaf(0.00836654752f, r, 0.0416672006f));
  p = vm_fmaf(p, rr, vm_fmaf(0.166665435f, r, 0.49999997f));
  return vm_fmaf(p, rr, r);
}

/* 2^n does not fit one float for all n that occur; its two halves do, and only the last product is rounded. */
THNN_INLINE float vm_expf(float x)
{
  uint32_t n;
  x = x > 89 ? 89 : x;
  x = x < -104 ? -104 : x;
  float q = vm_expReducedf(x, &n);
  uint32_t half = n >> 1;
  return (1 + q) * vm_powerf(half) * vm_powerf(n - half);
}

/* Calm: |x| <= 87, so that exp(x), exp(-x) and what is between are normal numbers. */
THNN_INLINE int vm_allCalmf(const vm_unalignedf *x, int64_t n)
{
  uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; i++) {
    const uint32_t magnitude = vm_bitsf(x[i]) & 0x7fffffff;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest <= 0x42ae0000;
}

THNN_INLINE float vm_expCalmf(float x)
{
  uint32_t n;
  float q = vm_expReducedf(x, &n);
  return (1 + q) * vm_powerf(n - 127);
}

/* 2^x for -100 <= x <= 100, within 2 ulp, in half the steps: for weights, which are divided by their sum. */
THNN_INLINE float vm_exp2Nearf(float x)
{
  const float shift = 0x1.8p23f + 127;
  float shifted = x + shift, f = x - (shifted - shift), ff = f * f;
  float p = vm_fmaf(0.00132764725f, f, 0.00967554096f); /* 2^f within 2^-22.6 */
  p = vm_fmaf(p, ff, vm_fmaf(0.0555071309f, f, 0.240221202f));
  p = vm_fmaf(p, ff, vm_fmaf(0.693146944f, f, 1.00000012f));
  return p * vm_powerf(vm_bitsf(shifted));
}

/* exp(x) - 1 = 2^n (exp(r) - 1 + (1 - 2^-n)). */
THNN_INLINE float vm_expm1f(float x)
{
  uint32_t n;
  float a = x > 89 ? 89 : x;
  a = a < -20 ? -20 : a;
  float q = vm_expReducedf(a, &n);
  uint32_t half = n >> 1;
  float inverse = vm_powerf(254 - half) * vm_powerf(254 - (n - half));
  float y = (q + (1 - inverse)) * vm_powerf(half) * vm_powerf(n - half);
  return copysignf(y, x);
}

/* x = 2^e m with sqrt(1/2) <= m < sqrt(2), for normal x > 0: returns m, and e + 127 in *exponent. */
THNN_INLINE float vm_splitf(float x, uint32_t *exponent)
{
  const uint32_t one = 0x3f800000, lowest = 0x3f3504f3;
  uint32_t bits = vm_bitsf(x) + (one - lowest);
  *exponent = bits >> 23;
  return vm_fromBitsf((bits & 0x7fffff) + lowest);
}

/* log(2^e (1 + f)) */
THNN_INLINE float vm_logReducedf(float f, float e)
{
  float ff = f * f;
  float p = vm_fmaf(-0.0763450041f, f, 0.127615795f); /* (log(1 + f) - f + f^2 / 2) / f^3; log(1 + f) within 2^-27.2 */
  p = vm_fmaf(p, ff, vm_fmaf(-0.131601825f, f, 0.142017573f));
  p = vm_fmaf(p, ff, vm_fmaf(-0.166233569f, f, 0.200012267f));
  p = vm_fmaf(p, ff, vm_fmaf(-0.250008196f, f, 0.333333313f));
  float low = vm_fmaf(p * f, ff, vm_fmaf(-0.5f, ff, e * 0x1.7f7d1cp-20f));
  return vm_fmaf(e, 0x1.62e4p-1f, low + f);
}

/* y = log(x), but what log(x) is where x is no positive finite number. */
THNN_INLINE float vm_logEdgesf(float x, float y)
{
  y = x < INFINITY ? y : x;
  y = x > 0 ? y : NAN;
  return x == 0 ? -INFINITY : y;
}

/* True if all are normal numbers above 0. */
THNN_INLINE int vm_allNormalf(const vm_unalignedf *x, int64_t n)
{
  const uint32_t smallest = 0x00800000, infinity = 0x7f800000;
  uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; i++) {
    const uint32_t above = vm_bitsf(x[i]) - smallest;
    largest = above > largest ? above : largest;
  }
  return largest < infinity - smallest;
}

THNN_INLINE float vm_logNormalf(float x)
{
  uint32_t exponent;
  float m = vm_splitf(x, &exponent);
  return vm_logReducedf(m - 1, (float)(int32_t)exponent - 127);
}

THNN_INLINE float vm_logf(float x)
{
  uint32_t exponent;
  int denormal = x < 0x1p-126f;
  float m = vm_splitf(x * (denormal ? 0x1p25f : 1), &exponent);
  float e = (float)(int32_t)exponent - (denormal ? 127 + 25 : 127);
  return vm_logEdgesf(x, vm_logReducedf(m - 1, e));
}

/* log(1 + exp(x)) = max(x, 0) + log(1 + t) with t = exp(-|x|) <= 1; and 1 + t = 2 (1 + f) with f = (t - 1) / 2 where t is far
 * from 0. */
THNN_INLINE float vm_softplusf(float x)
{
  float t = vm_expf(-fabsf(x));
  int far = t > 0.414213562f;
  return (x > 0 ? x : 0) + vm_logReducedf(far ? 0.5f * t - 0.5f : t, far ? 1 : 0);
}

/* With a = |x|, sigmoid(-a) = 1 / (1 + exp(a)) = 2^-n / (2^-n + exp(r)), which keeps its digits in the lower tail;
 * sigmoid(a) = 1 - sigmoid(-a). `rest` is what the sum 1 + 2^-n loses. */
THNN_INLINE float vm_sigmoidf(float x)
{
  uint32_t n;
  float a = fabsf(x);
  a = a > 104 ? 104 : a;
  float q = vm_expReducedf(a, &n);
  uint32_t half = n >> 1;
  float scale1 = vm_powerf(254 - half), scale2 = vm_powerf(254 - (n - half));
  float inverse = scale1 * scale2, sum = 1 + inverse, rest = inverse - (sum - 1);
  float y = scale1 / (sum + (q + rest)) * scale2;
  return x > 0 ? 1 - y : y;
}

THNN_INLINE float vm_sigmoidCalmf(float x)
{
  uint32_t n;
  float q = vm_expReducedf(fabsf(x), &n), inverse = vm_powerf(254 + 127 - n);
  float sum = 1 + inverse, rest = inverse - (sum - 1);
  float y = inverse / (sum + (q + rest));
  return x > 0 ? 1 - y : y;
}

/* An odd polynomial near 0, 1 - 2 / (exp(2a) + 1) elsewhere. */
THNN_INLINE float vm_tanhf(float x)
{
  uint32_t n;
  float a = fabsf(x), z = a * a, zz = z * z;
  float p = -0.00570498733f; /* (tanh(a) - a) / a^3 for a < 0.625; tanh(a) within 2^-26.8 */
  p = vm_fmaf(p, zz, vm_fmaf(0.020639088f, z, -0.0537397154f));
  p = vm_fmaf(p, zz, vm_fmaf(0.133314416f, z, -0.333332807f));
  float small = vm_fmaf(a, p * z, a);
  float b = a > 10 ? 10 : a;
  float q = vm_expReducedf(2 * b, &n), scale = vm_powerf(n - 127);
  float large = 1 - 2 / vm_fmaf(q, scale, scale + 1);
  return copysignf(a < 0.625f ? small : large, x);
}

/* --------------------------------------------------------------------------------------------------------- double */

THNN_INLINE uint64_t vm_bits(double x)
{
  return (union { double value; uint64_t bits; }){.value = x}.bits;
}

THNN_INLINE double vm_fromBits(uint64_t bits)
{
  return (union { uint64_t bits; double value; }){.bits = bits}.value;
}

/* 2^(exponent - 1023), as vm_powerf with 12 bits. */
THNN_INLINE double vm_power(uint64_t exponent)
{
  return vm_fromBits(exponent << 52);
}

/* As vm_expReducedf; n + 2046 stands in the low 12 bits of *n. */
THNN_INLINE double vm_expReduced(double x, uint64_t *n)
{
  const double shift = 0x1.8p52 + 2046;
  double shifted = vm_fma(x, 1.4426950408889634, shift), k = shifted - shift;
  *n = vm_bits(shifted);
  double r = vm_fma(-k, 0x1.3de6af278ece6p-42, vm_fma(-k, 0x1.62e42fefa3p-1, x));
  double rr = r * r;
  double p = 2.0875329291888623e-9; /* exp(r) - 1 within 2^-59.6 */
  p = vm_fma(p, rr, vm_fma(2.5109024490627812e-8, r, 2.7557402774919818e-7));
  p = vm_fma(p, rr, vm_fma(2.7557244254113786e-6, r, 2.4801587172229992e-5));
  p = vm_fma(p, rr, vm_fma(0.0001984126988607352, r, 0.0013888888888962606));
  p = vm_fma(p, rr, vm_fma(0.0083333333333216533, r, 0.041666666666666505));
  p = vm_fma(p, rr, vm_fma(0.16666666666666677, r, 0.5));
  return vm_fma(p, rr, r);
}

THNN_INLINE double vm_exp(double x)
{
  uint64_t n;
  x = x > 710 ? 710 : x;
  x = x < -746 ? -746 : x;
  double q = vm_expReduced(x, &n);
  uint64_t half = n >> 1;
  return (1 + q) * vm_power(half) * vm_power(n - half);
}

/* |x| <= 708 */
THNN_INLINE int vm_allCalm(const vm_unaligned *x, int64_t n)
{
  uint64_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; i++) {
    const uint64_t magnitude = vm_bits(x[i]) & 0x7fffffffffffffff;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest <= 0x4086200000000000;
}

THNN_INLINE double vm_expCalm(double x)
{
  uint64_t n;
  double q = vm_expReduced(x, &n);
  return (1 + q) * vm_power(n - 1023);
}

THNN_INLINE double vm_exp2Near(double x)
{
  const double shift = 0x1.8p52 + 1023;
  double shifted = x + shift, f = x - (shifted - shift), ff = f * f;
  double p = vm_fma(4.4352827069572772e-10, f, 7.0741056135081431e-9); /* 2^f within 2^-54.7 */
  p = vm_fma(p, ff, vm_fma(1.0178198021671931e-7, f, 1.32154330896764e-6));
  p = vm_fma(p, ff, vm_fma(1.5252733489988525e-5, f, 0.00015403530462514432));
  p = vm_fma(p, ff, vm_fma(0.0013333558146789923, f, 0.0096181291075883354));
  p = vm_fma(p, ff, vm_fma(0.055504108664819925, f, 0.24022650695910155));
  p = vm_fma(p, ff, vm_fma(0.69314718055994529, f, 1));
  return p * vm_power(vm_bits(shifted));
}

THNN_INLINE double vm_expm1(double x)
{
  uint64_t n;
  double a = x > 710 ? 710 : x;
  a = a < -50 ? -50 : a;
  double q = vm_expReduced(a, &n);
  uint64_t half = n >> 1;
  double inverse = vm_power(2046 - half) * vm_power(2046 - (n - half));
  double y = (q + (1 - inverse)) * vm_power(half) * vm_power(n - half);
  return copysign(y, x);
}

THNN_INLINE double vm_split(double x, uint64_t *exponent)
{
  const uint64_t one = 0x3ff0000000000000, lowest = 0x3fe6a09e667f3bcd;
  uint64_t bits = vm_bits(x) + (one - lowest);
  *exponent = bits >> 52;
  return vm_fromBits((bits & 0xfffffffffffff) + lowest);
}

/* A whole number below 2^52 as a double: no AVX2 instruction does it, but it is in the low bits of 2^52 + number. */
THNN_INLINE double vm_toDouble(uint64_t number)
{
  return vm_fromBits(number | 0x4330000000000000) - 0x1p52;
}

/* Here with s = f / (2 + f), for which log(1 + f) = 2 artanh(s) is odd and a short polynomial does:
 * log(1 + f) = 2s + s R(s^2) = f - f^2 / 2 + s (f^2 / 2 + R). */
THNN_INLINE double vm_logReduced(double f, double e)
{
  double s = f / (2 + f), z = s * s, zz = z * z;
  double p = 0.14795949918869619; /* R / s^2; log(1 + f) within 2^-58.9 */
  p = vm_fma(p, zz, vm_fma(0.15314050533062037, z, 0.18183564326742471));
  p = vm_fma(p, zz, vm_fma(0.2222219857317525, z, 0.28571428742387683));
  p = vm_fma(p, zz, vm_fma(0.39999999999414676, z, 0.6666666666666734));
  double h = 0.5 * f * f;
  double low = vm_fma(s, vm_fma(p, z, h), vm_fma(e, 0x1.3de6af278ece6p-42, -h));
  return vm_fma(e, 0x1.62e42fefa3p-1, low + f);
}

THNN_INLINE double vm_logEdges(double x, double y)
{
  y = x < INFINITY ? y : x;
  y = x > 0 ? y : NAN;
  return x == 0 ? -INFINITY : y;
}

THNN_INLINE int vm_allNormal(const vm_unaligned *x, int64_t n)
{
  const uint64_t smallest = 0x0010000000000000, infinity = 0x7ff0000000000000;
  uint64_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int64_t i = 0; i < n; i++) {
    const uint64_t above = vm_bits(x[i]) - smallest;
    largest = above > largest ? above : largest;
  }
  return largest < infinity - smallest;
}

THNN_INLINE double vm_logNormal(double x)
{
  uint64_t exponent;
  double m = vm_split(x, &exponent);
  return vm_logReduced(m - 1, vm_toDouble(exponent) - 1023);
}

THNN_INLINE double vm_log(double x)
{
  uint64_t exponent;
  int denormal = x < 0x1p-1022;
  double m = vm_split(x * (denormal ? 0x1p54 : 1), &exponent);
  double e = vm_toDouble(exponent) - (denormal ? 1023 + 54 : 1023);
  return vm_logEdges(x, vm_logReduced(m - 1, e));
}

/* |x|^p, for p that is no small whole number */
THNN_INLINE double vm_absPower(double x, double p) { return vm_exp(p * vm_log(fabs(x))); }

THNN_INLINE double vm_softplus(double x)
{
  double t = vm_exp(-fabs(x));
  int far = t > 0.41421356237309503;
  return (x > 0 ? x : 0) + vm_logReduced(far ? 0.5 * t - 0.5 : t, far ? 1 : 0);
}

THNN_INLINE double vm_sigmoid(double x)
{
  uint64_t n;
  double a = fabs(x);
  a = a > 746 ? 746 : a;
  double q = vm_expReduced(a, &n);
  uint64_t half = n >> 1;
  double scale1 = vm_power(2046 - half), scale2 = vm_power(2046 - (n - half));
  double inverse = scale1 * scale2, sum = 1 + inverse, rest = inverse - (sum - 1);
  double y = scale1 / (sum + (q + rest)) * scale2;
  return x > 0 ? 1 - y : y;
}

THNN_INLINE double vm_sigmoidCalm(double x)
{
  uint64_t n;
  double q = vm_expReduced(fabs(x), &n), inverse = vm_power(2046 + 1023 - n);
  double sum = 1 + inverse, rest = inverse - (sum - 1);
  double y = inverse / (sum + (q + rest));
  return x > 0 ? 1 - y : y;
}

THNN_INLINE double vm_tanh(double x)
{
  uint64_t n;
  double a = fabs(x), z = a * a, zz = z * z;
  double p = -1.6072568250167842e-5; /* tanh(a) within 2^-56 for a < 0.625 */
  p = vm_fma(p, zz, vm_fma(7.7144363882549369e-5, z, -0.0002285642088477124));
  p = vm_fma(p, zz, vm_fma(0.00058631653930684953, z, -0.0014549588777051439));
  p = vm_fma(p, zz, vm_fma(0.0035919891737673294, z, -0.0088632210026256108));
  p = vm_fma(p, zz, vm_fma(0.021869487576094287, z, -0.053968253931267689));
  p = vm_fma(p, zz, vm_fma(0.1333333333326209, z, -0.33333333333332854));
  double small = vm_fma(a, p * z, a);
  double b = a > 22 ? 22 : a;
  double q = vm_expReduced(2 * b, &n), scale = vm_power(n - 1023);
  double large = 1 - 2 / vm_fma(q, scale, scale + 1);
  return copysign(a < 0.625 ? small : large, x);
}

#endif
