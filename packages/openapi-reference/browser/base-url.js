const PLACEHOLDER = /BASE_URL/g;

/** Puts an address into the code samples, where the document has none that is absolute. */
export function showBaseURL(/** @type {string} */ address) {
  for (const code of document.querySelectorAll('.samples code')) {
    code.textContent = code.textContent.replaceAll(PLACEHOLDER, address);
  }
}
