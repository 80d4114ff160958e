/* The floating-point environment of a call. What a thread's environment holds differs between processors:
 *     x86-64   MXCSR has the control bits (rounding, FTZ, DAZ, masks of exceptions) and the status flags. The library has no x87 code.
 *     aarch64  FPCR has the control bits, FPSR the status flags
 *     others   what <fenv.h> knows
 * To read and compare these registers takes a few nanoseconds. fegetenv and fesetenv take a hundred. */
#include <errno.h>
#include "core/core.h"

#if defined(__x86_64__)

enum {
  CONTROL_BITS = 0xffc0,
  DEFAULT_CONTROL = 0x1f80, /* round to nearest, denormals are numbers, all exceptions masked */
};

static void enter(Registers *callers)
{
  const uint32_t mxcsr = __builtin_ia32_stmxcsr();
  callers->mxcsr = mxcsr;
  if ((mxcsr & CONTROL_BITS) != DEFAULT_CONTROL) __builtin_ia32_ldmxcsr((mxcsr & ~(uint32_t)CONTROL_BITS) | DEFAULT_CONTROL);
}

static void leave(const Registers *callers)
{
  if (__builtin_ia32_stmxcsr() != callers->mxcsr) __builtin_ia32_ldmxcsr(callers->mxcsr);
}

#elif defined(__aarch64__)

static void enter(Registers *callers)
{
  __asm__ volatile("mrs %0, fpcr" : "=r"(callers->fpcr));
  __asm__ volatile("mrs %0, fpsr" : "=r"(callers->fpsr));
  if (callers->fpcr) __asm__ volatile("msr fpcr, %0" : : "r"(UINT64_C(0)));
}

static void leave(const Registers *callers)
{
  uint64_t fpsr;
  __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr));
  if (callers->fpcr) __asm__ volatile("msr fpcr, %0" : : "r"(callers->fpcr));
  if (fpsr != callers->fpsr) __asm__ volatile("msr fpsr, %0" : : "r"(callers->fpsr));
}

#else

static void enter(Registers *callers)
{
  fegetenv(callers);
  fesetenv(FE_DFL_ENV);
}

static void leave(const Registers *callers) { fesetenv(callers); }

#endif

void THNN_enterEnvironment(Environment *callers)
{
  callers->error = errno;
  enter(&callers->registers);
}

void THNN_leaveEnvironment(const Environment *callers)
{
  leave(&callers->registers);
  errno = callers->error;
}
