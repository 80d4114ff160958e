/* Includes TEMPLATE, a file in quotes, once for each element type. It has
 *     TYPED(name)   name and the type's: nameFloat
 *     Cell, Value   an element in memory, and in a register
 *     Wide          what numbers are added up in, and WIDE_TYPED(name) as TYPED
 *     Wrapping      what an integer is computed in, so that overflow is defined
 *     IS_REAL */
#define TYPED_PASTE_(a, b) a##b
#define TYPED_PASTE(a, b) TYPED_PASTE_(a, b)
#define TYPED(name) TYPED_PASTE(name, Type)
#define WIDE_TYPED(name) TYPED_PASTE(name, WideType)

#define Type Float
#define Cell FloatCell
#define Value float
#define Wrapping float
#define Wide double
#define WideType Double
#define IS_REAL 1
#include TEMPLATE
#undef Type
#undef Cell
#undef Value
#undef Wrapping

#define Type Double
#define Cell DoubleCell
#define Value double
#define Wrapping double
#include TEMPLATE
#undef Type
#undef Cell
#undef Value
#undef Wrapping
#undef Wide
#undef WideType
#undef IS_REAL

#define Type Long
#define Cell LongCell
#define Value int64_t
#define Wrapping uint64_t
#define Wide int64_t
#define WideType Long
#define IS_REAL 0
#include TEMPLATE
#undef Type
#undef Cell
#undef Value
#undef Wrapping

#define Type Byte
#define Cell ByteCell
#define Value uint8_t
#define Wrapping uint32_t
#include TEMPLATE
#undef Type
#undef Cell
#undef Value
#undef Wrapping
#undef Wide
#undef WideType
#undef IS_REAL
