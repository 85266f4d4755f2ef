/* Runs in the browser: loads GraphiQL's own files, which the page preloads. */

/** Applies the style sheet, then runs the script. If either fails to load, the plain editor stays. */
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
    // The order of style sheets matters.
    asked?.after(element);
  });
}
