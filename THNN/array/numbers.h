/* Functions of numbers by the names of their types, and conversions between the types, on the host and on a device. */
#ifndef THNN_ARRAY_NUMBERS_H
#define THNN_ARRAY_NUMBERS_H

#include "core/core.h"

THNN_INLINE int isNaNFloat(float x) { return x != x; }
THNN_INLINE int isNaNDouble(double x) { return x != x; }
THNN_INLINE int isNaNLong(int64_t x) { return (void)x, 0; }
THNN_INLINE int isNaNByte(int64_t x) { return (void)x, 0; }
THNN_INLINE int isNegativeLong(int64_t x) { return x < 0; }
THNN_INLINE int isNegativeByte(int64_t x) { return (void)x, 0; }

/* As C converts, and defined where C leaves it open, as x86 has it and so NumPy there: what a long cannot be, NaN too, is the smallest
 * long; a byte is the lowest one of an integer of 32 bits, 0 of what that cannot be. */
THNN_INLINE int64_t toLong(double x) { return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN; }
THNN_INLINE uint8_t toByte(double x) { return x > -0x1p31 - 1 && x < 0x1p31 ? (uint8_t)(int32_t)x : 0; }

/* Functions of libm and limits by the names of the types. */
#define fabsFloat fabsf
#define fabsDouble fabs
#define sqrtFloat sqrtf
#define sqrtDouble sqrt
#define floorFloat floorf
#define floorDouble floor
#define ceilFloat ceilf
#define ceilDouble ceil
#define truncFloat truncf
#define truncDouble trunc
#define rintFloat rintf
#define rintDouble rint
#define fmodFloat fmodf
#define fmodDouble fmod
#define copysignFloat copysignf
#define copysignDouble copysign
#define largestFloat FLT_MAX
#define largestDouble DBL_MAX

#endif
