/* Runs in the browser: JSON as people read it, with every digit, which JSON.parse would round beyond 2^53. */

/** A string, a bracket, a colon, a comma; or else a number, true, false or null. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

/**
 * Indented and coloured by tokens.css; what isn't JSON is shown too.
 *
 * @param {string} json
 */
export function jsonView(json) {
  const view = new DocumentFragment();
  const tokens = json.match(TOKEN) ?? [];
  let depth = 0;
  const breakLine = () => view.append(`\n${'  '.repeat(depth)}`);
  for (const [index, token] of tokens.entries()) {
    const [before = '', after = ''] = [tokens[index - 1], tokens[index + 1]];
    if ('[{'.includes(token)) {
      view.append(token);
      if (!']}'.includes(after)) {
        depth += 1;
        breakLine();
      }
    } else if (']}'.includes(token)) {
      if (!'[{'.includes(before)) {
        depth -= 1;
        breakLine();
      }
      view.append(token);
    } else if (token === ',') {
      view.append(token);
      breakLine();
    } else if (token === ':') {
      view.append(': ');
    } else {
      view.append(value(token, after === ':'));
    }
  }
  return view;
}

/**
 * @param {string} token
 * @param {boolean} isName
 */
function value(token, isName) {
  const element = document.createElement('span');
  element.className = isName ? 'json-name' : token.startsWith('"') ? 'json-string' : 'json-number';
  element.textContent = token;
  return element;
}
