import type { Known } from './known.ts';
import { json } from './json-text.ts';
import type { Choices } from './random.ts';
import { routesOf } from './routes.ts';
import type { Exchange } from './steps.ts';
import { TABLES, type Model } from './tables.ts';
import { anyInput, anyValue } from './values.ts';

/** A request to one of the routes. */
export function randomRequest(known: Known, choices: Choices): Exchange {
  const { method, path, document } = choices.of(routesOf(known.design));
  const model = modelAt(path);
  const parameters = path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    anyValue(name === `${model.toLowerCase()}Id` ? 'id' : name, model, known, choices),
  );
  const headers: Record<string, string> = {};
  if (method === 'get') {
    if (choices.rarely(3)) {
      headers['If-None-Match'] = `{{etag:${choices.below(20)}}}`;
    }
    const [, declared = ''] = /\(([^)]*)\)/.exec(document) ?? [];
    const query = [...declared.matchAll(/\$(\w+): (\[?)/g)].flatMap(([, name = '', list = '']) =>
      path.includes(`:${name}`) || choices.below(4) !== 3
        ? []
        : [`${name}=${valueOf(name, list !== '', model, known, choices)}`],
    );
    const text = query.length === 0 ? '' : `?${query.join('&')}`;
    return { method: 'GET', path: `/v1${parameters}${text}`, headers };
  }
  if (method !== 'post' && choices.below(3) === 0) {
    headers['If-Match'] = choices.of([`{{etag:${choices.below(20)}}}`, '*', '"none"']);
  }
  if (choices.below(3) === 0) {
    headers['Idempotency-Key'] = choices.of(['k1', 'k2']);
  }
  const exchange = { method: method.toUpperCase(), path: `/v1${parameters}`, headers };
  if (method === 'delete') {
    return exchange;
  }
  headers['Content-Type'] = 'application/json';
  const kind = { post: 'create', patch: 'update', put: 'replace' } as const;
  return { ...exchange, body: JSON.stringify(anyInput(known, model, choices, kind[method])) };
}

function valueOf(
  name: string,
  isList: boolean,
  model: Model,
  known: Known,
  choices: Choices,
): string {
  if (name === 'sort') {
    const column = model === 'Note' ? 'title' : 'name';
    return choices.of([column, `-${column}`, `-rank,${column}`, `rank,-${column}`]);
  }
  const count = isList ? 1 + choices.below(3) : 1;
  const values = Array.from({ length: count }, () => anyValue(name, model, known, choices));
  const text = values.map((value) => String(json(name, value))).join(',');
  return text.startsWith('{{') ? text : encodeURIComponent(text).replaceAll('%2C', ',');
}

/** What the last collection of a path has. */
function modelAt(path: string): Model {
  const plural = path.split('/').findLast((part) => part !== '' && !part.startsWith(':'));
  const table = TABLES.find(({ name }) => name === plural);
  if (table === undefined) {
    throw new Error(`${path} is of no table`);
  }
  return table.model;
}
