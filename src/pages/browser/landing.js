/* Runs in the browser: asks both surfaces for the first animals as soon as there is a key, and shows what each says. */
import { storedKey } from './api-key.js';
import { animalCards } from './animals.js';
import { find } from './find.js';
import { requestPanel } from './request-panel.js';
import { graphqlRequest, restRequest } from './requests.js';

const form = find('#request', HTMLFormElement);
const limit = find('#limit', HTMLSelectElement);
const status = find('#status', HTMLSelectElement);
const refresh = find('#refresh', HTMLButtonElement);
const animals = find('#animals', HTMLElement);
const count = find('#count', HTMLElement);
const playground = find('#in-graphiql', HTMLAnchorElement);
const panels = { rest: requestPanel('rest'), graphql: requestPanel('graphql') };

/** Ends the requests of before. */
let current = new AbortController();

form.addEventListener('change', () => void show(storedKey()));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void show(storedKey());
});
window.addEventListener('api-key', () => void show(storedKey()));
// The animals may be others by now.
window.addEventListener('service-reachable', () => void show(storedKey()));
void show(null);

/** @param {string | null} key */
async function show(key) {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const rest = restRequest(limit.value, status.value);
  const graphql = graphqlRequest(limit.value, status.value);
  panels.rest.show(rest);
  panels.graphql.show(graphql);
  playground.search = new URLSearchParams({ query: graphql.query }).toString();
  refresh.disabled = key === null;
  if (key === null) {
    tell('Enter a working key to see the animals here.', []);
    return;
  }
  tell('Listing the animals…', []);
  const [, list] = await Promise.all([
    panels.rest.send(rest, key, signal),
    panels.graphql.send(graphql, key, signal),
  ]);
  if (!signal.aborted) {
    if (list === undefined) {
      tell('The animals are listed when the service answers again.', []);
    } else {
      const cards = animalCards(list);
      tell(sentence(cards?.length), cards ?? []);
    }
  }
}

/** @param {number} [found] */
function sentence(found) {
  if (found === undefined) {
    return 'The animals could not be listed: the responses below say why.';
  }
  return found === 0
    ? 'There are no such animals. To add some to your own store: npm run --silent seed -- 100'
    : `The first ${found === 1 ? 'animal' : `${found} animals`}, by id.`;
}

/**
 * @param {string} text
 * @param {readonly HTMLElement[]} cards
 */
function tell(text, cards) {
  count.textContent = text;
  animals.replaceChildren(...cards);
}
