/* Runs in the browser: the animals of a response, as cards. */

/**
 * A card for each animal.
 *
 * @param {string} answer of either surface
 * @returns {HTMLElement[] | undefined} undefined if the answer has no list
 */
export function animalCards(answer) {
  const body = parse(answer);
  const pets = Array.isArray(body) ? body : member(member(body, 'data'), 'pets');
  return Array.isArray(pets) ? pets.map(card) : undefined;
}

/**
 * What a surface says of a request that the key may not send.
 *
 * @param {string} answer
 */
export function refusal(answer) {
  const body = parse(answer);
  return member(body, 'code') === 'FORBIDDEN' ? text(body, 'message') : undefined;
}

/**
 * The digits of a number as they were sent, in browsers that tell them.
 *
 * @type {(key: string, value: unknown, context?: { source?: string }) => unknown}
 */
const keepDigits = (_key, value, { source } = {}) =>
  typeof value === 'number' ? (source ?? value) : value;

/**
 * @param {string} json
 * @returns {unknown} undefined if it isn't JSON: a proxy answers with pages
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
  // A name may be in any script.
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
