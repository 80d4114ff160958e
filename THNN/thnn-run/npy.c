/* Arrays of NumPy: .npy files of versions 1 to 3, in row-major order. */
#include <ctype.h>
#include "thnn-run.h"

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER ">"
#else
#define ORDER "<"
#endif

const ElementType elementTypes[4] = {{ORDER "f4", 4}, {ORDER "f8", 8}, {ORDER "i8", 8}, {"|u1", 1}};

int64_t countElements(const THNNArray *array)
{
  int64_t n = 1;
  for (int32_t d = 0; d < array->nDimension; d++) n *= array->size[d];
  return n;
}

static void readSizes(THNNArray *array, const char *text, const char *path)
{
  array->nDimension = 0;
  for (const char *at = text; *at && *at != ')';) {
    if (!isdigit((unsigned char)*at)) {
      at++;
      continue;
    }
    char *end;
    const long long size = strtoll(at, &end, 10);
    if (array->nDimension == THNN_MAX_DIMS || size < 0 || size > INT32_MAX)
      fail("%s: expected at most %d dimensions of a 31-bit size, got others", path, THNN_MAX_DIMS);
    array->size[array->nDimension++] = size;
    at = end;
  }
  if (array->nDimension == 0) array->size[array->nDimension++] = 1;
}

void readNpy(THNNArray *array, FILE *file, const char *path)
{
  unsigned char head[4] = {0};
  char text[4096] = "";
  const size_t sizeBytes = fread(head, 1, 2, file) == 2 && head[0] == 1 ? 2 : 4; /* version 1 has a 16-bit length */
  unsigned char length[4] = {0};
  size_t n = fread(length, 1, sizeBytes, file) == sizeBytes
                 ? (size_t)length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24
                 : sizeof text;
  if (n >= sizeof text || fread(text, 1, n, file) != n) fail("%s: expected the header of a .npy file, got other bytes", path);
  const char *type = strstr(text, "'descr': '"), *shape = strstr(text, "'shape': (");
  if (!type || !shape || !strstr(text, "'fortran_order': False"))
    fail("%s: expected a .npy file in row-major order, got another one", path);
  array->type = -1;
  for (int32_t i = 0; i < 4; i++)
    if (strncmp(type + 10, elementTypes[i].name, 3) == 0) array->type = i;
  if (array->type < 0) fail("%s: expected numbers of float32, float64, int64 or uint8, got %.3s", path, type + 10);
  readSizes(array, shape + 10, path);
  size_t bytes = elementTypes[array->type].bytes;
  for (int32_t d = 0; d < array->nDimension; d++)
    if (__builtin_mul_overflow(bytes, (size_t)array->size[d], &bytes)) fail("%s: expected an array that fits into memory", path);
  array->data = allocate(bytes);
  if (fread(array->data, 1, bytes, file) != bytes) fail("%s: expected %zu bytes of numbers, got fewer", path, bytes);
}

void writeNpy(const THNNArray *array, const char *path)
{
  char shape[THNN_MAX_DIMS * 22 + 1] = "", text[512];
  size_t used = 0;
  for (int32_t d = 0; d < array->nDimension; d++)
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%" PRId64 ", ", array->size[d]);
  const int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                              elementTypes[array->type].name, shape);
  const int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
  memset(text + length, ' ', (size_t)(padded - length));
  text[padded - 1] = '\n';
  FILE *file = fopen(path, "wb");
  if (!file) fail("%s: cannot be written to", path);
  const unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(padded & 255), (unsigned char)(padded >> 8)};
  const size_t bytes = (size_t)countElements(array) * elementTypes[array->type].bytes;
  const int isWritten = fwrite(head, 1, 10, file) == 10 && fwrite(text, 1, (size_t)padded, file) == (size_t)padded &&
                        fwrite(array->data, 1, bytes, file) == bytes;
  if (fclose(file) != 0 || !isWritten) fail("%s: cannot be written whole", path);
}
