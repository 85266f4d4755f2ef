/* Filters the navigation by all typed words, which are searched in the links' texts and in their additional search terms. */
import { find } from './find.js';

/**
 * @param {HTMLElement} navigation
 * @param {() => void} unfold shows the navigation
 */
export function startSearch(navigation, unfold) {
  const search = find('search', HTMLElement, navigation);
  const input = find('input', HTMLInputElement, search);
  search.hidden = false;
  input.addEventListener('input', () => filter(navigation, input.value));
  input.addEventListener('keydown', ({ key }) => {
    const first = navigation.querySelector('li:not([hidden]) a');
    if (key === 'Enter' && input.value !== '' && first instanceof HTMLElement) {
      first.click();
    }
  });
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    const isTyped = target instanceof Element && target.closest('input, select, textarea') !== null;
    if (key === '/' && !isTyped && !ctrlKey && !metaKey && !altKey) {
      event.preventDefault();
      unfold();
      input.focus();
    }
  });
}

/**
 * @param {HTMLElement} navigation
 * @param {string} query
 */
function filter(navigation, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const item of navigation.querySelectorAll('li')) {
    const text = `${item.textContent} ${item.dataset['words']}`.toLowerCase();
    const isDetail = item.classList.contains('detail') && words.length === 0;
    item.hidden = isDetail || !words.every((word) => text.includes(word));
    found += item.hidden ? 0 : 1;
  }
  for (const group of navigation.querySelectorAll('.group')) {
    const isEmpty = group.querySelector('li:not([hidden])') === null;
    group.toggleAttribute('hidden', isEmpty && words.length > 0);
  }
  find('[role=status]', HTMLElement, navigation).textContent =
    words.length === 0 ? '' : `${found === 0 ? 'Nothing' : found} found`;
}
