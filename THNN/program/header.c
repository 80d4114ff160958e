/* The header of a program (format.h). All that it says is checked before anything behind it is read. */
#include <inttypes.h>
#include "program/format.h"
#include "program/program.h"

int32_t THNN_readHeader(const char *function, const unsigned char *bytes, uint64_t size, Header *h)
{
  if (size < FORMAT_HEADER_BYTES || memcmp(bytes, THNN_PROGRAM_MAGIC, 8) != 0)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes", "expected a program, which begins with %s, got %" PRIu64 " other bytes",
                     THNN_PROGRAM_MAGIC, size);
  if ((uintptr_t)bytes % FORMAT_ALIGNMENT)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes", "expected an address that is a multiple of %d, got one that is %d beyond",
                     FORMAT_ALIGNMENT, (int)((uintptr_t)bytes % FORMAT_ALIGNMENT));
  h->version = (uint32_t)THNN_littleEndian(bytes + 8, 4);
  h->mark = (uint32_t)THNN_littleEndian(bytes + 12, 4);
  h->size = THNN_littleEndian(bytes + 16, 8);
  h->constants = THNN_littleEndian(bytes + 24, 8);
  h->constantsBytes = THNN_littleEndian(bytes + 32, 8);
  h->lists = (uint32_t)THNN_littleEndian(bytes + 40, 4);
  h->states = (uint32_t)THNN_littleEndian(bytes + 44, 4);
  h->notes = (uint32_t)THNN_littleEndian(bytes + 48, 4);
  h->checksum = (uint32_t)THNN_littleEndian(bytes + FORMAT_CHECKSUM, 4);
  if (h->mark != FORMAT_MARK)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes", "expected the mark 0x%08x, got 0x%08" PRIx32, FORMAT_MARK, h->mark);
  if (h->version != FORMAT_VERSION)
    return THNN_fail(THNN_ERR_VERSION, function, "bytes",
                     "expected version %d of programs, got %" PRIu32 "; compile the network with the package of this library",
                     FORMAT_VERSION, h->version);
  if (h->size != size)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes", "expected %" PRIu64 " bytes, as the program says, got %" PRIu64, h->size, size);
  if (h->constants < FORMAT_HEADER_BYTES || h->constants > size || h->constants % FORMAT_ALIGNMENT)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes", "expected constants at a multiple of %d from %d to %" PRIu64 ", got %" PRIu64,
                     FORMAT_ALIGNMENT, FORMAT_HEADER_BYTES, size, h->constants);
  if (h->constantsBytes > size - h->constants)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes",
                     "expected at most %" PRIu64 " bytes of constants behind their beginning, got %" PRIu64, size - h->constants,
                     h->constantsBytes);
  if (h->notes > h->constants - FORMAT_HEADER_BYTES)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes", "expected at most %" PRIu64 " bytes of notes before the constants, got %" PRIu32,
                     h->constants - FORMAT_HEADER_BYTES, h->notes);
  const uint64_t most = (h->constants - FORMAT_HEADER_BYTES - h->notes) / MIN_LIST_BYTES;
  if (h->lists < 1 || h->lists > most)
    return THNN_fail(THNN_ERR_VALUE, function, "bytes",
                     "expected 1 list or more, at most %" PRIu64 " in the bytes before the constants, got %" PRIu32, most, h->lists);
  return THNN_OK;
}

int32_t THNN_compareChecksum(const char *function, const unsigned char *bytes, uint64_t size, uint32_t expected)
{
  if (!expected) return THNN_OK;
  enum { END = FORMAT_CHECKSUM + 4 };
  const uint32_t found = THNN_checksum(THNN_checksum(0, bytes, FORMAT_CHECKSUM), bytes + END, (size_t)size - END);
  if (found == expected) return THNN_OK;
  return THNN_fail(THNN_ERR_VALUE, function, "bytes",
                   "expected the checksum 0x%08" PRIx32 ", got 0x%08" PRIx32 "; the bytes were damaged", expected, found);
}
