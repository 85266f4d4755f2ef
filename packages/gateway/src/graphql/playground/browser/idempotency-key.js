/*
 * Runs in the browser: adds an Idempotency-Key to the headers of a tab whose mutation accepts one, so that the mutation can be
 * retried safely after an error. After a success, the next run gets a new key.
 */
import { objectOf, setText, textOf } from './editors.js';
import { openTab } from './open-tab.js';

const KEY_HEADER = 'Idempotency-Key';
const KEY_ARGUMENT = 'idempotencyKey';

/**
 * Whether each mutation of the schema accepts an idempotency key, by name.
 *
 * @type {Map<string, boolean>}
 */
const mutations = new Map();

/**
 * The ids of tabs that have been given a key, even if the user has removed it since.
 *
 * @type {Set<string>}
 */
const given = new Set();

/**
 * The generated keys. Only these are replaced, never a user's own key.
 *
 * @type {Set<string>}
 */
const made = new Set();

/** @param {Introspection['data']} introspection */
export function learnMutations({ __schema: { mutationType, types } }) {
  const type = types.find(({ name }) => name === mutationType?.name);
  for (const { name, args } of type?.fields ?? []) {
    mutations.set(
      name,
      args.some((argument) => argument.name === KEY_ARGUMENT),
    );
  }
  giveIdempotencyKey();
}

/**
 * Records under the first tab's id that the tab has a key, because GraphiQL reports that id late.
 *
 * @param {string} id the first tab's id
 */
export function markTabAsKeyed(id) {
  if (given.has('')) {
    given.add(id);
  }
}

/** Adds a key to the open tab's headers, once, if the tab's document needs one. */
export function giveIdempotencyKey() {
  if (given.has(openTab.id) || !needsKey(textOf('operation.graphql'))) {
    return;
  }
  const headers = objectOf('request-headers.json');
  if (headers === undefined) {
    return;
  }
  given.add(openTab.id);
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (!names.includes(KEY_HEADER.toLowerCase())) {
    setText(
      'request-headers.json',
      JSON.stringify({ ...headers, [KEY_HEADER]: freshKey() }, null, 2),
    );
  }
}

/**
 * Whether a document has mutations, all of which accept a key, and none of which is passed a key as an argument. Fields are
 * recognized by name alone; a wrong guess only sends a key that has no effect.
 *
 * @param {string} document
 */
function needsKey(document) {
  const text = document.replaceAll(/#.*|"(?:\\.|[^"\\\n])*"/g, '');
  const fields = text.replaceAll(/\b(?:query|mutation|subscription|fragment)\s+\w+/g, '');
  const used = [...mutations].filter(([name]) => new RegExp(`\\b${name}\\b(?!\\s*:)`).test(fields));
  return (
    /\bmutation\b/.test(text) &&
    !fields.includes(KEY_ARGUMENT) &&
    used.length > 0 &&
    used.every(([, takesKey]) => takesKey)
  );
}

/** @param {Headers} headers the headers of a request that succeeded */
export function renewIdempotencyKey(headers) {
  const used = headers.get(KEY_HEADER);
  const text = textOf('request-headers.json');
  if (used !== null && made.has(used) && text.includes(used)) {
    setText('request-headers.json', text.replace(used, freshKey()));
  }
}

function freshKey() {
  // crypto.randomUUID isn't used, because browsers provide it only over HTTPS and on localhost.
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  made.add(key);
  return key;
}
