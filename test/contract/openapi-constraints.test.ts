import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { rest as contract, startGateway } from '../support/gateway.ts';
import {
  addExamples,
  referringMembers,
  schemaFaults,
  resolve,
  at,
  document,
  object,
  operations,
  successOf,
} from '../support/openapi.ts';

const INTEGERS: Readonly<Record<string, readonly [lowest: string, highest: string]>> = {
  int32: ['-2147483648', '2147483647'],
  int64: ['-9223372036854775808', '9223372036854775807'],
};

const FORMATTED: Readonly<Record<string, { good: string[]; bad: string[] }>> = {
  date: { good: ['"2024-02-29"'], bad: ['"2023-02-29"', '"2024-02-29T00:00:00Z"', '5'] },
  'date-time': { good: ['"2024-02-29T12:00:00Z"'], bad: ['"2023-02-29T12:00:00Z"', '"x"', '5'] },
  uuid: { good: ['"0d5f2c5e-8a4b-4c36-9a57-3f0e6c1b2a4d"'], bad: ['"x"', '5'] },
};

/** Returns values just within and just beyond a schema's limits, as JSON texts. */
function valuesFor(schema: Record<string, unknown>): { good: string[]; bad: string[] } {
  const { $ref, anyOf = [], allOf = [], format, minimum, maximum, minLength, maxLength } = schema;
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
  if (type === 'integer') {
    const [lowest = '', highest = ''] = INTEGERS[String(format)] ?? [];
    const least = typeof minimum === 'number' ? BigInt(minimum) : BigInt(lowest);
    const most = typeof maximum === 'number' ? BigInt(maximum) : BigInt(highest);
    return {
      good: [`${least}`, `${most}`],
      bad: [`${least - 1n}`, `${most + 1n}`, '1.5', '"x"'],
    };
  }
  if (type === 'array') {
    const { good, bad } = valuesFor(object(schema['items']));
    const tooMany = Array.from({ length: Number(schema['maxItems']) + 1 }, () => good[0] ?? '');
    return { good: [...good, good.join(',')], bad: [...bad, tooMany.join(',')] };
  }
  if (type === 'number') {
    return { good: ['1.5', '-2'], bad: ['"x"', 'true'] };
  }
  if (type === 'boolean') {
    return { good: ['true', 'false'], bad: ['"x"', '1'] };
  }
  const formatted = FORMATTED[String(format)];
  if (formatted !== undefined) {
    return formatted;
  }
  expect(type).toBe('string');
  const shortest = Number(minLength ?? 0);
  const longest = Number(maxLength ?? shortest + 1);
  return {
    good: [shortest, longest].map((length) => JSON.stringify('🐈'.repeat(length))),
    bad: [
      ...(shortest > 0 ? [shortest - 1] : []),
      ...(maxLength === undefined ? [] : [longest + 1]),
    ]
      .map((length) => JSON.stringify('🐈'.repeat(length)))
      .concat('"\\u0000"', '5'),
  };
}

/** Whether a schema allows null. */
function isNullable({ type, anyOf = [] }: Record<string, unknown>): boolean {
  return [type, ...[anyOf].flat().map((one) => object(one)['type'])].flat().includes('null');
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'];

const gateway = await startGateway();
const { request } = gateway;
// More rows than a list returns by default.
const bodies = await addExamples(gateway, 25);
/** Fills a path's parameters with the id of an existing row. */
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, '1');

const send = ({ method, path }: { method: string; path: string }, body: string) =>
  request(filled(path), { method, body, headers: { 'Content-Type': 'application/json' } });

const parameters = operations.flatMap(({ id, method, path, parameters: all, responses }) =>
  (method === 'GET' ? all : [])
    .filter((parameter) => parameter['in'] !== 'header')
    .map((parameter) => ({ id, path, name: String(parameter['name']), parameter, responses })),
);

const members = operations.flatMap((operation) =>
  Object.entries(object(operation.body?.schema['properties'] ?? {})).map(([name, schema]) => ({
    id: operation.id,
    method: operation.method,
    path: operation.path,
    success: successOf(operation),
    name,
    schema: object(schema),
    /** Whether the member is the id of a different row. */
    refers: referringMembers(operation.id).includes(name),
    /** The member's default, which is in a subschema for the sake of client generators. */
    preset: [object(schema)['allOf']]
      .flat()
      .map((part) => (isJsonObject(part) ? part['default'] : undefined))
      .find((value) => value !== undefined),
    required: [operation.body?.schema['required']].flat().includes(name),
    /** Returns a body with the given text for this member, or without the member. */
    bodyWith: (text?: string) => {
      const others = Object.entries(bodies.get(operation.id) ?? {}).filter(
        ([other]) => other !== name,
      );
      const texts = others.map(([other, value]) => `"${other}":${JSON.stringify(value)}`);
      return `{${[...texts, ...(text === undefined ? [] : [`"${name}":${text}`])].join(',')}}`;
    },
  })),
);

