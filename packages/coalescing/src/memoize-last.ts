/**
 * Makes something of a value once for all who share the value: as they get it one right after the other,
 * what was made last is all that has to be remembered. A WeakMap would remember more, but keep each value,
 * and with it all of its request, alive until the collector gets to the old generation.
 */
export function rememberLast<Value extends object, Made>(
  make: (value: Value) => Made,
): (value: Value) => Made {
  let last: { readonly value: Value; readonly made: Made } | undefined;
  return (value) => {
    if (last?.value !== value) {
      last = { value, made: make(value) };
    }
    return last.made;
  };
}
