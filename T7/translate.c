/* From .t7 to pickle, for reading large graphs of small objects quickly.
 *
 * A .t7 file is a tree in depth-first order, and so is a pickle: this file writes the one as the other, and Python's
 * unpickler, which is C, makes the objects. The elements of storages stay where they are; the pickle holds their places.
 *
 * Only what is ordinary is translated: little-endian binary files with longs of eight bytes, without functions and a few
 * rare classes, and only if they are whole and sound. For all others t7_translate returns 0, and the reader in Python
 * does the work, or says what is wrong. So nothing here reports errors, but everything is checked: each read against the
 * bytes that are left, each reference, each tensor against its storage.
 *
 * The file is walked twice by the same code. The first walk checks, and finds out which tables are lists; the second
 * one, which cannot fail but for lack of memory, writes.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

/* What the caller puts at the start of the unpickler's memo, by number. */
enum { BUFFER, FROMBUFFER, EMPTY, NDARRAY, TENSOR_VIEW, AS_STORAGE, MAKE, CLOSE, IDENTITY_KEY, DECODE, TYPENAME, VERSION, HEADER, FIELDS, DTYPES };
enum { DTYPE_COUNT = 8, FIRST_NAME = DTYPES + DTYPE_COUNT, FIRST_OBJECT = 256 };

/* Kinds of classes, as in pytorch_legacy/t7/translate.py. OBJECT also stands for every class that is not listed. */
enum { OBJECT, PAIR, TENSOR, STORAGE, HASH, VECTOR, REFUSED, /* and for the stack alone: */ TABLE, ROOT };

typedef struct {
  const char *name;
  int32_t kind, dtype, itemsize;
} T7Class;

typedef struct {
  uint8_t kind, isList, inOrder, isOutside, wraps;
  int32_t index, dtype;
  int64_t done, wanted;
  int64_t table; /* its number; of tensors the size of an element */
  size_t geometry, begin; /* places in the file */
  size_t name, nameLength;
  int32_t version, dimensions;
} Frame;

typedef struct {
  uint8_t kind, hasView, isShared; /* kind + 1, so that 0 is unknown */
  int32_t dtype;
  int64_t elements;
} Known;

typedef struct {
  size_t offset;
  uint32_t length, slot;
} Text;

typedef struct {
  const uint8_t *data;
  size_t size, at;
  const T7Class *classes;
  int32_t classCount, hasFactory, isWriting, failed;
  Frame *stack;
  size_t depth, room;
  Known *known;
  size_t knownRoom;
  int32_t largest;
  uint8_t *lists;
  size_t tables, listRoom;
  Text *texts;
  size_t textCount, textRoom;
  uint32_t textSlot;
  uint8_t *out;
  size_t length, capacity;
} Walk;

static int grow(void **array, size_t *room, size_t wanted, size_t each) {
  if (wanted <= *room)
    return 1;
  size_t larger = *room ? *room * 2 : 256;
  while (larger < wanted)
    larger *= 2;
  void *moved = realloc(*array, larger * each);
  if (!moved)
    return 0;
  memset((char *)moved + *room * each, 0, (larger - *room) * each);
  *array = moved;
  *room = larger;
  return 1;
}

/* ---- reading */

static inline int int32(Walk *w, int32_t *value) {
  if (w->size - w->at < 4)
    return 0;
  memcpy(value, w->data + w->at, 4);
  w->at += 4;
  return 1;
}

static int64_t longAt(const Walk *w, size_t at) {
  int64_t value;
  memcpy(&value, w->data + at, 8);
  return value;
}

static int int64(Walk *w, int64_t *value) {
  if (w->size - w->at < 8)
    return 0;
  *value = longAt(w, w->at);
  w->at += 8;
  return 1;
}

static int string(Walk *w, size_t *offset, size_t *length) {
  int32_t count;
  if (!int32(w, &count) || count < 0 || w->size - w->at < (size_t)count)
    return 0;
  *offset = w->at;
  *length = (size_t)count;
  w->at += (size_t)count;
  return 1;
}

/* Is the number an int in Python? */
static int isInteger(double number) {
  return number == floor(number) && fabs(number) < 9007199254740992.0 && !(number == 0 && signbit(number));
}

/* ---- writing */

