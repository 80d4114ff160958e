/* The functions of core/vmath.h against libm in long double: special values, every 4099th float (or every n-th, if n
 * is given as argument), random doubles, random numbers in the intervals that matter. Each runs in a vectorised loop,
 * as in a layer; on x86-64 the loops for older processors must give the same bits. Fails beyond the bounds in
 * `functions`, which are those that the header states. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/vmath.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define X86 1
#define FOR_X86(architecture) __attribute__((noinline, target("arch=" architecture)))
#else
#define X86 0
#define FOR_X86(architecture) __attribute__((noinline))
#endif

enum { COUNT = 1021 }; /* per call; odd, so that loops end with a rest */
typedef void FloatRow(float *y, const float *x);
typedef void DoubleRow(double *y, const double *x);

#define ROW(name, type, function, attribute) \
  attribute static void name(type *restrict y, const type *restrict x) \
  { \
    for (int i = 0; i < COUNT; i++) y[i] = function(x[i]); \
  }
#define ROWS(name) \
  ROW(name##FloatV2, float, vm_##name##f, __attribute__((noinline))) \
  ROW(name##FloatV3, float, vm_##name##f, FOR_X86("x86-64-v3")) \
  ROW(name##FloatV4, float, vm_##name##f, FOR_X86("x86-64-v4")) \
  ROW(name##DoubleV2, double, vm_##name, __attribute__((noinline))) \
  ROW(name##DoubleV3, double, vm_##name, FOR_X86("x86-64-v3")) \
  ROW(name##DoubleV4, double, vm_##name, FOR_X86("x86-64-v4"))
ROWS(exp)
ROWS(expm1)
ROWS(log)
ROWS(tanh)
ROWS(sigmoid)
ROWS(softplus)

static long double sigmoidl(long double x)
{
  return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static long double softplusl(long double x)
{
  return fmaxl(x, 0) + log1pl(expl(-fabsl(x)));
}

typedef long double Reference(long double);
static const struct Function {
  const char *name;
  Reference *reference;
  FloatRow *floatRow[3];
  DoubleRow *doubleRow[3];
  double bound; /* ulp */
} functions[] = {
#define FUNCTION(name, bound) \
  {#name, name##l, {name##FloatV2, name##FloatV3, name##FloatV4}, {name##DoubleV2, name##DoubleV3, name##DoubleV4}, bound}
    FUNCTION(exp, 1.05),
    FUNCTION(expm1, 2.1),
    FUNCTION(log, 1),
    FUNCTION(tanh, 1.25),
    FUNCTION(sigmoid, 1.8),
    FUNCTION(softplus, 1.8),
};

typedef struct Format {
  const char *name;
  int isFloat, digits, lowestExponent; /* smallest normal number: 2^lowestExponent */
} Format;
static const Format floats = {"float", 1, FLT_MANT_DIG, FLT_MIN_EXP - 1};
static const Format doubles = {"double", 0, DBL_MANT_DIG, DBL_MIN_EXP - 1};

/* Processor generations that can be tried here: 1 (baseline only) to 3. */
static int generations(void)
{
#if X86
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return 1;
  const int has512 = __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
  return has512 ? 3 : 2;
#else
  return 1;
#endif
}

static void evaluate(const struct Function *f, const Format *format, int generation, const double *x, double *y)
{
  if (!format->isFloat) {
    f->doubleRow[generation](y, x);
    return;
  }
  static float floatX[COUNT], floatY[COUNT];
  for (int i = 0; i < COUNT; i++) floatX[i] = (float)x[i];
  f->floatRow[generation](floatY, floatX);
  for (int i = 0; i < COUNT; i++) y[i] = floatY[i];
}

/* Distance in units of the last digit that the format has at `right`; infinite when the kind or the sign is wrong, or
 * when anything but 0 stands for less than half (0.49, to be fair) the smallest denormal. */
static double errorInUlp(const Format *format, double got, long double right)
{
  if (isnan(right) || isnan(got)) return isnan(right) && isnan(got) ? 0 : INFINITY;
  if (!signbit(right) != !signbit(got)) return INFINITY;
  int highest = 1 - format->lowestExponent; /* largest exponent; infinity counts as 2^(highest + 1) */
  long double beyond = ldexpl(1, highest + 1), smallest = ldexpl(1, format->lowestExponent - format->digits + 1);
  if (fabsl(right) < 0.49L * smallest && got != 0) return INFINITY;
  right = fabsl(right) < beyond ? right : copysignl(beyond, right);
  long double reached = fabs(got) < beyond ? (long double)got : copysignl(beyond, got);
  int exponent = format->lowestExponent;
  if (right != 0 && ilogbl(right) > exponent) exponent = ilogbl(right) > highest ? highest : ilogbl(right);
  return (double)(fabsl(reached - right) / ldexpl(1, exponent - format->digits + 1));
}

typedef struct Worst {
  double error, x, y;
  int failures;
} Worst;

static void check(const struct Function *f, const Format *format, const double *x, Worst *worst)
{
  static double y[COUNT], other[COUNT];
  int last = generations() - 1;
  evaluate(f, format, last, x, y);
  for (int generation = 0; generation < last; generation++) {
    evaluate(f, format, generation, x, other);
    for (int i = 0; i < COUNT; i++)
      if (y[i] != other[i] && !(isnan(y[i]) && isnan(other[i])) && worst->failures++ < 5)
        printf("FAIL %s %s(%a): %a, but %a on generation %d\n", format->name, f->name, x[i], y[i], other[i],
               generation);
  }
  double bound = f->bound + (LDBL_MANT_DIG == format->digits); /* libm has no more digits than the format, so it errs as well */
  for (int i = 0; i < COUNT; i++) {
    long double right = f->reference(x[i]);
    double error = errorInUlp(format, y[i], right);
    int exact = isnan(right) || (format->isFloat ? (float)right : (double)right) == right;
    if ((x[i] == 0 || isinf(x[i])) && exact && error != 0) error = INFINITY; /* here they are known */
    if (error > worst->error) *worst = (Worst){error, x[i], y[i], worst->failures};
    if (!(error <= bound) && worst->failures++ < 5)
      printf("FAIL %s %s(%a): got %a, expected %La, %.3f ulp\n", format->name, f->name, x[i], y[i], right, error);
  }
}

static uint64_t draw(void) /* xorshift64*: the same numbers on every run */
{
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

static double narrowed(const Format *format, double x)
{
  return format->isFloat ? (float)x : x;
}

static void checkSpecialValues(const struct Function *f, const Format *format, Worst *worst)
{
  // clang-format off
  static const double values[] = {0, 0x1p-149, 0x1.8p-127, 0x1p-126, 0x1p-1074, 0x1.8p-1023, 0x1p-1022, 0x1p-53,
    0x1p-24, 0.34657359027997264, 0.5, 0.625, 0.6931471805599453, 0.70710678118654752, 1, 1.4142135623730951, 9, 10, 17,
    20, 22, 36.7, 0x1p24, 87.336544, 88.722839, 89, 103.27893, 103.97208, 104, 0x1p53, 708.39641853226408,
    709.78271289338397, 710, 744.44007192138122, 745.13321910194111, 746, 0x1.fffffep127, 0x1.fffffffffffffp1023,
    INFINITY, NAN};
  // clang-format on
  enum { VALUES = sizeof values / sizeof *values };
  double x[COUNT];
  for (int i = 0; i < COUNT; i++) { /* each value, its neighbours, and the negative of all these */
    double value = narrowed(format, values[i / 6 % VALUES]), toward = i % 3 == 1 ? -INFINITY : INFINITY;
    if (i % 3) value = format->isFloat ? nextafterf((float)value, (float)toward) : nextafter(value, toward);
    x[i] = i % 6 < 3 ? value : -value;
  }
  _Static_assert(6 * VALUES <= COUNT, "one block holds them all");
  check(f, format, x, worst);
}

static void checkIntervals(const struct Function *f, const Format *format, Worst *worst)
{
  // clang-format off
  static const double intervals[][2] = {{-104.5, 89.5}, {-104.5, -87}, {-747, 711}, {-746, -707}, {-20, 20},
                                        {-2, 2}, {-0.7, 0.7}, {0.3, 0.9}, {0.6, 0.7}, {0.7, 1.45},
                                        {-1, -0.2}, {-0.01, 0.01}, {0, 1e6}};
  // clang-format on
  double x[COUNT];
  for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++)
    for (int block = 0; block < 30; block++) {
      double low = intervals[k][0], high = intervals[k][1];
      for (int i = 0; i < COUNT; i++) x[i] = narrowed(format, low + (high - low) * ((double)(draw() >> 11) * 0x1p-53));
      check(f, format, x, worst);
    }
}

static void checkEveryFloat(const struct Function *f, uint64_t step, Worst *worst)
{
  double x[COUNT];
  for (uint64_t bits = 0; bits <= UINT32_MAX;) {
    for (int i = 0; i < COUNT; i++, bits += step) x[i] = vm_fromBitsf((uint32_t)bits);
    check(f, &floats, x, worst);
  }
}

static void checkRandomDoubles(const struct Function *f, Worst *worst)
{
  double x[COUNT];
  for (int block = 0; block < 500; block++) {
    for (int i = 0; i < COUNT; i++) x[i] = vm_fromBits(draw());
    check(f, &doubles, x, worst);
  }
}

int main(int argumentCount, char **arguments)
{
  uint64_t step = argumentCount > 1 ? strtoull(arguments[1], NULL, 10) : 4099;
  if (step == 0) return fprintf(stderr, "usage: %s [check every n-th float]\n", arguments[0]), 2;
  int failures = 0;
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    for (int isFloat = 1; isFloat >= 0; isFloat--) {
      const struct Function *f = &functions[k];
      const Format *format = isFloat ? &floats : &doubles;
      Worst worst = {0};
      checkSpecialValues(f, format, &worst);
      checkIntervals(f, format, &worst);
      if (isFloat) checkEveryFloat(f, step, &worst);
      else checkRandomDoubles(f, &worst);
      printf("%-8s %-6s largest error %.3f ulp, at %a: %a\n", f->name, format->name, worst.error, worst.x, worst.y);
      failures += worst.failures;
    }
  printf("%d failures on %d generations of the processor\n", failures, generations());
  return failures != 0;
}
