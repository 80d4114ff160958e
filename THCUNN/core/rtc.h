/* The part of C's headers that kernels need, for NVRTC, which has no headers. Its mathematical functions need none. */
#ifndef THCUNN_RTC_H
#define THCUNN_RTC_H

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t; /* as on the host, so that names of kernels agree */
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
static_assert(sizeof(int64_t) == 8, "expected long to have 64 bits");

#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807L
#define INT8_MIN (-INT8_MAX - 1)
#define INT16_MIN (-INT16_MAX - 1)
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_MAX 18446744073709551615UL
#define INT_MAX INT32_MAX
#define INT_MIN INT32_MIN
#define LONG_MAX INT64_MAX
#define LONG_MIN INT64_MIN

#ifndef NULL
#define NULL 0
#endif

#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#endif