static inline void bytes(Walk *w, const void *content, size_t count) {
  if (!w->isWriting || w->failed)
    return;
  if (w->capacity - w->length < count) {
    size_t larger = w->capacity * 2 + count;
    uint8_t *moved = realloc(w->out, larger);
    if (!moved) {
      w->failed = 1;
      return;
    }
    w->out = moved;
    w->capacity = larger;
  }
  memcpy(w->out + w->length, content, count);
  w->length += count;
}

static inline void op(Walk *w, uint8_t code) { bytes(w, &code, 1); }

static inline void opWith(Walk *w, uint8_t code, uint32_t argument) {
  uint8_t content[5] = {code, (uint8_t)argument, (uint8_t)(argument >> 8), (uint8_t)(argument >> 16), (uint8_t)(argument >> 24)};
  bytes(w, content, 5);
}

static inline void get(Walk *w, uint32_t slot) {
  if (slot < 256) {
    uint8_t content[2] = {'h', (uint8_t)slot};
    bytes(w, content, 2);
  } else
    opWith(w, 'j', slot);
}

static inline void put(Walk *w, uint32_t slot) { opWith(w, 'r', slot); }

static void integer(Walk *w, int64_t value) {
  if (value >= 0 && value < 256) {
    uint8_t content[2] = {'K', (uint8_t)value};
    bytes(w, content, 2);
  } else if (value >= INT32_MIN && value <= INT32_MAX)
    opWith(w, 'J', (uint32_t)(int32_t)value);
  else {
    uint8_t content[10] = {0x8a, 8};
    for (int i = 0; i < 8; ++i)
      content[2 + i] = (uint8_t)((uint64_t)value >> 8 * i);
    bytes(w, content, 10);
  }
}

static void number(Walk *w, double value) {
  if (isInteger(value)) {
    integer(w, (int64_t)value);
    return;
  }
  uint64_t bits;
  memcpy(&bits, &value, 8);
  uint8_t content[9] = {'G'};
  for (int i = 0; i < 8; ++i)
    content[1 + i] = (uint8_t)(bits >> 8 * (7 - i));
  bytes(w, content, 9);
}

static void tuple(Walk *w, size_t longs, int32_t count, int64_t factor, size_t sizes) {
  op(w, '(');
  for (int32_t i = 0; i < count; ++i) {
    int64_t value = longAt(w, longs + 8 * (size_t)i);
    /* The stride of a dimension of size 1 leads nowhere and may be any number. */
    if (factor && longAt(w, sizes + 8 * (size_t)i) <= 1 && value > (int64_t)1 << 48)
      value = (int64_t)1 << 48;
    integer(w, factor ? value * factor : value);
  }
  op(w, 't');
}

static uint32_t slotOf(int32_t index) { return FIRST_OBJECT + 2 * (uint32_t)index; }

/* Objects that come up again have a slot; others would only fill the memo. */
static inline void remember(Walk *w, int32_t index) {
  if (w->known[index].isShared)
    put(w, slotOf(index));
}

/* A string. Names, of fields and classes, are made once each. */
static void text(Walk *w, size_t offset, size_t length, int isName) {
  if (!w->isWriting || w->failed)
    return;
  const uint8_t *content = w->data + offset;
  uint64_t hash = 1469598103934665603u;
  int isAscii = 1;
  for (size_t i = 0; i < length; ++i) {
    hash = (hash ^ content[i]) * 1099511628211u;
    isAscii &= content[i] < 128;
  }
  size_t place = 0;
  isName &= length <= 64;
  if (isName) {
    if (2 * (w->textCount + 1) > w->textRoom) {
      /* Known strings are forgotten: repeated ones come again soon. */
      if (w->textRoom < ((size_t)1 << 20)) {
        size_t room = w->textRoom ? w->textRoom * 4 : 1024;
        free(w->texts);
        w->texts = calloc(room, sizeof(Text));
        w->textRoom = w->texts ? room : 0;
        if (!w->texts) {
          w->failed = 1;
          return;
        }
      } else
        memset(w->texts, 0, w->textRoom * sizeof(Text));
      w->textCount = 0;
    }
    for (place = hash & (w->textRoom - 1); w->texts[place].slot; place = (place + 1) & (w->textRoom - 1)) {
      const Text *known = &w->texts[place];
      if (known->length == length && !memcmp(w->data + known->offset, content, length)) {
        get(w, known->slot);
        return;
      }
    }
  }
  if (!isAscii)
    get(w, DECODE);
  if (isAscii && length < 256) {
    uint8_t head[2] = {0x8c, (uint8_t)length};
    bytes(w, head, 2);
  } else
    opWith(w, isAscii ? 'X' : 'B', (uint32_t)length);
  bytes(w, content, length);
  if (!isAscii)
    bytes(w, "\x85R", 2);
  if (isName) {
    w->texts[place] = (Text){offset, (uint32_t)length, w->textSlot};
    ++w->textCount;
    put(w, w->textSlot);
    /* The first ones are short to write. */
    w->textSlot = w->textSlot + 1 == FIRST_OBJECT ? slotOf(w->largest + 1) : w->textSlot + 1;
  }
}

