import { setImmediate } from 'node:timers/promises';
import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  record,
  subarray,
  tuple,
  uniqueArray,
} from 'fast-check';
import { execute as executePlainly, parse, type ExecutionResult } from 'graphql';
// Loaded in advance, so that an operation is compiled right after its second use.
import 'graphql-jit';
import { afterAll, expect, test } from 'vitest';
import { isJsonObject, WrittenJson } from '@store-gateway/ops';
import {
  createExecute,
  runOperationSteps,
  type Operation,
  type OperationStep,
  rowsPlan,
  httpResponse,
} from '@store-gateway/graphql/execution';
import { graphqlRowsPlan } from '../../packages/graphql/src/execution/written-rows.ts';
import { prepareOperation } from '../../packages/rest/src/operation.ts';
import { propertyRuns } from '../support/property-runs.ts';
import {
  things,
  schemaOfScalars,
  CREATE,
  FIELDS,
  REQUIRED,
  serveThings,
} from '../support/serve-things.ts';

const schema = schemaOfScalars();
const { byGraphQL, pool, database, close } = await serveThings();
afterAll(close);

const execute = createExecute<string>(schema, { services: {}, contextOf: () => ({ database }) });
const caller = { caller: 'me', idempotencyKey: undefined };

const bodyOf = (result: ExecutionResult) => httpResponse(result, 'application/json').body;

/** The rows in the result of a list or connection. */
function rowsIn({ data }: ExecutionResult): object {
  const list = data?.['list'];
  const rows = isJsonObject(list) ? (list['nodes'] ?? list) : list;
  if (!(rows instanceof Object)) {
    throw new TypeError('no rows');
  }
  return rows;
}

/** Executes an operation until it is compiled, and returns the compiled program's result. */
async function executeCompiled(operation: Operation): Promise<ExecutionResult> {
  await execute(operation, caller);
  await execute(operation, caller);
  await setImmediate();
  return execute(operation, caller);
}

async function replaceThings(given: readonly object[]): Promise<void> {
  await pool.query('DELETE FROM "every thing"');
  for (const input of given) {
    expect(await byGraphQL(CREATE, { input })).not.toHaveProperty('errors');
  }
}

const field = tuple(
  constantFrom(...FIELDS.split(/\s+/), 'id', 'ownerId'),
  constantFrom('', 'a: ', 'b: '),
);
/** Fields with distinct response keys. */
const selection = uniqueArray(field, {
  selector: ([name, alias]) => alias || name,
  minLength: 1,
  maxLength: 12,
}).map((fields) => fields.map(([name, alias]) => alias + name));
const source = record({
  selection,
  inFragment: selection.map((fields) => fields.filter((text) => !text.includes(':'))),
  isConnection: boolean(),
  size: integer({ min: 1, max: 6 }),
  pageInfo: subarray(['hasNextPage', 'endCursor', 'startCursor', 'hasPreviousPage']),
}).map(({ selection: own, inFragment, isConnection, size, pageInfo }) => {
  const taken = new Set(own.map((text) => text.split(':')[0]));
  const others = inFragment.filter((name) => !taken.has(name));
  const rows = `${own.join(' ')} ${others.length > 0 ? '...F' : ''}`;
  const info = pageInfo.length > 0 ? `pageInfo { ${pageInfo.join(' ')} }` : '';
  const list = isConnection
    ? `list: thingsConnection(first: ${size}) { nodes { ${rows} } ${info} }`
    : `list: things(limit: ${size}) { ${rows} }`;
  return `query q { ${list} } ${others.length > 0 ? `fragment F on Thing { ${others.join(' ')} }` : ''}`;
});

test('writing rows from database texts gives the same JSON and ETag as serializing row objects, in both APIs', async () => {
  await assert(
    asyncProperty(array(things, { maxLength: 5 }), source, async (given, text) => {
      await replaceThings(given);
      const operation = { document: parse(text) };
      const plain = await executePlainly({ schema, ...operation, contextValue: { database } });
      const written = await executeCompiled({ ...operation, planRows: graphqlRowsPlan });
      expect(plain.errors).toBeUndefined();
      expect(rowsIn(written)).toBeInstanceOf(WrittenJson);
      expect(bodyOf(written)).toBe(JSON.stringify(plain));

      const { planRows, represent, isPaged, document } = prepareOperation(schema, text, true);
      const resourceOf = (result: ExecutionResult): object =>
        isPaged || !isJsonObject(result.data?.['list']) ? rowsIn(result) : result.data['list'];
      const ofTexts = await executeCompiled({ document, planRows });
      expect(rowsIn(ofTexts)).toBeInstanceOf(WrittenJson);
      const expected = represent(resourceOf(await executeCompiled({ document })));
      const represented = represent(resourceOf(ofTexts));
      expect(represented.body).toBe(expected.body);
      expect(represented.etag()).toBe(expected.etag());
    }),
    propertyRuns(60),
  );
});

