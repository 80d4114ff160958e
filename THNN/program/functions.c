/* The functions that programs can call by name: those of this library, and those that the host has registered. */
#include <errno.h>
#include <stdlib.h>
#include "program/program.h"

/* ---- the library's own: a sorted table */

static int compareName(const char *name, size_t length, const char *other)
{
  const int order = strncmp(name, other, length);
  return order ? order : (other[length] ? -1 : 0);
}

static const Function *findOwn(const char *name, size_t length)
{
  size_t first = 0, end = THNN_functionCount;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    const int order = compareName(name, length, THNN_functionTable[middle].name);
    if (order == 0) return THNN_functionTable + middle;
    if (order < 0) end = middle;
    else first = middle + 1;
  }
  return NULL;
}

/* ---- registered ones: a list that grows at its head and never shrinks. It needs no lock, so that a child that is forked
 * while another thread registers a function finds nothing locked. */

typedef struct Registered {
  Function function;
  const struct Registered *next;
  char text[]; /* name and signature */
} Registered;

static _Atomic(const Registered *) registered;

static const Function *findRegistered(const Registered *head, const char *name, size_t length)
{
  for (const Registered *r = head; r; r = r->next)
    if (compareName(name, length, r->function.name) == 0) return &r->function;
  return NULL;
}

const Function *THNN_findFunction(const char *name, size_t length)
{
  const Function *own = findOwn(name, length);
  return own ? own : findRegistered(atomic_load(&registered), name, length);
}

static int32_t checkName(const char *f, const char *name)
{
  const size_t length = strnlen(name, 256);
  int isName = length > 0 && length < 256;
  for (size_t i = 0; isName && i < length; i++) {
    const char c = name[i];
    isName = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9' && i > 0) || c == '_';
  }
  if (isName) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, f, "name", "expected 1 to 255 letters, digits and _, got %s",
                   length == 0 ? "none" : (length < 256 ? name : "more"));
}

static int32_t checkSignature(const char *f, const char *name, const char *signature)
{
  const int isTyped = strncmp(name, "Float", 5) == 0 || strncmp(name, "Double", 6) == 0;
  if (strnlen(signature, 256) > 255) return THNN_fail(THNN_ERR_VALUE, f, "signature", "expected at most 255 letters, got more");
  for (size_t i = 0; signature[i]; i++) {
    if (!strchr("sfFlLbBaAtijd", signature[i]) || (signature[i] == 's' && i > 0))
      return THNN_fail(THNN_ERR_VALUE, f, "signature", "expected s for the state first, then letters of fFlLbBaAtijd, got %s",
                       signature);
    if (!isTyped && (signature[i] == 'f' || signature[i] == 'F'))
      return THNN_fail(THNN_ERR_VALUE, f, "name",
                       "expected a name that begins with Float or Double, because it has a tensor of them (f or F), got %s",
                       name);
  }
  return THNN_OK;
}

int32_t THNN_registerLayer(const char *name, THNNLayerCall *function, const char *signature)
{
  const char *f = __func__;
  if (!name) return THNN_fail(THNN_ERR_NULL, f, "name", "expected a text, got NULL");
  if (!function) return THNN_fail(THNN_ERR_NULL, f, "function", "expected a function, got NULL");
  if (!signature) return THNN_fail(THNN_ERR_NULL, f, "signature", "expected a text, got NULL");
  THNN_TRY(checkName(f, name));
  THNN_TRY(checkSignature(f, name, signature));
  THNN_IN_DEFAULT_ENVIRONMENT;
  signature += signature[0] == 's';
  const size_t nameBytes = strlen(name) + 1, signatureBytes = strlen(signature) + 1;
  if (findOwn(name, nameBytes - 1))
    return THNN_fail(THNN_ERR_VALUE, f, "name", "expected one that this library's functions do not have, got %s", name);
  Registered *fresh = malloc(sizeof *fresh + nameBytes + signatureBytes);
  if (!fresh)
    return THNN_fail(THNN_ERR_MEMORY, f, "name", "expected %zu bytes, got none", sizeof *fresh + nameBytes + signatureBytes);
  memcpy(fresh->text, name, nameBytes);
  memcpy(fresh->text + nameBytes, signature, signatureBytes);
  fresh->function = (Function){fresh->text, fresh->text + nameBytes, "", function};
  fresh->next = atomic_load(&registered);
  for (;;) {
    const Function *same = findRegistered(fresh->next, name, nameBytes - 1);
    if (same) {
      const int isEqual = same->call == function && strcmp(same->signature, signature) == 0;
      free(fresh);
      if (isEqual) return THNN_OK;
      return THNN_fail(THNN_ERR_VALUE, f, "name",
                       "expected one that is not registered yet, or the same function and signature, got %s", name);
    }
    const Registered *head = fresh->next;
    if (atomic_compare_exchange_strong(&registered, &head, fresh)) return THNN_OK;
    fresh->next = head;
  }
}