/* ---- walking */

static Frame *push(Walk *w, int kind, int64_t wanted) {
  if (!grow((void **)&w->stack, &w->room, w->depth + 1, sizeof(Frame)))
    return NULL;
  Frame *f = &w->stack[w->depth++];
  memset(f, 0, sizeof *f);
  f->kind = (uint8_t)kind;
  f->wanted = wanted;
  f->inOrder = 1;
  return f;
}

static int classOf(const Walk *w, size_t name, size_t length) {
  for (int32_t i = 0; i < w->classCount; ++i)
    if (!memcmp(w->classes[i].name, w->data + name, length < 2 ? 0 : 2) && strlen(w->classes[i].name) == length &&
        !memcmp(w->classes[i].name, w->data + name, length))
      return i;
  return -1;
}

/* "V 1" is a version: at most nine digits, perhaps with a sign. */
static int isVersion(const Walk *w, size_t offset, size_t length, int32_t *version) {
  const uint8_t *content = w->data + offset;
  if (length < 3 || content[0] != 'V' || content[1] != ' ')
    return 0;
  size_t i = 2 + (content[2] == '-');
  if (i == length || length - i > 9)
    return 0;
  int32_t value = 0;
  for (size_t k = i; k < length; ++k) {
    if (content[k] < '0' || content[k] > '9')
      return 0;
    value = value * 10 + (content[k] - '0');
  }
  *version = i == 3 ? -value : value;
  return 1;
}

/* How many groups of objects follow? The file must have room for them. */
static int hasRoom(const Walk *w, int64_t count, int64_t objects) {
  return count >= 0 && (uint64_t)count <= (w->size - w->at) / (size_t)(4 * objects);
}

static int multiplied(int64_t a, int64_t b, int64_t *result) { return !__builtin_mul_overflow(a, b, result); }

/* Does every element of the tensor lie in its storage? `elements` is -1 if it has none. */
static int fits(const Walk *w, const Frame *f, int64_t elements, int64_t itemsize) {
  int64_t count = 1, last = longAt(w, f->geometry + 16 * (size_t)f->dimensions);
  int isEmpty = f->dimensions == 0;
  if (last-- < 1)
    return 0;
  for (int32_t i = 0; i < f->dimensions; ++i) {
    int64_t extent = longAt(w, f->geometry + 8 * (size_t)i);
    int64_t step = longAt(w, f->geometry + 8 * (size_t)(f->dimensions + i)), reach;
    if (extent < 0 || step < 0 || !multiplied(count, extent, &count))
      return 0;
    isEmpty |= extent == 0;
    if (extent && (!multiplied(extent - 1, step, &reach) || __builtin_add_overflow(last, reach, &last)))
      return 0;
    /* In bytes, as the array will have it. */
    if (extent > 1 && !multiplied(step, itemsize, &reach))
      return 0;
  }
  return isEmpty || (last < elements && multiplied(count, itemsize, &count));
}

static int hasElements(const Walk *w, const Frame *f) {
  for (int32_t i = 0; i < f->dimensions; ++i)
    if (longAt(w, f->geometry + 8 * (size_t)i) == 0)
      return 0;
  return f->dimensions > 0;
}

