#!/usr/bin/env bash
# Builds libTHNN with sanitizers, and runs C hosts and the layer tests on it.
#
#   tests/sanitize/run.sh            both jobs
#   tests/sanitize/run.sh address    AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer
#   tests/sanitize/run.sh thread     ThreadSanitizer
#
# Needs gcc, CMake, Ninja, and a Python in which the package and its extra "test" are installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p build
build=$PWD/$(mktemp -d build/sanitized.XXXXXX)
fuzzer=
trap 'if [[ $fuzzer ]]; then kill "$fuzzer" 2>/dev/null || true; fi; rm -rf "$build"' EXIT

runtime() { gcc -print-file-name="lib$1.so"; }

quietly() { "$@" >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }; }

# build_all <sanitizers> <options of CMake>...: library and hosts, in $out
build_all() {
  quietly cmake -S . -B "$out" -G Ninja -DTHNN_SANITIZE="$1" -DCMAKE_C_COMPILER=gcc "${@:2}"
  quietly cmake --build "$out"
  for host in examples/embed/embed tests/hosts/threads tests/sanitize/canary tests/program/fuzz_program; do
    gcc -std=gnu11 -g -O1 -Wall -Wextra -fsanitize="$1" -fno-sanitize-recover=all -fno-omit-frame-pointer -ITHNN "$host.c" \
      -L"$out/THNN" -lTHNN -Wl,-rpath,"$out/THNN" -pthread -lm -o "$out/$(basename "$host")"
  done
}

# must_be_caught <crime> <words of the report> <command...>: the canary must die, and say of what
must_be_caught() {
  local crime=$1 words=$2
  shift 2
  if "$@" "$crime" >"$build/log" 2>&1 || ! grep -q "$words" "$build/log"; then
    cat "$build/log"
    echo "canary: the sanitizer did not catch: $crime"
    exit 1
  fi
  echo "canary: $crime is caught"
}

address() {
  echo "== AddressSanitizer, LeakSanitizer, UndefinedBehaviorSanitizer"
  local out=$build/address
  build_all address,undefined
  export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
  must_be_caught overflow "heap-buffer-overflow" "$out/canary"
  must_be_caught leak "LeakSanitizer" "$out/canary"
  "$out/embed"
  "$out/threads"
  python -m tests.program.seeds "$out/seeds"
  (cd "$out" && exec ./fuzz_program 60 1 seeds/*) >"$build/fuzzed" 2>&1 & # beside the tests
  fuzzer=$!
  # A report goes to the log, and ends thnn-run with a status that the tests refuse.
  ASAN_OPTIONS=$ASAN_OPTIONS:exitcode=99:log_path=$build/log:allocator_may_return_null=1 \
    PYTORCH_LEGACY_THNN_RUN="$out/THNN/thnn-run" PYTORCH_LEGACY_MUTANTS=100 \
    python -m pytest -q -p no:cacheprovider tests/program/test_commands.py -k "refuses or wrong or damaged or arrays or best_classes or terminal or many_sizes" || { cat "$build"/log.*; exit 1; }
  # Python itself leaks. Tests ask for impossible amounts of memory. libstdc++ must be there before the first exception of
  # a module written in C++. One element type will do: the larger one, for which memory may be too small. What repeats the calls of
  # other tests is left out.
  env LD_PRELOAD="$(runtime asan) $(runtime stdc++)" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
    PYTORCH_LEGACY_THNN="$out/THNN/libTHNN.so" \
    python -m pytest -n auto -p no:cacheprovider --capture=sys tests/test_layer*.py tests/test_null_arguments.py tests/core \
    tests/program/test_runtime.py \
    tests/nn/test_pooling_averages.py tests/nn/test_pooling_maxima.py tests/nn/test_pooling_streams.py --dtype float64 \
    -k "not (test_fuzz and Float) and not test_grad and not test_directions and not test_nan_arrives and not test_large \
    and not test_missing_and_masked and not test_own_results_and_copies and not test_accumulate \
    and not test_vmath and not hold_nothing and not test_every_function"
  await_fuzzer
}

# await_fuzzer: fails if the fuzzer of programs did, and prints its mutant: the folder may be gone when somebody reads this
await_fuzzer() {
  local status=0 mutant
  wait "$fuzzer" || status=$?
  fuzzer=
  echo "== programs whose bytes are changed at random"
  cat "$build/fuzzed"
  for mutant in "$out"/mutant-*; do
    [[ -e $mutant ]] || continue
    mkdir -p build/mutants && cp "$mutant" build/mutants
    echo "build/mutants/$(basename "$mutant"), by base64 -d | gzip -d:"
    gzip -c "$mutant" | base64
  done
  return "$status"
}

thread() {
  echo "== ThreadSanitizer"
  local out=$build/thread
  build_all thread -DTHNN_PORTABLE=ON # who shares what with whom is the same on every processor
  # Some kernels lay out memory so that ThreadSanitizer does not start; a fixed layout helps.
  local fixed=""
  env LD_PRELOAD="$(runtime tsan)" true 2>/dev/null || fixed="setarch --addr-no-randomize"
  # NumPy brings an OpenBLAS of its own, whose threads no sanitizer watches: it works alone.
  export TSAN_OPTIONS=halt_on_error=1 OMP_NUM_THREADS=4 OPENBLAS_NUM_THREADS=1
  must_be_caught race "data race" $fixed "$out/canary"
  $fixed "$out/threads"
  $fixed env LD_PRELOAD="$(runtime tsan)" PYTORCH_LEGACY_THNN="$out/THNN/libTHNN.so" \
    python -m pytest -n auto -p no:cacheprovider --capture=sys tests/test_layer*.py tests/program/test_runtime.py --dtype float32 \
    -k "test_threads or test_clone or test_second_thread"
}

case ${1:-all} in
  address) address ;;
  thread) thread ;;
  all) address; thread ;;
  *) echo "usage: tests/sanitize/run.sh [address|thread]"; exit 2 ;;
esac
