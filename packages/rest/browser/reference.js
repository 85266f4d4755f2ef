/* Runs in the browser: makes the page interactive. Without this script, everything except the forms works. */

import { startCopyButton } from './copy-button.js';
import { startCurrentSection } from './current-section.js';
import { startDownload } from './download.js';
import { find } from './find.js';
import { startFold } from './fold.js';
import { highlight } from './highlight.js';
import { startLiveSamples } from './live-samples.js';
import { startSearch } from './search.js';
import { startTryIt } from './try-it.js';

const root = find('[data-server]', HTMLElement);
const { server = '', keyItem = '', scopesItem = '', keyEvent = '' } = root.dataset;
const serverURL = new URL(server, document.baseURI).href;

for (const code of document.querySelectorAll('pre code')) {
  if (code.closest('.samples') === null) {
    highlight(code);
  }
}

for (const panel of document.querySelectorAll('.panel')) {
  const form = find('form', HTMLFormElement, panel);
  startLiveSamples(find('.samples', HTMLElement, panel), form, serverURL);
  startTryIt(find('.try-it', HTMLElement, panel), { serverURL, keyItem, scopesItem, keyEvent });
}

for (const link of document.querySelectorAll('a[download]')) {
  if (link instanceof HTMLAnchorElement) {
    startDownload(link);
  }
}

const navigation = find('nav:has(search)', HTMLElement);
startSearch(navigation, startFold(document.querySelector('button.fold')));
startCurrentSection(navigation);

/** Applies the language that is chosen for one operation to all operations. */
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.closest('.samples')) {
    for (const radio of document.querySelectorAll('.samples input')) {
      if (radio instanceof HTMLInputElement) {
        radio.checked = radio.value === target.value;
      }
    }
  }
});

for (const samples of document.querySelectorAll('.samples')) {
  startCopyButton(find('.copy', HTMLButtonElement, samples), () => {
    const { value } = find('input:checked', HTMLInputElement, samples);
    return find(`[data-language="${value}"]`, HTMLElement, samples).textContent;
  });
}
