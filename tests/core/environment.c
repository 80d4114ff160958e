/* The floating-point environment of a host. environments.py sets one, calls a function of libTHNN, and asks what has changed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
  DEFAULT,
  FLUSH,
  TRAPS,
  UP,
  DOWN,
  ZERO,
  FLAGS,
};
enum { ERROR = 77 }; /* errno before a call */

typedef struct Environment {
  unsigned long control, flags;
} Environment;

static Environment before;
static const char *running;

static Environment present(void)
{
  Environment e = {(unsigned long)fegetround() ^ (unsigned long)fegetexcept() << 16, (unsigned long)fetestexcept(FE_ALL_EXCEPT)};
#if defined(__x86_64__)
  const unsigned mxcsr = __builtin_ia32_stmxcsr();
  unsigned short word;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  e.control = (mxcsr & 0xffc0) | (unsigned long)word << 32;
  e.flags |= (unsigned long)(mxcsr & 0x3f) << 32;
#elif defined(__aarch64__)
  __asm__ volatile("mrs %0, fpcr" : "=r"(e.control));
  __asm__ volatile("mrs %0, fpsr" : "=r"(e.flags));
#endif
  return e;
}

/* Returns 0 if the processor has no such mode. */
static int set(int mode)
{
  switch (mode) {
  case UP: return fesetround(FE_UPWARD) == 0;
  case DOWN: return fesetround(FE_DOWNWARD) == 0;
  case ZERO: return fesetround(FE_TOWARDZERO) == 0;
  case FLAGS: return fesetexceptflag(&(fexcept_t){FE_ALL_EXCEPT}, FE_ALL_EXCEPT) == 0;
#if defined(__x86_64__)
  case FLUSH: __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); return 1; /* FTZ and DAZ */
  case TRAPS:
    feenableexcept(FE_ALL_EXCEPT);
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x100u); /* denormal operands, which FE_ALL_EXCEPT lacks */
    return 1;
#elif defined(__aarch64__)
  case FLUSH: __asm__ volatile("msr fpcr, %0" : : "r"(1ul << 24)); return 1;
  case TRAPS: return feenableexcept(FE_ALL_EXCEPT) >= 0;
#endif
  default: return mode == DEFAULT;
  }
}

int environment_begin(int mode, const char *function)
{
  running = function;
  fesetenv(FE_DFL_ENV);
  const int isThere = set(mode);
  before = present();
  errno = ERROR;
  return isThere;
}

/* Returns what has changed: 1 control, 2 flags, 4 errno. */
int environment_end(void)
{
  const int error = errno;
  const Environment now = present();
  fesetenv(FE_DFL_ENV);
  return (now.control != before.control) + 2 * (now.flags != before.flags) + 4 * (error != ERROR);
}

/* A trap ends the process, because it would come again. */
static void report(int number)
{
  (void)number;
  static const char text[] = "SIGFPE in ";
  if (write(2, text, sizeof text - 1) < 0 || write(2, running, strlen(running)) < 0) _exit(2);
  _exit(1);
}

__attribute__((constructor)) static void listen(void) { signal(SIGFPE, report); }