test('an invalid stored value fails in the same way with a rows plan as without one', async () => {
  await replaceThings([REQUIRED]);
  // A NOT NULL column can store JSON's null, but a non-null field cannot return it.
  await pool.query(`UPDATE "every thing" SET json = 'null'`);
  const document = parse('query q { list: things(limit: 2) { id json } }');
  const plain = await execute({ document }, caller);
  const planned = await executeCompiled({ document, planRows: graphqlRowsPlan });
  expect(plain.errors?.[0]?.path).toEqual(['list', 0, 'json']);
  expect(bodyOf(planned)).toBe(bodyOf(plain));
});

/** Values that only SQL can store. */
test.each([
  ['float', "'NaN'"],
  ['"floatOrNull"', "'Infinity'"],
  ['float', "'-0'"],
  ['floats', "'{NULL,1}'"],
  ['decimal', "'NaN'"],
  ['"dateTime"', "'infinity'"],
  ['"dateTimeOrNull"', "'294276-12-31 23:59:59.999999'"],
  ['"dateOrNull"', "'0044-03-15 BC'"],
  ['"dateTimes"', `'{-infinity,"2026-11-22 00:00:00.999+09"}'`],
  ['level', "'new'"],
  ['levels', "'{LOW,NULL}'"],
  ['strings', "'{{a,b},{c,d}}'"],
  ['strings', 'NULL'],
  ['big_ints', "'{NULL,9223372036854775807,-9223372036854775808}'"],
  ['"jsonOrNull"', "'null'"],
  ['"jsonOrNull"', `'{"b":1,"a":{"2":1,"1":12345678901234567890.10},"b":2,"__proto__":1}'`],
  ['"jsonOrNull"', `'[1e400, -0, 1E2, 1.0, "\\ud83d\\ude00\\u2028"]'`],
  ['string', "'null'"],
])(
  '%s with the stored value %s is written like the value of a row object',
  async (column, value) => {
    await replaceThings([REQUIRED, REQUIRED]);
    await pool.query(`ALTER TYPE level_type ADD VALUE IF NOT EXISTS 'new'`);
    await pool.query(
      `UPDATE "every thing" SET ${column} = ${value} WHERE id = (SELECT max(id) FROM "every thing")`,
    );
    const name = column.replaceAll('"', '').replace('big_ints', 'bigInts');
    const text = `query q { list: things(limit: 3) { id ${name} } }`;
    const [plain, planned] = [undefined, graphqlRowsPlan].map((planRows) =>
      executeCompiled({ document: parse(text), planRows }),
    );
    const { planRows, represent, document } = prepareOperation(schema, text, true);
    const ofObjects = await executeCompiled({ document });
    const ofTexts = await executeCompiled({ document, planRows });
    expect(await planned?.then(bodyOf)).toBe(await plain?.then(bodyOf));
    const [body, expected] = [ofTexts, ofObjects].map((result) =>
      result.errors === undefined ? represent(rowsIn(result)).body : 'an error',
    );
    expect(body).toBe(expected);
  },
);

test('fields without a column are resolved', async () => {
  await replaceThings([REQUIRED]);
  const document = parse('query q { list: things(limit: 2) { __typename id } }');
  const result = await executeCompiled({ document, planRows: graphqlRowsPlan });
  expect(rowsIn(result)).toMatchObject([{ __typename: 'Thing' }]);
});

const planUnquoted: Operation['planRows'] = (operation) =>
  rowsPlan(operation, { quotesIds: () => false, writerOf: () => String });

test("executions with different row formats aren't coalesced", async () => {
  await replaceThings([REQUIRED]);
  const document = parse('query q { list: things(limit: 2) { id } }');
  const executeShared = createExecute<string>(schema, { services: { database } });
  await executeShared({ document }, caller);
  await executeShared({ document }, caller);
  await setImmediate();
  // The first execution starts at once, and the third joins the second.
  const plans = [graphqlRowsPlan, graphqlRowsPlan, graphqlRowsPlan, planUnquoted, undefined];
  const results = await Promise.all(
    plans.map((planRows) => executeShared({ document, planRows }, caller)),
  );
  const [, led, joined, unquoted, plain] = results;
  expect(joined).toBe(led);
  expect([unquoted, led].map((result) => result && bodyOf(result))).toEqual([
    expect.stringMatching(/\{"id":\d+\}/),
    expect.stringMatching(/\{"id":"\d+"\}/),
  ]);
  expect(JSON.stringify(plain && rowsIn(plain))).toMatch(/^\[\{"id":"\d+"\}\]$/);
  expect(plain && rowsIn(plain)).not.toBeInstanceOf(WrittenJson);
});

test('operation steps receive rows as objects', async () => {
  await replaceThings([REQUIRED]);
  const document = parse('query q { list: things(limit: 2) { id } }');
  let rows: unknown;
  const step: OperationStep<string> = async (operation, request, next) => {
    const result = await next(operation, request);
    rows = rowsIn(result);
    return result;
  };
  const inSteps = runOperationSteps([step], (operation) => executeCompiled(operation));
  await inSteps({ document, planRows: graphqlRowsPlan }, { ...caller, waited: 0 });
  expect(JSON.stringify(rows)).toMatch(/^\[\{"id":"\d+"\}\]$/);
  expect(rows).not.toBeInstanceOf(WrittenJson);
});
