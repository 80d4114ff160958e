"""The fixed parts of generated C. A word after a dollar sign is replaced by what differs from network to network; two are one."""

from __future__ import annotations

import re
import textwrap

_WORD = re.compile(r"\$(?:{(\w+)}|(\w+)|\$)")


def fill(template: str, **words: str) -> str:
    """Returns a template with words in their places."""
    return _WORD.sub(lambda found: words[found[1] or found[2]] if found[0] != "$$" else "$", template)


def paragraph(text: str, start: str = " * ", width: int = 110) -> str:
    """Returns a text as lines of a comment."""
    return "\n".join(textwrap.wrap(text, width, initial_indent=start, subsequent_indent=start, break_long_words=False))


def section(title: str) -> str:
    """Returns the line that begins a part of a file."""
    return f"/* {'-' * 90} {title} */\n"


HEADER = """\
/* $file.h: $what as C. pytorch-legacy $version wrote it; $file.c has the layers.
 *
$ports
 *
 *   cc host.c $sources $$(pkg-config --cflags --libs THNN)
 *
 *   struct $name *$net;
 *   if ($opened != THNN_OK) puts(THNN_lastError());
$passed
 *   ${name}_close($net);
 *
$rules
 *
$memory */
#ifndef ${upper}_H
#define ${upper}_H

#include <stdint.h>

$macros
#ifdef __cplusplus
extern "C" {
#endif

struct $name;

$opening
$open;

$running
$run;

$more/* Frees all memory. NULL is allowed. */
int32_t ${name}_close(struct $name *$net);

#ifdef __cplusplus
}
#endif

#endif
"""

FORGET_DECLARATION = """\
/* Deletes the state of earlier runs. The next run begins anew. */
int32_t ${name}_forget(struct $name *$net);

"""

TOP = """\
/* $file.c: $what as calls of libTHNN, in the order in which they run. pytorch-legacy $version wrote it.
 *
$picture
 *
$order */
$includes
#include <THNN.h>
#include "$file.h"

/* Returns the status of a call that has failed. THNN_lastError() then has a text about it. */
#define TRY(call) \\
  do { \\
    const int32_t status = (call); \\
    if (status != THNN_OK) return status; \\
  } while (0)
"""

DECLARED_WEIGHTS = """\
#ifdef __cplusplus
extern "C" {
#endif
extern const uint32_t ${name}_weights[$words]; /* of ${file}_weights.c */
#ifdef __cplusplus
}
#endif
"""

STRUCT = """\
struct $name {
$fields};
"""

FAIL = """\
/* Sets the text of THNN_lastError(), and returns the status. */
static int32_t fail(int32_t status, const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return THNN_setLastError(status, text);
}
"""

FORGET = """\
int32_t ${name}_forget(struct $name *$net)
{
  if (!$net) return fail(THNN_ERR_NULL, "${name}_forget: $net: expected an address, got NULL");
  $net->hasState = 0;
  return THNN_OK;
}
"""

CLOSE = """\
int32_t ${name}_close(struct $name *$net)
{
  if (!$net) return THNN_OK;
  THNN_freeState($net->state);
$unmap  free($net->memory);
  free($net);
  return THNN_OK;
}
"""

CHECKSUM = """\
/* Returns the CRC-32 of some bytes, as zlib computes it. */
static uint32_t checksum(const char *bytes, size_t size)
{
  uint32_t table[256], sum = 0xffffffff;
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320 : 0);
  }
  for (size_t i = 0; i < size; i++) sum = table[(sum ^ (unsigned char)bytes[i]) & 255] ^ (sum >> 8);
  return ~sum;
}
"""

