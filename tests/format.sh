#!/usr/bin/env bash
# Is all C and CUDA that people write in the form of .clang-format? `tests/format.sh -i` puts files into it.
set -euo pipefail
cd "$(dirname "$0")/.."
what=(--dry-run --Werror)
if [[ ${1:-} == -i ]]; then what=(-i); fi
find THNN THCUNN examples tests pytorch_legacy/extension \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  xargs -0 clang-format "${what[@]}"