test('every route has a documented operation, and every documented operation has a route', () => {
  const served = contract.routes.map(
    ({ operation, method, path }) =>
      `${operation.name}: ${method.toUpperCase()} /v1${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  const documented = operations.map(({ id, method, path }) => `${id}: ${method} ${path}`);
  expect(documented.toSorted()).toEqual(served.toSorted());
});

test.each(Object.keys(object(at('paths'))))(
  'the path %s accepts exactly the documented methods',
  async (path) => {
    const taken: string[] = [];
    // OPTIONS is not an operation.
    for (const method of METHODS.filter((name) => name !== 'options')) {
      // Other rows refer to the first row, so delete the second.
      const target = `/v1${method === 'delete' ? path.replaceAll(/\{\w+\}/g, '2') : filled(path)}`;
      const { status } = await request(target, { method: method.toUpperCase() });
      taken.push(...(status === 405 ? [] : [method]));
    }
    expect(taken).toEqual(Object.keys(object(at('paths', path))));
  },
);

test.each(parameters)(
  '$id: the parameter $name accepts exactly the values that its schema allows',
  async ({ path, name, parameter, responses }) => {
    const { good, bad } = valuesFor(object(parameter['schema']));
    const canBeMissing = parameter['in'] === 'path' && responses.has(404);
    const ask = async (text: string) => {
      const value = encodeURIComponent(text.replaceAll('"', ''));
      const { status } = await request(
        parameter['in'] === 'path'
          ? filled(path.replace(`{${name}}`, value))
          : `${filled(path)}?${name}=${value}`,
      );
      return status;
    };
    for (const text of good) {
      // A valid id may belong to no row.
      expect([200, canBeMissing ? 404 : 200]).toContain(await ask(text));
    }
    for (const text of bad) {
      expect([text, await ask(text)]).toEqual([text, canBeMissing ? 404 : 400]);
    }
  },
);

const presets = parameters.flatMap(({ id, path, name, parameter }) => {
  const { default: preset } = object(parameter['schema']);
  return preset === undefined
    ? []
    : [{ id, path, name, query: `?${name}=${JSON.stringify(preset)}` }];
});

test.each(presets)(
  '$id: omitting $name has the same effect as the documented default $query',
  async ({ path, query }) => {
    const answers = [await request(filled(path)), await request(filled(path) + query)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  },
);

test.each(members)(
  '$id: the body member $name accepts exactly the values that its schema allows',
  async ({ success, schema, refers, bodyWith, ...operation }) => {
    const { good, bad } = valuesFor(schema);
    const statusOf = async (text: string) => (await send(operation, bodyWith(text))).status;
    for (const text of [...(refers ? ['1'] : good), ...(isNullable(schema) ? ['null'] : [])]) {
      expect([text, await statusOf(text)]).toEqual([text, success]);
    }
    // A valid id may belong to no row, which returns 400.
    for (const text of refers ? good : []) {
      expect([success, 400]).toContain(await statusOf(text));
    }
    for (const text of [...bad, ...(isNullable(schema) ? [] : ['null'])]) {
      expect([text, await statusOf(text)]).toEqual([text, 400]);
    }
  },
);

test.each(members)(
  '$id: omitting $name is rejected, sets the default or leaves the value unchanged, as documented',
  async ({ success, name, schema, preset, required, bodyWith, ...operation }) => {
    const before = operation.method === 'PATCH' ? await request(filled(operation.path)) : undefined;
    const { status, json } = await send(operation, bodyWith());
    expect(status).toBe(required ? 400 : success);
    const otherwise = preset ?? (isNullable(schema) ? null : undefined);
    expect(isJsonObject(json) ? json[name] : undefined).toEqual(
      isJsonObject(before?.json) ? before.json[name] : otherwise,
    );
  },
);

test.each(operations)('$id: the OpenAPI examples match their schemas', ({ responses, body }) => {
  const rows = [...responses.values()].flatMap(({ schema, examples }) =>
    examples.map((example) => schemaFaults(document, schema, example)),
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.flat()).toEqual([]);
  expect(body === undefined ? [] : schemaFaults(document, body.schema, body.example)).toEqual([]);
});
