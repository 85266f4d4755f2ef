import { rest as contract } from '../support/store.ts';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { addExamples, referringMembers } from '../support/added-examples.ts';
import { startGateway } from '../support/gateway.ts';
import { schemaFaults } from '../support/json-schema.ts';
import { at, document, object, operations, successOf } from '../support/openapi.ts';
import { isNullable, valuesFor } from '../support/schema-values.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'];

const gateway = await startGateway();
const { request } = gateway;
// More than a list has by default.
const bodies = await addExamples(gateway, 25);
/** The path to what there is. */
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
    /** Whether it is the id of something else. */
    refers: referringMembers(operation.id).includes(name),
    /** Its default, which is a subschema's for generators of clients. */
    preset: [object(schema)['allOf']]
      .flat()
      .map((part) => (isJsonObject(part) ? part['default'] : undefined))
      .find((value) => value !== undefined),
    required: [operation.body?.schema['required']].flat().includes(name),
    /** The text of a body with this member, or without it. */
    bodyWith: (text?: string) => {
      const others = Object.entries(bodies.get(operation.id) ?? {}).filter(
        ([other]) => other !== name,
      );
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
  const documented = operations.map(({ id, method, path }) => `${id}: ${method} ${path}`);
  expect(documented.toSorted()).toEqual(served.toSorted());
});

test.each(Object.keys(object(at('paths'))))(
  '%s takes what is documented, and nothing else',
  async (path) => {
    const taken: string[] = [];
    // OPTIONS is about the address, not an operation.
    for (const method of METHODS.filter((name) => name !== 'options')) {
      // Others need the first one.
      const target = `/v1${method === 'delete' ? path.replaceAll(/\{\w+\}/g, '2') : filled(path)}`;
      const { status } = await request(target, { method: method.toUpperCase() });
      taken.push(...(status === 405 ? [] : [method]));
    }
    expect(taken).toEqual(Object.keys(object(at('paths', path))));
  },
);

test.each(parameters)(
  '$id: $name takes what its schema allows, and nothing else',
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
      // That there is no such resource is not its schema's business.
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

test.each(presets)('$id: without $name it is as with $query', async ({ path, query }) => {
  const answers = [await request(filled(path)), await request(filled(path) + query)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.text).toBe(answers[1]?.text);
});

test.each(members)(
  '$id: $name takes what its schema allows, and nothing else',
  async ({ success, schema, refers, bodyWith, ...operation }) => {
    const { good, bad } = valuesFor(schema);
    const statusOf = async (text: string) => (await send(operation, bodyWith(text))).status;
    for (const text of [...(refers ? ['1'] : good), ...(isNullable(schema) ? ['null'] : [])]) {
      expect([text, await statusOf(text)]).toEqual([text, success]);
    }
    // That nothing has such an id is not its schema's business.
    for (const text of refers ? good : []) {
      expect([success, 400]).toContain(await statusOf(text));
    }
    for (const text of [...bad, ...(isNullable(schema) ? [] : ['null'])]) {
      expect([text, await statusOf(text)]).toEqual([text, 400]);
    }
  },
);

test.each(members)(
  '$id: without $name it is refused if that is required, and otherwise has the default, or stays',
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

test.each(operations)('$id: its examples keep to their own schemas', ({ responses, body }) => {
  const rows = [...responses.values()].flatMap(({ schema, examples }) =>
    examples.map((example) => schemaFaults(document, schema, example)),
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.flat()).toEqual([]);
  expect(body === undefined ? [] : schemaFaults(document, body.schema, body.example)).toEqual([]);
});
