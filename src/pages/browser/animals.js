/* Runs in the browser: renders the animals in a response as cards. */

/**
 * Returns a card for each animal.
 *
 * @param {string} answer a response body of either API
 * @returns {HTMLElement[] | undefined} undefined if the response has no list
 */
export function animalCards(answer) {
  const body = parse(answer);
  const pets = Array.isArray(body) ? body : member(member(body, 'data'), 'pets');
  return Array.isArray(pets) ? pets.map(card) : undefined;
}

/**
 * Returns the message of a response that rejects the key; undefined for any other response.
 *
 * @param {string} answer
 */
export function refusal(answer) {
  const body = parse(answer);
  return member(body, 'code') === 'FORBIDDEN' ? text(body, 'message') : undefined;
}

/**
 * A reviver for JSON.parse that keeps the digits of every number as sent, in browsers that support that.
 *
 * @type {(key: string, value: unknown, context?: { source?: string }) => unknown}
 */
const keepDigits = (_key, value, { source } = {}) =>
  typeof value === 'number' ? (source ?? value) : value;

/**
 * @param {string} json
 * @returns {unknown} undefined if it isn't JSON, as when a proxy responds with a page
 */
function parse(json) {
  try {
    return JSON.parse(json, keepDigits);
  } catch {
    return undefined;
  }
}

/** @param {unknown} animal */
function card(animal) {
  const status = text(animal, 'status');
  const name = element('strong', text(animal, 'name'));
  // A name may be in a right-to-left script.
  name.dir = 'auto';
  const badge = element('span', status);
  badge.className = 'badge';
  badge.dataset['status'] = status;
  const id = element('span', `id ${text(animal, 'id')}`);
  const category = element('span', `category ${text(animal, 'categoryId')}`);
  const item = document.createElement('li');
  item.dataset['id'] = text(animal, 'id');
  item.append(name, badge, id, category);
  return item;
}

/**
 * @param {string} tag
 * @param {string} content
 */
function element(tag, content) {
  const made = document.createElement(tag);
  made.textContent = content;
  return made;
}

/**
 * @param {unknown} animal
 * @param {string} field
 */
function text(animal, field) {
  return String(member(animal, field));
}

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
function member(value, name) {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