/* The elements of a storage as an array, in its slot. */
static void storage(Walk *w, const Known *k, int32_t index, size_t at) {
  get(w, k->elements ? FROMBUFFER : EMPTY);
  op(w, '(');
  if (k->elements)
    get(w, BUFFER);
  else
    integer(w, 0);
  get(w, DTYPES + (uint32_t)k->dtype);
  if (k->elements) {
    integer(w, k->elements);
    integer(w, (int64_t)at);
  }
  bytes(w, "tR", 2);
  remember(w, index);
}

/* A storage in the place of a value; its array is on the stack of the unpickler if it is new. */
static void storageView(Walk *w, Known *k, int32_t index, int isNew, size_t at) {
  if (k->hasView) {
    get(w, slotOf(index) + 1);
    return;
  }
  get(w, AS_STORAGE);
  if (isNew)
    storage(w, k, index, at);
  else
    get(w, slotOf(index));
  bytes(w, "\x85R", 2);
  if (k->isShared)
    put(w, slotOf(index) + 1);
  k->hasView = 1;
}

static int isWrapped(int kind) { return kind != OBJECT && kind != PAIR; }

/* Opens the body of a Torch object; one with an index that is new. */
static int openObject(Walk *w, int32_t index, int asKey, int underTensor, size_t begin) {
  size_t name, length;
  int32_t version = 0;
  if (!string(w, &name, &length))
    return 0;
  if (isVersion(w, name, length, &version) && !string(w, &name, &length))
    return 0;
  int found = classOf(w, name, length);
  int kind = found < 0 ? OBJECT : w->classes[found].kind;
  int32_t dtype = found < 0 ? 0 : w->classes[found].dtype;
  if (kind == REFUSED || (underTensor && kind != STORAGE))
    return 0;
  Known *k = &w->known[index];
  *k = (Known){(uint8_t)(kind + 1), 0, k->isShared, dtype, 0};
  if (asKey && isWrapped(kind))
    get(w, IDENTITY_KEY);

  if (kind == STORAGE) {
    int64_t count;
    size_t itemsize = (size_t)w->classes[found].itemsize;
    if (!int64(w, &count) || count < 0 || (uint64_t)count > (w->size - w->at) / itemsize)
      return 0;
    k->elements = count;
    if (underTensor)
      storage(w, k, index, w->at);
    else
      storageView(w, k, index, 1, w->at);
    w->at += (size_t)count * itemsize;
    if (asKey)
      bytes(w, "\x85R", 2);
    return 1;
  }
  static const uint8_t noTensor[16] = {[4] = 1}; /* no dimensions, the offset 1, no storage */
  if (kind == TENSOR && w->size - w->at >= 16 && !memcmp(w->data + w->at, noTensor, 16)) {
    w->at += 16;
    get(w, EMPTY);
    integer(w, 0);
    get(w, DTYPES + (uint32_t)dtype);
    bytes(w, "\x86R", 2);
    remember(w, index);
    if (asKey)
      bytes(w, "\x85R", 2);
    return 1;
  }
  Frame *f = push(w, kind, kind == PAIR ? 2 : 1);
  if (!f)
    return 0;
  f->index = index;
  f->dtype = dtype;
  f->begin = begin;
  f->wraps = (uint8_t)(asKey && isWrapped(kind));
  f->name = name;
  f->nameLength = length;
  f->version = version;
  if (kind == TENSOR) {
    if (!int32(w, &f->dimensions) || f->dimensions < 0 || f->dimensions > 32 ||
        w->size - w->at < 16 * (size_t)f->dimensions + 8)
      return 0;
    f->geometry = w->at;
    f->table = w->classes[found].itemsize;
    w->at += 16 * (size_t)f->dimensions + 8;
    f->inOrder = (uint8_t)hasElements(w, f);
    get(w, f->inOrder ? NDARRAY : TENSOR_VIEW);
    op(w, '(');
    if (f->inOrder) {
      tuple(w, f->geometry, f->dimensions, 0, 0);
      get(w, DTYPES + (uint32_t)dtype);
    }
    return 1;
  }
  if (kind == HASH || kind == VECTOR) {
    int64_t count;
    if (!int64(w, &count) || !hasRoom(w, count, kind == HASH ? 2 : 1))
      return 0;
    f->wanted = kind == HASH ? 2 * count : count;
    op(w, kind == HASH ? '}' : ']');
    remember(w, index);
    op(w, '(');
    return 1;
  }
  if (w->hasFactory) {
    get(w, MAKE);
    text(w, name, length, 1);
    integer(w, version);
    bytes(w, "\x86R", 2);
    put(w, slotOf(index));
    get(w, CLOSE);
    op(w, '(');
    get(w, slotOf(index));
    text(w, name, length, 1);
    integer(w, version);
    integer(w, (int64_t)begin);
  } else {
    get(w, MAKE);
    bytes(w, ")\x81", 2);
    remember(w, index);
    bytes(w, "N}(", 3);
    get(w, TYPENAME);
    text(w, name, length, 1);
    get(w, VERSION);
    integer(w, version);
    if (kind == OBJECT) {
      get(w, HEADER);
      op(w, 'N');
    }
  }
  return 1;
}

