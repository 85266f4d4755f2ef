import { expect, test } from 'vitest';
import { isJsonObject } from '@gateway/exact-json/json';
import { rest as contract } from '../../src/rest/rest.ts';
import { startGateway } from '../support/gateway.ts';
import { resolve, schemaFaults } from '../support/json-schema.ts';
import { at, document, object, operations } from '../support/openapi.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'];

const { request, post } = await startGateway();
// More than a list has by default.
for (let number = 1; number <= 25; number += 1) {
  await post('/v1/pets', { name: `Animal ${number}`, categoryId: number });
}

/** Values at the bounds that a schema sets, within and beyond, as JSON texts. */
function valuesFor(schema: Record<string, unknown>): { good: string[]; bad: string[] } {
  const {
    $ref,
    anyOf = [],
    allOf = [],
    format,
    minimum,
    maximum,
    minLength,
    maxLength,
    pattern,
  } = schema;
  if (typeof $ref === 'string') {
    return valuesFor(object(resolve(document, $ref)));
  }
  const alternative = [anyOf, allOf]
    .flat(2)
    .map(object)
    .find((one) => one['type'] !== 'null');
  if (alternative !== undefined) {
    return valuesFor(alternative);
  }
  const [type] = [schema['type']].flat();
  if (Array.isArray(schema['enum'])) {
    return { good: schema['enum'].map((value) => JSON.stringify(value)), bad: ['"lost"', '""'] };
  }
  if (format === 'int64') {
    return {
      good: ['9223372036854775807', '-9223372036854775808'],
      bad: ['9223372036854775808', '-9223372036854775809', '1.5', '"x"'],
    };
  }
  if (type === 'integer') {
    const [least, most] = [Number(minimum), Number(maximum)];
    return { good: [`${least}`, `${most}`], bad: [`${least - 1}`, `${most + 1}`, '1.5', '"x"'] };
  }
  if (type === 'boolean') {
    return { good: ['true', 'false'], bad: ['"x"', '1'] };
  }
  if (format === 'date') {
    return { good: ['"2024-02-29"'], bad: ['"2023-02-29"', '"2024-02-29T00:00:00Z"', '5'] };
  }
  expect([type, pattern]).toEqual(['string', String.raw`^[^\x00]*$`]);
  const [shortest, longest] = [Number(minLength), Number(maxLength)];
  return {
    good: [shortest, longest].map((length) => JSON.stringify('🐈'.repeat(length))),
    bad: [
      ...[shortest - 1, longest + 1].map((length) => JSON.stringify('🐈'.repeat(length))),
      '"\\u0000"',
      '5',
    ],
  };
}

/** Whether null is a value. */
function isNullable({ type, anyOf = [] }: Record<string, unknown>): boolean {
  return [type, ...[anyOf].flat().map((one) => object(one)['type'])].flat().includes('null');
}

const parameters = operations.flatMap(({ id, path, parameters: all }) =>
  all
    .filter((parameter) => parameter['in'] !== 'header')
    .map((parameter) => ({ id, path, name: String(parameter['name']), parameter })),
);

const members = operations.flatMap(({ id, path, body }) =>
  Object.entries(object(body?.schema['properties'] ?? {})).map(([name, schema]) => ({
    id,
    path,
    name,
    schema: object(schema),
    /** Its default, which is a subschema's for generators of clients. */
    preset: [object(schema)['allOf']]
      .flat()
      .map((part) => (isJsonObject(part) ? part['default'] : undefined))
      .find((value) => value !== undefined),
    required: [body?.schema['required']].flat().includes(name),
    /** The text of a body with this member, or without it. */
    bodyWith: (text?: string) => {
      const others = Object.entries(body?.example ?? {}).filter(([other]) => other !== name);
      const texts = others.map(([other, value]) => `"${other}":${JSON.stringify(value)}`);
      return `{${[...texts, ...(text === undefined ? [] : [`"${name}":${text}`])].join(',')}}`;
    },
  })),
);

test('every route is documented, and every operation is a route', () => {
  const served = contract.routes.map(
    ({ operation, method, path }) =>
      `${operation.name}: ${method.toUpperCase()} /v1${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(operations.map(({ id, method, path }) => `${id}: ${method} ${path}`)).toEqual(served);
});

test.each(Object.keys(object(at('paths'))))(
  '%s takes what is documented, and nothing else',
  async (path) => {
    const taken: string[] = [];
    // OPTIONS is about the address, not an operation.
    for (const method of METHODS.filter((name) => name !== 'options')) {
      const target = `/v1${path.replace(/\{\w+\}/, '1')}`;
      const { status } = await request(target, { method: method.toUpperCase() });
      taken.push(...(status === 405 ? [] : [method]));
    }
    expect(taken).toEqual(Object.keys(object(at('paths', path))));
  },
);

test.each(parameters)(
  '$id: $name takes what its schema allows, and nothing else',
  async ({ path, name, parameter }) => {
    const { good, bad } = valuesFor(object(parameter['schema']));
    const inPath = parameter['in'] === 'path';
    const ask = async (text: string) => {
      const value = encodeURIComponent(text.replaceAll('"', ''));
      const { status } = await request(
        inPath ? path.replace(`{${name}}`, value) : `${path}?${name}=${value}`,
      );
      return status;
    };
    for (const text of good) {
      // That there is no such animal is not its schema's business.
      expect([200, inPath ? 404 : 200]).toContain(await ask(text));
    }
    for (const text of bad) {
      expect([text, await ask(text)]).toEqual([text, inPath ? 404 : 400]);
    }
  },
);

const presets = parameters.flatMap(({ id, path, name, parameter }) => {
  const { default: preset } = object(parameter['schema']);
  return preset === undefined
    ? []
    : [{ id, path, name, query: `?${name}=${JSON.stringify(preset)}` }];
});

test.each(presets)('$id: without $name it is as with $query', async ({ path, query }) => {
  const answers = [await request(path), await request(path + query)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.text).toBe(answers[1]?.text);
});

test.each(members)(
  '$id: $name takes what its schema allows, and nothing else',
  async ({ path, schema, bodyWith }) => {
    const { good, bad } = valuesFor(schema);
    for (const text of [...good, ...(isNullable(schema) ? ['null'] : [])]) {
      expect([text, (await post(path, bodyWith(text))).status]).toEqual([text, 201]);
    }
    for (const text of [...bad, ...(isNullable(schema) ? [] : ['null'])]) {
      expect([text, (await post(path, bodyWith(text))).status]).toEqual([text, 400]);
    }
  },
);

test.each(members)(
  '$id: without $name it is refused if that is required, and otherwise has the default',
  async ({ path, name, schema, preset, required, bodyWith }) => {
    const { status, json } = await post(path, bodyWith());
    expect(status).toBe(required ? 400 : 201);
    expect(isJsonObject(json) ? json[name] : undefined).toEqual(
      preset ?? (isNullable(schema) ? null : undefined),
    );
  },
);

test.each(operations)('$id: its examples keep to their own schemas', ({ responses, body }) => {
  const rows = [...responses.values()].flatMap(({ schema, examples }) =>
    examples.map((example) => schemaFaults(document, schema, example)),
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.flat()).toEqual([]);
  expect(body === undefined ? [] : schemaFaults(document, body.schema, body.example)).toEqual([]);
});
