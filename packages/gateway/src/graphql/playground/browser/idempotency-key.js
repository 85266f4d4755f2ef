/*
 * Runs in the browser: writes a fresh Idempotency-Key into the headers of a tab whose mutation
 * takes one, so that it is safe to run it again after an error. A success uses the key up, and the next run has another.
 */
import { objectOf, setText, textOf } from './editors.js';
import { openTab } from './open-tab.js';

const KEY_HEADER = 'Idempotency-Key';
const KEY_ARGUMENT = 'idempotencyKey';

/**
 * The mutations of the schema, by their names, and whether they take a key.
 *
 * @type {Map<string, boolean>}
 */
const mutations = new Map();

/**
 * Tabs that have been given a key, by their ids: a user may have removed it since.
 *
 * @type {Set<string>}
 */
const given = new Set();

/**
 * Keys that were made here. A user's own stay as they are.
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
 * Keeps that the open tab has been given a key before GraphiQL told which one it is.
 *
 * @param {string} id of that tab
 */
export function markTabAsKeyed(id) {
  if (given.has('')) {
    given.add(id);
  }
}

/** Gives the open tab a key, once, if its document needs one. */
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
 * Whether all mutations of a document take a key, and there is one at all that isn't given by an argument. What looks like a
 * mutation by its name but isn't one is at worst sent with a key that has no effect.
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

/** @param {Headers} headers of a request that succeeded */
export function renewIdempotencyKey(headers) {
  const used = headers.get(KEY_HEADER);
  const text = textOf('request-headers.json');
  if (used !== null && made.has(used) && text.includes(used)) {
    setText('request-headers.json', text.replace(used, freshKey()));
  }
}

function freshKey() {
  // Not crypto.randomUUID, which pages have over HTTPS and on this machine only.
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  made.add(key);
  return key;
}
