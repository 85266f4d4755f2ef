/*
 * Fills the field for an `Idempotency-Key` with a random value, and with another one once that has been used.
 */

/**
 * @param {HTMLFormElement} form
 * @returns what replaces a key that has been used
 */
export function startIdempotencyKey(form) {
  const field = form.elements.namedItem('Idempotency-Key');
  let generated = '';
  const refresh = () => {
    // One that was typed stays, so that a replay can be seen.
    if (field instanceof HTMLInputElement && field.value === generated) {
      generated = randomKey();
      field.value = generated;
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }
  };
  refresh();
  return refresh;
}

/** Unlike `crypto.randomUUID`, also where the page came over plain HTTP. */
function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
