/* Error text of a thread, and the versions. */
#define _GNU_SOURCE /* uselocale */
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/core.h"

/* Hosts lay tensors out by themselves: a change here is another ABI. */
_Static_assert(sizeof(void *) != 8 ||
                   (sizeof(THFloatTensor) == 144 && offsetof(THFloatTensor, size) == 8 && offsetof(THFloatTensor, stride) == 72 &&
                    offsetof(THFloatTensor, nDimension) == 136 && offsetof(THFloatTensor, flags) == 140),
               "THNN_ABI_VERSION counts changes of the tensors' layout");
_Static_assert(sizeof(THDoubleTensor) == sizeof(THFloatTensor) && sizeof(THLongTensor) == sizeof(THFloatTensor) &&
                   sizeof(THByteTensor) == sizeof(THFloatTensor),
               "tensors of all types have one layout");

static _Thread_local char errorText[1024] = "no error";

const char *THNN_lastError(void) { return errorText; }

static void writeText(const char *function, const char *argument, const char *format, va_list arguments)
{
  const int length = snprintf(errorText, sizeof errorText, "%s: %s: ", function, argument);
  if (length < 0 || (size_t)length >= sizeof errorText) return;
  vsnprintf(errorText + length, sizeof errorText - (size_t)length, format, arguments);
}

/* Numbers are written in the C locale and rounded to nearest, whatever the caller has set. glibc's printf rounds as the x87 control word
 * says, which is part of fenv_t only. */
int32_t THNN_fail(int32_t code, const char *function, const char *argument, const char *format, ...)
{
  const int error = errno;
  fenv_t callers;
  fegetenv(&callers);
  fesetenv(FE_DFL_ENV);
  const locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = uselocale(c); /* with no `c`, uselocale changes nothing */
  va_list arguments;
  va_start(arguments, format);
  writeText(function, argument, format, arguments);
  va_end(arguments);
  uselocale(before);
  if (c) freelocale(c);
  fesetenv(&callers);
  errno = error;
  return code;
}

int32_t THNN_setLastError(int32_t status, const char *text)
{
  if (!text) return THNN_fail(THNN_ERR_NULL, __func__, "text", "expected a text, got NULL");
  const size_t length = strnlen(text, sizeof errorText - 1);
  memmove(errorText, text, length);
  errorText[length] = '\0';
  return status;
}

int32_t THNN_versionNumber(void)
{
  return THNN_VERSION_MAJOR * 10000 + THNN_VERSION_MINOR * 100 + THNN_VERSION_PATCH;
}

int32_t THNN_abiVersion(void) { return THNN_ABI_VERSION; }

const char *THNN_blas(void) { return "built-in"; }

int32_t THNN_checkVersion(int32_t abiVersion)
{
  if (abiVersion == THNN_ABI_VERSION) return THNN_OK;
  return THNN_fail(THNN_ERR_VERSION, "THNN_checkVersion", "abiVersion",
                   "expected %d, the ABI of this library, got %d", THNN_ABI_VERSION, abiVersion);
}