static int openTable(Walk *w, int32_t index, int asKey) {
  int32_t count;
  if (!int32(w, &count) || !hasRoom(w, count, 2))
    return 0;
  w->known[index].kind = TABLE + 1;
  Frame *f = push(w, TABLE, 2 * (int64_t)count);
  if (!f || !grow((void **)&w->lists, &w->listRoom, w->tables + 1, 1))
    return 0;
  f->index = index;
  f->table = (int64_t)w->tables;
  f->isList = w->lists[w->tables++];
  f->wraps = (uint8_t)asKey;
  if (asKey)
    get(w, IDENTITY_KEY);
  op(w, f->isList ? ']' : '}');
  remember(w, index);
  op(w, '(');
  return 1;
}

/* The frame on top has all its objects. */
static int close(Walk *w) {
  Frame *f = &w->stack[w->depth - 1];
  switch (f->kind) {
  case TABLE:
    if (!w->isWriting) {
      if (f->wanted && !f->inOrder && !f->isOutside)
        return 0; /* a list in another order, perhaps */
      w->lists[f->table] = f->wanted && f->inOrder;
    }
    op(w, f->isList ? 'e' : 'u');
    break;
  case HASH:
    op(w, 'u');
    break;
  case VECTOR:
    op(w, 'e');
    break;
  case TENSOR: {
    int64_t itemsize = f->table, offset;
    if (!fits(w, f, f->done, itemsize))
      return 0;
    offset = longAt(w, f->geometry + 16 * (size_t)f->dimensions) - 1;
    if (f->inOrder) {
      integer(w, offset * itemsize);
      tuple(w, f->geometry + 8 * (size_t)f->dimensions, f->dimensions, itemsize, f->geometry);
    } else {
      get(w, DTYPES + (uint32_t)f->dtype);
      integer(w, offset);
      tuple(w, f->geometry, f->dimensions, 0, 0);
      tuple(w, f->geometry + 8 * (size_t)f->dimensions, f->dimensions, 0, 0);
    }
    bytes(w, "tR", 2);
    remember(w, f->index);
    break;
  }
  default:
    if (w->hasFactory)
      bytes(w, "tR0", 3);
    else
      bytes(w, "u\x86" "b", 3);
  }
  if (f->wraps)
    bytes(w, "\x85R", 2);
  --w->depth;
  return 1;
}

