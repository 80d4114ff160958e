/* Notes of a program: labels of classes, and the preparation of pictures. */
#include "thnn-run.h"

const char *nextNote(Notes notes, const char **at, const char *key, size_t *length)
{
  const size_t keyLength = strlen(key);
  while (*at < notes.end) {
    const char *line = *at;
    const char *newline = memchr(line, '\n', (size_t)(notes.end - line));
    const char *lineEnd = newline ? newline : notes.end;
    *at = newline ? newline + 1 : notes.end;
    if ((size_t)(lineEnd - line) <= keyLength || memcmp(line, key, keyLength) != 0 || line[keyLength] != ' ') continue;
    *length = (size_t)(lineEnd - line) - keyLength - 1;
    return line + keyLength + 1;
  }
  return NULL;
}

int hasNote(Notes notes, const char *key, const char *value)
{
  size_t length;
  const char *at = notes.text, *found = nextNote(notes, &at, key, &length);
  return found && length == strlen(value) && memcmp(found, value, length) == 0;
}

int readNumbers(Notes notes, const char *key, double *numbers, int most)
{
  size_t length;
  char text[200];
  const char *at = notes.text, *found = nextNote(notes, &at, key, &length);
  if (!found || length >= sizeof text) return 0;
  memcpy(text, found, length);
  text[length] = 0;
  int n = 0;
  char *rest = text;
  while (n < most) {
    char *end;
    const double number = strtod(rest, &end);
    if (end == rest) break;
    rest = end;
    numbers[n++] = number;
  }
  return n;
}
