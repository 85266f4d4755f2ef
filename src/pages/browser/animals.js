/* Runs in the browser: the animals of GraphQL's answer, whose ids are text and so exact in every browser. */

/**
 * A card for each animal.
 *
 * @param {string} answer
 * @returns {HTMLElement[] | undefined} undefined if the answer has no list
 */
export function animalCards(answer) {
  const pets = member(member(parse(answer), 'data'), 'pets');
  return Array.isArray(pets) ? pets.map(card) : undefined;
}

/**
 * @param {string} json
 * @returns {unknown} undefined if it isn't JSON: a proxy answers with pages
 */
function parse(json) {
  try {
    return JSON.parse(json);
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
