/**
 * Memoizes by the last value alone, for callers that share a value and come one right after the other. A WeakMap would keep
 * each value, and all of its request, alive until the collector gets to the old generation.
 */
export function memoizeLast<Value extends object, Result>(
  compute: (value: Value) => Result,
): (value: Value) => Result {
  let last: { readonly value: Value; readonly result: Result } | undefined;
  return (value) => {
    if (last?.value !== value) {
      last = { value, result: compute(value) };
    }
    return last.result;
  };
}
