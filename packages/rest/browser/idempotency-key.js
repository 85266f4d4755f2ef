/* Fills the field for an `Idempotency-Key` with a random value, and replaces the value after it has been used. */

/**
 * @param {HTMLFormElement} form
 * @returns a function that replaces a used key
 */
export function startIdempotencyKey(form) {
  const field = form.elements.namedItem('Idempotency-Key');
  let generated = '';
  const refresh = () => {
    // A key that the user has typed isn't replaced, so that the user can try a replay.
    if (field instanceof HTMLInputElement && field.value === generated) {
      generated = randomKey();
      field.value = generated;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  };
  refresh();
  return refresh;
}

/** Generates a key. Unlike `crypto.randomUUID`, this also works on a page that was loaded over plain HTTP. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