MAP = """\
/* Maps the file of weights, and checks that it belongs to this source. */
static int32_t map_weights(struct $name *$net, const char *bin)
{
  const void *bytes;
  if (THNN_mapFile(bin, &bytes, &$net->size) != THNN_OK)
    return fail(THNN_ERR_VALUE, "${name}_open: bin: expected a file that can be read, got %s", bin);
  $net->weights = (const char *)bytes;
  if ($net->size != ${upper}_WEIGHTS)
    return fail(THNN_ERR_VALUE, "${name}_open: bin: expected %lld bytes, got %lld in %s", (long long)${upper}_WEIGHTS,
                (long long)$net->size, bin);
  if (checksum($net->weights, ${upper}_WEIGHTS) != $checksum)
    return fail(THNN_ERR_VALUE, "${name}_open: bin: expected the weights of $file.c, got other ones in %s", bin);
  return THNN_OK;
}
"""

PREPARE_AND_RELEASE = """\
  if (status == THNN_OK) status = prepare(made);
  if (status == THNN_OK) status = THNN_releasePages(made->weights, ${upper}_WEIGHTS); /* packed ones are not read again */
"""

SET_WEIGHTS = """\
/* Describes the weights: where each is, and its sizes. */
static void set_weights(struct $name *$net)
{
$lines}
"""

ALLOCATE = """\
/* Allocates $parts in one block. Each part begins at a multiple of 64 bytes. */
static int32_t allocate(struct $name *$net)
{
  const int64_t bytes = $total;
  $net->memory = (int64_t)(size_t)bytes == bytes ? (char *)malloc((size_t)bytes) : NULL;
  if (!$net->memory) return fail(THNN_ERR_MEMORY, "${name}_open: expected %lld bytes of memory, got none", (long long)bytes);
  char *start = $net->memory + (64 - (uintptr_t)$net->memory % 64) % 64;
$lines  return THNN_OK;
}
"""

RUN_EACH = """\
/* Runs the network $about. */
$declaration
{
$body  return THNN_OK;
}
"""

EACH_NUMBER = """\
  int32_t threads;
  TRY(THNN_getNumThreads($net->state, &threads));
  const int64_t few = 4 * threads; /* samples that threads may share in other ways than more samples */
  for (int64_t n = $net->most; n >= $least; n = n > 2 * few ? n / 2 : (n > few ? few : n - 1))$opens
$body$closes"""

PREPARE = """\
$about
static int32_t prepare(struct $name *$net)
{
$buffers  int32_t status = $areThere ? THNN_OK : fail(THNN_ERR_MEMORY, "${name}_open: expected memory for a first run, got none");
$lines  return status;
}
"""

OPEN = """\
$open
{
  const uint16_t one = 1; /* its first byte is 1 on a little-endian processor */
  if (!$net) return fail(THNN_ERR_NULL, "${name}_open: $net: expected a place for the pointer, got NULL");
  *$net = NULL;
$checks  if (*(const char *)&one != 1) return fail(THNN_ERR_UNSUPPORTED, "${name}_open: expected a little-endian processor");
  TRY(THNN_checkVersion(THNN_ABI_VERSION));
  struct $name *made = (struct $name *)calloc(1, sizeof *made);
  if (!made) return fail(THNN_ERR_MEMORY, "${name}_open: expected memory, got none");
$most  int32_t status = allocate(made);
$read$state$set$prepare  if (status == THNN_OK) *$net = made;
  else ${name}_close(made);
  return status;
}
"""

WEIGHTS = """\
/* ${file}_weights.c: the weights of $file.c, as words of a little-endian processor. pytorch-legacy $version wrote it. */
#include <stdint.h>

#ifdef __cplusplus
#define ALIGNED alignas(64)
extern "C" {
#else
#define ALIGNED _Alignas(64)
#endif

extern const uint32_t ${name}_weights[$words];

ALIGNED const uint32_t ${name}_weights[$words] = {
$rows
};

#ifdef __cplusplus
}
#endif
"""

# ---- a training step

