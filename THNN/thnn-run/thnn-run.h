/* The parts of thnn-run, which a file each has: notes, pictures, arrays of NumPy, and classes. */
#ifndef THNN_RUN_H
#define THNN_RUN_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "THNN.h"

/* Prints "thnn-run: " and a text, and ends the process. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Memory of so many bytes, 1 at least; without it the process ends. */
void *allocate(size_t bytes);

typedef struct ElementType {
  const char *name; /* as .npy names it on this processor */
  size_t bytes;
} ElementType;
extern const ElementType elementTypes[4]; /* by THNNType */

int64_t countElements(const THNNArray *array);

/* The notes of a program: lines "key value". */
typedef struct Notes {
  const char *text, *end;
} Notes;

/* The value of the next line with this key from `*at` on, and its length; NULL if there is none. */
const char *nextNote(Notes notes, const char **at, const char *key, size_t *length);
int hasNote(Notes notes, const char *key, const char *value);
/* Reads up to `most` numbers of a line, and returns how many there are. */
int readNumbers(Notes notes, const char *key, double *numbers, int most);

/* Reads a .pgm or .ppm file behind its first two bytes, and prepares the picture as the notes say. `array` has the sizes that one list
 * of the program takes; height and width become the picture's. */
void readPicture(THNNArray *array, FILE *file, const char *path, int channels, Notes notes);

/* Reads a .npy file behind its first six bytes. */
void readNpy(THNNArray *array, FILE *file, const char *path);
void writeNpy(const THNNArray *array, const char *path);

/* True if the output has a score for each class, of one sample or several. */
int hasScores(const THNNArray *output);
/* Prints the best classes: some of one sample, one of each of several. */
void printScores(const THNNArray *output, Notes notes, int64_t top);

#endif
