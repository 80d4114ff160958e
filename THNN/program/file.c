/* The bytes of a file, mapped, and the checksum of a program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "program/program.h"

static int32_t refuse(const char *function, const char *path, const char *what)
{
  return THNN_fail(THNN_ERR_VALUE, function, "path", "expected a file with bytes, got %.400s: %s", path, what);
}

static int32_t mapOpened(const char *function, const char *path, int descriptor, FileBytes *file)
{
  struct stat found;
  if (fstat(descriptor, &found) != 0) return refuse(function, path, strerror(errno));
  if (!S_ISREG(found.st_mode)) return refuse(function, path, "not a regular file");
  if (found.st_size <= 0) return refuse(function, path, "an empty file");
  if ((uint64_t)found.st_size > SIZE_MAX / 2) return refuse(function, path, "a file that is larger than the address space");
  void *bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (bytes == MAP_FAILED) return refuse(function, path, strerror(errno));
  *file = (FileBytes){bytes, (uint64_t)found.st_size};
  return THNN_OK;
}

int32_t THNN_mapPath(const char *function, const char *path, FileBytes *file)
{
  if (!path) return THNN_fail(THNN_ERR_NULL, function, "path", "expected the path of a file, got NULL");
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe does not block */
  if (descriptor < 0) return refuse(function, path, strerror(errno));
  const int32_t status = mapOpened(function, path, descriptor, file);
  close(descriptor);
  return status;
}

int32_t THNN_mapFile(const char *path, const void **bytes, uint64_t *size)
{
  if (!bytes) return THNN_fail(THNN_ERR_NULL, __func__, "bytes", "expected a place for the address, got NULL");
  if (!size) return THNN_fail(THNN_ERR_NULL, __func__, "size", "expected a place for the number, got NULL");
  THNN_IN_DEFAULT_ENVIRONMENT;
  FileBytes file = {NULL, 0};
  THNN_TRY(THNN_mapPath(__func__, path, &file));
  *bytes = file.bytes;
  *size = file.size;
  return THNN_OK;
}

int32_t THNN_unmapFile(const void *bytes, uint64_t size)
{
  THNN_IN_DEFAULT_ENVIRONMENT;
  if (bytes && munmap((void *)bytes, (size_t)size) != 0)
    return THNN_fail(THNN_ERR_VALUE, __func__, "bytes", "expected memory that THNN_mapFile has mapped, got other memory");
  return THNN_OK;
}

int32_t THNN_releasePages(const void *bytes, uint64_t size)
{
  if (!bytes) return THNN_fail(THNN_ERR_NULL, __func__, "bytes", "expected an address, got NULL");
  THNN_IN_DEFAULT_ENVIRONMENT;
#ifdef MADV_DONTNEED
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)bytes;
  const uintptr_t first = (at + page - 1) / page * page, end = (at + (uintptr_t)size) / page * page;
  if (first < end) madvise((void *)first, end - first, MADV_DONTNEED);
#else
  (void)bytes, (void)size;
#endif
  return THNN_OK;
}

/* ---- CRC-32 (polynomial 0x04C11DB7, reflected), as zlib and PNG have it. A table for each of eight bytes takes them in at once. */

enum { AT_ONCE = 8 };

static void fillTables(uint32_t table[AT_ONCE][256])
{
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    table[0][byte] = crc;
  }
  for (int k = 1; k < AT_ONCE; k++)
    for (uint32_t byte = 0; byte < 256; byte++) table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

uint32_t THNN_checksum(uint32_t before, const unsigned char *bytes, size_t size)
{
  uint32_t table[AT_ONCE][256], crc = ~before;
  fillTables(table);
  for (; size >= AT_ONCE; size -= AT_ONCE, bytes += AT_ONCE) {
    const uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
    crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^ table[3][bytes[4]] ^
          table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
  }
  for (; size; size--, bytes++) crc = crc >> 8 ^ table[0][(crc ^ *bytes) & 255];
  return ~crc;
}
