/* The best classes of a classifier, as pytorch-legacy run prints them. */
#include <math.h>
#include "thnn-run.h"

static double element(const THNNArray *array, int64_t i)
{
  if (array->type == THNN_FLOAT) return ((float *)array->data)[i];
  if (array->type == THNN_DOUBLE) return ((double *)array->data)[i];
  return array->type == THNN_LONG ? (double)((int64_t *)array->data)[i] : ((unsigned char *)array->data)[i];
}

int hasScores(const THNNArray *array)
{
  const int32_t n = array->nDimension;
  return (n <= 2 || (array->size[n - 1] == 1 && array->size[n - 2] == 1)) && countElements(array) > 1;
}

/* Bytes of UTF-8 that fill `width` columns with spaces behind them. Control characters, also those that begin with 0xc2, are printed
 * as ?. */
static void printText(const char *text, size_t length, int width)
{
  for (size_t i = 0; i < length; i++) {
    const unsigned char *c = (const unsigned char *)text + i;
    const int isPair = *c == 0xc2 && i + 1 < length && c[1] >= 0x80 && c[1] < 0xa0;
    putchar(isPair || *c < ' ' || *c == 0x7f ? '?' : *c);
    i += (size_t)isPair;
    width -= isPair || (*c & 0xc0) != 0x80; /* other bytes of a character take no column */
  }
  for (; width > 0; width--) putchar(' ');
}

static void printLabel(Notes notes, int64_t class)
{
  size_t length = 0;
  const char *at = notes.text, *label = NULL;
  for (int64_t i = 0; i <= class; i++)
    if (!(label = nextNote(notes, &at, "label", &length))) break;
  char text[64];
  if (!label) length = (size_t)snprintf(text, sizeof text, "class %" PRId64, class);
  fputs("  ", stdout);
  printText(label ? label : text, length, 12);
  putchar(' ');
}

/* The best classes of a sample, whose scores are n elements from `first` on. */
static void printClasses(const THNNArray *output, int64_t first, int64_t n, Notes notes, int64_t top)
{
  const int isLogarithm = hasNote(notes, "scores", "logarithms"), isShare = isLogarithm || hasNote(notes, "scores", "shares");
  char *isPrinted = allocate((size_t)n);
  memset(isPrinted, 0, (size_t)n);
  for (int64_t rank = 0; rank < top && rank < n; rank++) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
      if (!isPrinted[i] &&
          (best < 0 || element(output, first + i) > element(output, first + best) || isnan(element(output, first + best)))) best = i;
    isPrinted[best] = 1;
    const double score = isLogarithm ? exp(element(output, first + best)) : element(output, first + best);
    printLabel(notes, best);
    if (isShare) printf("%6.2f %%\n", 100 * score);
    else printf("%10.5f\n", score);
  }
  free(isPrinted);
}

void printScores(const THNNArray *output, Notes notes, int64_t top)
{
  enum { MAX_PRINTED = 100 };
  const int32_t rank = output->nDimension;
  const int64_t samples = rank == 1 || rank == 3 ? 1 : output->size[0], n = countElements(output) / samples;
  for (int64_t i = 0; i < samples && i < MAX_PRINTED; i++) printClasses(output, i * n, n, notes, samples == 1 ? top : 1);
  if (samples > MAX_PRINTED) printf("  ... and %" PRId64 " more\n", samples - MAX_PRINTED);
}