STEP_DECLARATIONS = """\
/* Return the addresses of all parameters, and of their gradients: ${upper}_PARAMETERS $plural each. A host may
 * change them. The addresses stay the same until ${name}_close. */
$type *${name}_parameters(struct $name *$net);
$type *${name}_gradients(struct $name *$net);

$saving
int32_t ${name}_save(struct $name *$net, const char *bin);

"""

STEP_ACCESS = """\
$type *${name}_parameters(struct $name *$net) { return $net ? $net->parameters : NULL; }

$type *${name}_gradients(struct $name *$net) { return $net ? $net->gradients : NULL; }
"""

STEP_READ = """\
/* Reads the file of weights, and checks that it belongs to this source. */
static int32_t read_weights(char *weights, const char *bin)
{
  FILE *file = fopen(bin, "rb");
  if (!file) return fail(THNN_ERR_VALUE, "${name}_open: bin: expected a file that can be read, got %s", bin);
  const size_t size = fread(weights, 1, ${upper}_WEIGHTS, file);
  const int isLonger = size == ${upper}_WEIGHTS && fgetc(file) != EOF;
  fclose(file);
  if (size != ${upper}_WEIGHTS || isLonger)
    return fail(THNN_ERR_VALUE, "${name}_open: bin: expected %lld bytes, got %s in %s", (long long)${upper}_WEIGHTS,
                isLonger ? "more" : "fewer", bin);
  const uint32_t *head = (const uint32_t *)weights; /* a number of this source, and the checksum of what follows */
  if (head[0] != $id)
    return fail(THNN_ERR_VALUE, "${name}_open: bin: expected the weights of $file.c, got other ones in %s", bin);
  if (head[1] != checksum(weights + 64, ${upper}_WEIGHTS - 64))
    return fail(THNN_ERR_VALUE, "${name}_open: bin: expected a file as ${name}_save writes it, got a damaged one in %s", bin);
  return THNN_OK;
}
"""

STEP_SAVE = """\
int32_t ${name}_save(struct $name *$net, const char *bin)
{
  if (!$net) return fail(THNN_ERR_NULL, "${name}_save: $net: expected an address, got NULL");
  if (!bin) return fail(THNN_ERR_NULL, "${name}_save: bin: expected the path of a file, got NULL");
  ((uint32_t *)$net->weights)[1] = checksum($net->weights + 64, ${upper}_WEIGHTS - 64);
  FILE *file = fopen(bin, "wb");
  if (!file) return fail(THNN_ERR_VALUE, "${name}_save: bin: expected a file that can be written, got %s", bin);
  const size_t size = fwrite($net->weights, 1, ${upper}_WEIGHTS, file);
  if (fclose(file) != 0 || size != ${upper}_WEIGHTS)
    return fail(THNN_ERR_VALUE, "${name}_save: bin: expected room for %lld bytes, got less in %s",
                (long long)${upper}_WEIGHTS, bin);
  return THNN_OK;
}
"""

STEP_STATE = """\
  if (status == THNN_OK) status = THNN_newProgramState(NULL, 0, &made->state); /* without constants: weights change */
  if (status == THNN_OK) status = THNN_setConvolution(made->state, $convolution);
  if (status == THNN_OK) status = THNN_setCacheBytes(made->state, 0); /* keeps no packed weights */
"""

STEP_PREPARE = """\
  if (status == THNN_OK) status = prepare(made);
"""

STEP_PREPARE_AND_DRAW = """\
  uint8_t generator[5048]; /* the first steps draw, and the generator goes on as if they had not */
  THByteTensor draws = {generator, {5048}, {1}, 1, 0};
  if (status == THNN_OK) status = THNN_getRNGState(NULL, &draws);
  if (status == THNN_OK) {
    status = prepare(made);
    const int32_t restored = THNN_setRNGState(NULL, &draws);
    if (status == THNN_OK) status = restored;
  }
"""

STEP_ZERO = """\
  for (int64_t i = 0; status == THNN_OK && i < ${upper}_PARAMETERS; i++) made->gradients[i] = 0;
"""
