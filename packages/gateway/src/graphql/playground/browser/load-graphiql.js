/* Runs in the browser: GraphiQL's own files, which the page has asked for in advance. */

/** Applies the style sheet, then runs the script. Where one of them fails to load, the plain editor stays. */
export async function loadGraphiQL() {
  await load('style', (href) =>
    Object.assign(document.createElement('link'), { rel: 'stylesheet', href }),
  );
  await load('script', (src) => Object.assign(document.createElement('script'), { src }));
}

/**
 * @param {string} kind
 * @param {(address: string) => HTMLElement} create
 */
async function load(kind, create) {
  const asked = document.querySelector(`link[rel=preload][as=${kind}]`);
  const element = create(asked?.getAttribute('href') ?? '');
  await new Promise((resolve) => {
    element.addEventListener('load', resolve, { once: true });
    // Where the order of style sheets wants it.
    asked?.after(element);
  });
}
