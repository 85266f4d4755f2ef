/* Runs in the browser: lists the first animals over both APIs when there is a key, and shows both responses. */
import { keyState, storedKey, workingKey } from './api-key.js';
import { animalCards, refusal } from './animals.js';
import { command } from './command.js';
import { find } from './find.js';
import { isOperator } from './key-check.js';
import { requestPanel } from './request-panel.js';
import { graphqlRequest, restRequest } from './requests.js';

const form = find('#request', HTMLFormElement);
const limit = find('#limit', HTMLSelectElement);
const status = find('#status', HTMLSelectElement);
const refresh = find('#refresh', HTMLButtonElement);
const next = find('#next', HTMLButtonElement);
const animals = find('#animals', HTMLElement);
const count = find('#count', HTMLElement);
const playground = find('#in-graphiql', HTMLAnchorElement);
const panels = { rest: requestPanel('rest'), graphql: requestPanel('graphql') };

/** @param {string} [why] */
const failed = (why = 'the responses below say why') => `The animals could not be listed: ${why}.`;

/** Aborts the previous requests. */
let current = new AbortController();
/** The id of the previous page's last animal, or an empty string. */
let after = '';
/**
 * The key with which the animals were last listed.
 *
 * @type {string | null}
 */
let shownWith = null;

form.addEventListener('change', showFirst);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  showFirst();
});
next.addEventListener('click', () => {
  const { lastElementChild: last } = animals;
  // Not `disabled`, because a disabled button loses the focus.
  if (next.ariaDisabled !== 'true' && last instanceof HTMLElement) {
    after = last.dataset['id'] ?? '';
    void show(storedKey());
  }
});
window.addEventListener('api-key', () => {
  // After an outage, an unchanged key keeps the current page of the list.
  if (storedKey() !== shownWith) {
    after = '';
  }
  void show(storedKey());
});
// The animals may have changed in the meantime.
window.addEventListener('service-reachable', () => void show(storedKey()));
void show(workingKey());

function showFirst() {
  after = '';
  void show(storedKey());
}

/** @param {string | null} key */
async function show(key) {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const page = { limit: limit.value, status: status.value, after };
  const rest = restRequest(page);
  const graphql = graphqlRequest(page);
  const isRefused = keyState() === 'fails';
  const why = isRefused ? 'the key does not work' : 'there is no key yet';
  panels.rest.show(rest, why);
  panels.graphql.show(graphql, why);
  playground.search = new URLSearchParams({ query: graphql.query }).toString();
  refresh.disabled = key === null;
  if (key === null) {
    tell([`Enter a ${isRefused ? 'different ' : ''}key above to list the animals here.`]);
    return;
  }
  shownWith = key;
  tell(['Listing the animals…']);
  const [restAnswer, graphqlAnswer] = await Promise.all([
    panels.rest.send(rest, key, signal),
    panels.graphql.send(graphql, key, signal),
  ]);
  if (signal.aborted) {
    return;
  }
  if (restAnswer === undefined || graphqlAnswer === undefined) {
    tell(['The animals will be listed when the service responds again.']);
    return;
  }
  // GraphQL's ids are strings, so they are exact in every browser. A key that is restricted to trusted documents can't run this
  // query.
  const inGraphQL = animalCards(graphqlAnswer);
  const cards = inGraphQL ?? animalCards(restAnswer);
  const inPart =
    inGraphQL === undefined ? ' GraphQL did not list them: its response says why.' : '';
  tell(
    cards === undefined ? [failed(refusal(restAnswer))] : [...sentence(cards.length), inPart],
    cards,
  );
}

/**
 * @param {number} found
 * @returns {readonly (string | HTMLElement)[]}
 */
function sentence(found) {
  if (found > 0) {
    const which = after === '' ? 'first' : 'next';
    return [`The ${which} ${found === 1 ? 'animal' : `${found} animals`}, by id.`];
  }
  if (after !== '') {
    return ['No more animals.'];
  }
  if (status.value !== '') {
    return [`No animal is ${status.value}.`];
  }
  const add = document.createElement('a');
  add.href = 'docs#/animals/createPet';
  add.textContent = 'Add an animal';
  const some = isOperator() ? [', or many: ', command('npm run --silent seed -- 100')] : ['.'];
  return ['The store has no animals yet. ', add, ...some];
}

/**
 * @param {readonly (string | HTMLElement)[]} parts of a sentence
 * @param {readonly HTMLElement[]} [cards]
 */
function tell(parts, cards = []) {
  count.replaceChildren(...parts);
  animals.replaceChildren(...cards);
  next.ariaDisabled = String(cards.length < Number(limit.value));
}
