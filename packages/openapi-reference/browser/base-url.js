const PLACEHOLDER = /BASE_URL/g;

/**
 * The address of the server as the browser sees it, also in the code samples: in the document it may be relative to the
 * document (OpenAPI 3.1, 4.6).
 */
export function showBaseURL() {
  const root = document.querySelector('[data-server]');
  const documentURL = new URL(root?.getAttribute('data-document') ?? '', document.baseURI);
  const serverURL = new URL(root?.getAttribute('data-server') ?? '', documentURL).href;
  for (const code of document.querySelectorAll('.samples code')) {
    code.textContent = code.textContent.replaceAll(PLACEHOLDER, serverURL);
  }
  return { serverURL };
}