static int walk(Walk *w) {
  w->at = w->depth = w->tables = 0;
  w->largest = 0;
  for (size_t i = 0; i < w->knownRoom; ++i)
    w->known[i].kind = w->known[i].hasView = 0;
  if (!push(w, ROOT, 1))
    return 0;
  while (!w->failed) {
    Frame *f = &w->stack[w->depth - 1];
    int isTensor = f->kind == TENSOR;
    /* A tensor has one object; `done` holds the number of elements in its storage, plus one. */
    if (isTensor ? f->isOutside : f->done == f->wanted) {
      if (f->kind == ROOT)
        break;
      if (!close(w))
        return 0;
      continue;
    }
    int pairs = f->kind == TABLE || f->kind == HASH;
    int isKey = pairs && f->done % 2 == 0;
    int isObject = f->kind == OBJECT || f->kind == PAIR;
    if (isObject && !w->hasFactory)
      get(w, f->kind == PAIR && f->done == 0 ? HEADER : FIELDS);
    int64_t place = f->done++;
    size_t begin = w->at;
    int32_t tag;
    if (!int32(w, &tag))
      return 0;
    if (isTensor) {
      f->isOutside = 1;
      f->done = -1;
      if (tag != 0 && tag != 4)
        return 0;
    }
    if (isKey && tag != 1)
      f->inOrder = 0, f->isOutside = 1;
    if (tag == 1) {
      double value;
      if (w->size - w->at < 8)
        return 0;
      memcpy(&value, w->data + w->at, 8);
      w->at += 8;
      if (isKey) {
        if (value != value)
          return 0;
        if (!isInteger(value) || value < 1 || value > (double)(f->wanted / 2))
          f->isOutside = 1;
        if (!isInteger(value) || value != (double)(place / 2 + 1))
          f->inOrder = 0;
      }
      if (!(isKey && f->isList))
        number(w, value);
    } else if (tag == 2) {
      size_t offset, length;
      if (!string(w, &offset, &length))
        return 0;
      text(w, offset, length, isKey);
    } else if (tag == 5) {
      int32_t flag;
      if (isKey || !int32(w, &flag) || (flag != 0 && flag != 1))
        return 0;
      op(w, flag ? 0x88 : 0x89);
    } else if (tag == 0) {
      if (isKey)
        return 0;
      op(w, 'N');
    } else if (tag == 3 || tag == 4) {
      int32_t index;
      if (!int32(w, &index) || index < 1 || index > 1 << 29 || index > w->largest + 1)
        return 0; /* Torch7 counts without gaps */
      if (!grow((void **)&w->known, &w->knownRoom, (size_t)index + 1, sizeof(Known)))
        return 0;
      if (index > w->largest)
        w->largest = index;
      Known *k = &w->known[index];
      if (k->kind) {
        int kind = k->kind - 1;
        k->isShared = 1;
        if ((kind == TABLE) != (tag == 3))
          return 0;
        if (isTensor && kind != STORAGE)
          return 0;
        int wraps = isKey && isWrapped(kind);
        if (wraps)
          get(w, IDENTITY_KEY);
        if (kind == STORAGE && !isTensor)
          storageView(w, k, index, 0, 0);
        else
          get(w, slotOf(index));
        if (wraps)
          bytes(w, "\x85R", 2);
      } else if (!(tag == 3 ? openTable(w, index, isKey) : openObject(w, index, isKey, isTensor, begin)))
        return 0;
      if (isTensor) { /* nothing was pushed: the frame is the same */
        if (k->dtype != f->dtype)
          return 0;
        f->done = k->elements;
      }
    } else
      return 0;
  }
  /* torch.serialize leaves a NUL behind the object. */
  return !w->failed && (w->at == w->size || (w->at + 1 == w->size && !w->data[w->at]));
}

/* Translates the file. Returns 1 and the pickle, to be freed with t7_free, or 0.
 *
 * `classes` are those that are no ordinary objects. With a factory, MAKE gets name and version of an object, and CLOSE the
 * object, name, version, its place in the file, and the objects of its body; without one, MAKE is the class of all objects,
 * whose attributes are set by the unpickler.
 */
EXPORT int t7_translate(const uint8_t *data, size_t size, const T7Class *classes, int classCount, int hasFactory,
                        uint8_t **out, size_t *length) {
  Walk w = {.data = data, .size = size, .classes = classes, .classCount = classCount, .hasFactory = hasFactory};
  int isDone = walk(&w);
  if (isDone) {
    w.isWriting = 1;
    w.textSlot = FIRST_NAME;
    bytes(&w, "\x80\x04\x95\0\0\0\0\0\0\0\0", 11);
    for (uint32_t i = 0; i < FIRST_NAME; ++i) {
      integer(&w, i);
      op(&w, 'Q');
      put(&w, i);
      op(&w, '0');
    }
    isDone = walk(&w);
    op(&w, '.');
    isDone &= !w.failed;
  }
  free(w.stack);
  free(w.known);
  free(w.lists);
  free(w.texts);
  if (!isDone) {
    free(w.out);
    return 0;
  }
  uint64_t frame = w.length - 11;
  for (int i = 0; i < 8; ++i)
    w.out[3 + i] = (uint8_t)(frame >> 8 * i);
  *out = w.out;
  *length = w.length;
  return 1;
}

EXPORT void t7_free(uint8_t *pickle) { free(pickle); }
