/* The places of a program that errors name. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "program/program.h"

const char *const THNN_typeNames[4] = {"float", "double", "long", "byte"};
const int64_t THNN_typeBytes[4] = {4, 8, 8, 1};

/* The name of the argument, from names that are separated by spaces. */
static void argumentName(char *text, size_t size, const Function *function, int32_t position)
{
  const char *name = function->arguments;
  for (int32_t i = 0; i < position && *name; i++) {
    name += strcspn(name, " ");
    name += *name == ' ';
  }
  const int length = (int)strcspn(name, " ");
  if (length) snprintf(text, size, " (%.*s)", length, name);
}

PlaceText THNN_placeText(int64_t list, int64_t call, const Function *function, int32_t position)
{
  PlaceText place = {""};
  const size_t size = sizeof place.text;
  char argument[80] = "";
  if (list < 0) snprintf(place.text, size, "bytes");
  else if (call < 0) snprintf(place.text, size, "list %" PRId64, list);
  else if (!function) snprintf(place.text, size, "list %" PRId64 ", call %" PRId64, list, call);
  else if (position < 0) snprintf(place.text, size, "list %" PRId64 ", call %" PRId64 " (%.160s)", list, call, function->name);
  else {
    argumentName(argument, sizeof argument, function, position);
    snprintf(place.text, size, "list %" PRId64 ", call %" PRId64 " (%.160s), argument %d%s", list, call, function->name,
             position, argument);
  }
  return place;
}

int32_t THNN_failAt(int32_t code, const char *function, const THNNProgram *program, const List *list, int64_t call,
                    int32_t position, const char *format, ...)
{
  char text[600];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const Function *called = call < 0 ? NULL : list->calls[call].function;
  return THNN_fail(code, function, THNN_placeText(list - program->lists, call, called, position).text, "%s", text);
}
