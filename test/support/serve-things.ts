import { isInputObjectType, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { parseExactly, isJsonObject } from '@store-gateway/ops';
import { createExecute } from '@store-gateway/graphql/execution';
import { createRest, PAGE_INFO, createEndpoints } from '@store-gateway/rest';
import { openClients } from '../../packages/data/test/clients.ts';
import { serveEndpoints } from './serve-endpoints.ts';
import { decimal, integerBetween, text, uuid } from '@store-gateway/graphql';
import { Level as Levels, Prisma } from '../../packages/data/test/generated/client.ts';
import { routesOf } from './declared-store.ts';
import { libraryBuilder } from './library.ts';
import {
  array,
  bigInt,
  boolean,
  constant,
  constantFrom,
  date,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  option,
  record,
  string,
  tuple,
  uint8Array,
  uuid as anyUuid,
} from 'fast-check';
import { anyCharacter } from './property-runs.ts';

/**
 * Returns a schema of things, which have a required and a nullable column of each Prisma type and lists, and of their
 * owners.
 */
export function schemaOfScalars(): GraphQLSchema {
  const builder = libraryBuilder();
  const [BigInts, Bytes, Date, DateTime, Decimal, Json] = [
    builder.bigIntType(),
    builder.bytesType(),
    builder.dateType(),
    builder.timestampType(),
    builder.decimalType(),
    builder.jsonType(),
  ];
  const Level = builder.enumType('Level', { values: Object.values(Levels) });
  const Thing = builder.prismaObject('Everything', {
    name: 'Thing',
    resource: { plural: 'things' },
    fields: (t) => ({
      id: t.exposeID('id'),
      bigInt: t.expose('bigInt', { type: BigInts }),
      bigIntOrNull: t.expose('bigIntOrNull', { type: BigInts, nullable: true }),
      int: t.exposeInt('int', { example: 1 }),
      intOrNull: t.exposeInt('intOrNull', { nullable: true, example: 1 }),
      float: t.exposeFloat('float', { example: 1.5 }),
      floatOrNull: t.exposeFloat('floatOrNull', { nullable: true, example: 1.5 }),
      decimal: t.expose('decimal', { type: Decimal }),
      decimalOrNull: t.expose('decimalOrNull', { type: Decimal, nullable: true }),
      string: t.exposeString('string', { example: 'some' }),
      stringOrNull: t.exposeString('stringOrNull', { nullable: true, example: 'some' }),
      uuidOrNull: t.exposeString('uuidOrNull', { nullable: true, example: 'some' }),
      boolean: t.exposeBoolean('boolean'),
      booleanOrNull: t.exposeBoolean('booleanOrNull', { nullable: true }),
      dateTime: t.expose('dateTime', { type: DateTime }),
      dateTimeOrNull: t.expose('dateTimeOrNull', { type: DateTime, nullable: true }),
      dateOrNull: t.expose('dateOrNull', { type: Date, nullable: true }),
      json: t.expose('json', { type: Json }),
      jsonOrNull: t.expose('jsonOrNull', { type: Json, nullable: true }),
      bytes: t.expose('bytes', { type: Bytes }),
      bytesOrNull: t.expose('bytesOrNull', { type: Bytes, nullable: true }),
      level: t.expose('level', { type: Level }),
      levelOrNull: t.expose('levelOrNull', { type: Level, nullable: true }),
      strings: t.exposeStringList('strings', { example: ['some'] }),
      ints: t.exposeIntList('ints', { example: [1] }),
      bigInts: t.expose('bigInts', { type: [BigInts] }),
      floats: t.exposeFloatList('floats', { example: [1.5] }),
      decimals: t.expose('decimals', { type: [Decimal] }),
      booleans: t.exposeBooleanList('booleans'),
      dateTimes: t.expose('dateTimes', { type: [DateTime] }),
      jsons: t.expose('jsons', { type: [Json] }),
      blobs: t.expose('blobs', { type: [Bytes] }),
      levels: t.expose('levels', { type: [Level] }),
      ownerId: t.exposeID('ownerId', { nullable: true }),
    }),
  });
  const things = builder.listField(Thing, {
    find: (query, { database }) => database.everything.findMany(query),
  });
  builder.connectionField(things);
  builder.getField(Thing, {
    find: (query, { database }) => database.everything.findUnique(query),
  });
  const Owner = builder.prismaObject('Owner', {
    resource: { plural: 'owners' },
    fields: (t) => ({
      id: t.exposeID('id'),
      things: t.relation('things', { args: things.args, query: things.query }),
    }),
  });
  builder.getField(Owner, { find: (query, { database }) => database.owner.findUnique(query) });
  const NewThing = builder.inputType('NewThing', {
    fields: (t) => ({
      bigInt: t.field({ type: BigInts, required: true }),
      bigIntOrNull: t.field({ type: BigInts }),
      int: t.int({ required: true }),
      intOrNull: t.int({ rule: integerBetween(-32768, 32767) }),
      float: t.float({ required: true }),
      floatOrNull: t.float(),
      decimal: t.field({ type: Decimal, required: true, rule: decimal(65, 30) }),
      decimalOrNull: t.field({ type: Decimal, rule: decimal(20, 5) }),
      string: t.string({ required: true, rule: text(0, 1000) }),
      stringOrNull: t.string({ rule: text(0, 40) }),
      uuidOrNull: t.string({ rule: uuid }),
      boolean: t.boolean({ required: true }),
      booleanOrNull: t.boolean(),
      dateTime: t.field({ type: DateTime, required: true }),
      dateTimeOrNull: t.field({ type: DateTime }),
      dateOrNull: t.field({ type: Date }),
      json: t.field({ type: Json, required: true }),
      jsonOrNull: t.field({ type: Json }),
      bytes: t.field({ type: Bytes, required: true }),
      bytesOrNull: t.field({ type: Bytes }),
      level: t.field({ type: Level, required: true }),
      levelOrNull: t.field({ type: Level }),
      strings: t.stringList({ required: true, rule: text(0, 100) }),
      ints: t.intList({ required: true, rule: integerBetween(-32768, 32767) }),
      bigInts: t.field({ type: [BigInts], required: true }),
      floats: t.floatList({ required: true }),
      decimals: t.field({ type: [Decimal], required: true, rule: decimal(65, 30) }),
      booleans: t.booleanList({ required: true }),
      dateTimes: t.field({ type: [DateTime], required: true }),
      jsons: t.field({ type: [Json], required: true }),
      blobs: t.field({ type: [Bytes], required: true }),
      levels: t.field({ type: [Level], required: true }),
    }),
  });
  builder.queryType({});
  builder.mutationType({
    fields: (t) => ({
      createThing: t.field({
        type: Thing,
        args: { input: t.arg({ type: NewThing, required: true }) },
        resolve: (_root, { input }, { database }) =>
          database.everything.create({
            data: {
              ...input,
              bigIntOrNull: input.bigIntOrNull ?? null,
              intOrNull: input.intOrNull ?? null,
              floatOrNull: input.floatOrNull ?? null,
              decimalOrNull: input.decimalOrNull ?? null,
              stringOrNull: input.stringOrNull ?? null,
              uuidOrNull: input.uuidOrNull ?? null,
              booleanOrNull: input.booleanOrNull ?? null,
              dateTimeOrNull: input.dateTimeOrNull ?? null,
              dateOrNull: input.dateOrNull ?? null,
              jsonOrNull: input.jsonOrNull ?? Prisma.DbNull,
              bytesOrNull: input.bytesOrNull ?? null,
              levelOrNull: input.levelOrNull ?? null,
              ownerId: 1n,
            },
          }),
      }),
    }),
  });
  return builder.toSchema({ sortSchema: false });
}

const schema = schemaOfScalars();
const newThing = schema.getType('NewThing');
/** All fields except the id. */
export const FIELDS = Object.keys(isInputObjectType(newThing) ? newThing.getFields() : {}).join(
  ' ',
);
export const CREATE = `mutation createThing($input: NewThing!) { createThing(input: $input) { id ${FIELDS} } }`;

export const thingsRest = createRest({
  schema,
  routes: routesOf({
    'post /things': CREATE,
    'get /things': `query things($limit: Int, $after: ID) {
      thingsConnection(limit: $limit, after: $after) { nodes { id ${FIELDS} } ${PAGE_INFO} }
    }`,
    'get /things/:id': `query thing($id: ID!) { thing(id: $id) { id ${FIELDS} } }`,
    'get /owners/:id': `query owner($id: ID!, $after: ID) {
      owner(id: $id) { things(limit: 1, after: $after) { id ${FIELDS} } }
    }`,
  }),
  basePath: '/v1',
  info: { title: 'Things', version: '1.0.0' },
  messages: {},
});
/** The minimal input for a thing. */
export const REQUIRED = {
  ...Object.fromEntries(
    'strings ints bigInts floats decimals booleans dateTimes jsons blobs levels'
      .split(' ')
      .map((name) => [name, []]),
  ),
  bigInt: 1,
  int: 1,
  float: 1,
  decimal: '1',
  string: '',
  boolean: true,
  json: 1,
  bytes: '',
  dateTime: '2026-11-22T09:30:00Z',
  level: 'low',
};

type Values = Record<string, unknown>;

/** Serves both APIs over an owner's things, on a new database. */
export async function serveThings() {
  const { batched, engine, pool, answeredBy } = await openClients();
  await pool.query('INSERT INTO "Owner" (id) VALUES (1)');
  let database = batched;
  const execute = createExecute<string>(schema, {
    services: {},
    contextOf: () => ({ database }),
  });
  const endpoints = createEndpoints(thingsRest, {
    documentation: '/docs',
    admit: () => Promise.resolve({ caller: 'me', waited: 0, turn: () => Promise.resolve() }),
    execute,
  });
  const { url, close } = await serveEndpoints(endpoints);
  const base = `${url}/v1`;
  const documents = new Map<string, DocumentNode>();
  return {
    pool,
    database: batched,
    answeredBy,
    /** Makes Prisma's engine answer all calls, or stops that. */
    useEngine: (isUsed: boolean) => {
      database = isUsed ? engine : batched;
    },
    byRest: async (path: string, body?: Values): Promise<unknown> => {
      const headers = { 'Content-Type': 'application/json' };
      const init = body && { method: 'POST', headers, body: write(body) };
      const response = await fetch(base + path, init);
      return read(await response.text());
    },
    byGraphQL: async (source: string, variables: Values): Promise<unknown> => {
      // A repeated document is compiled.
      const document = documents.get(source) ?? parse(source);
      documents.set(source, document);
      const variableValues = exactly(variables);
      const result = await execute(
        { document, variableValues: isJsonObject(variableValues) ? variableValues : {} },
        { caller: 'me', idempotencyKey: undefined },
      );
      return read(JSON.stringify(result));
    },
    close,
  };
}

function write(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each,
  );
}

/** Parses JSON; integers beyond 2^53 become bigints. */
export function read(json = 'null'): unknown {
  return parseExactly(json);
}

/** Returns a value as it would come from JSON. */
export function exactly(value: unknown): unknown {
  return read(write(value));
}

export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (found instanceof Object ? Reflect.get(found, key) : undefined),
    value,
  );
}

const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int16 = integer({ min: -32768, max: 32767 });
const anyDouble = double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const anyText = (maxLength: number) =>
  string({ unit: anyCharacter, maxLength }).filter((value) => !value.includes('\0'));
const decimalOf = (whole: number, scale: number) =>
  tuple(
    bigInt({ min: -(10n ** BigInt(whole)) + 1n, max: 10n ** BigInt(whole) - 1n }),
    bigInt({ min: 0n, max: 10n ** BigInt(scale) - 1n }),
  ).map(([integers, fraction]) => {
    const digits = String(fraction).padStart(scale, '0').replace(/0+$/, '');
    return digits === '' ? String(integers) : `${integers}.${digits}`;
  });
const moment = date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
}).map((each) => each.toISOString());
const day = moment.map((each) => each.slice(0, '2026-11-22'.length));
const base64 = uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const level = constantFrom('low', 'high');
const jsonText = anyText(20);
const { json } = letrec<{ json: unknown }>((tie) => ({
  json: oneof(
    { maxDepth: 3 },
    jsonText,
    constant(null),
    boolean(),
    anyDouble,
    int64,
    array(tie('json'), { maxLength: 3 }),
    dictionary(oneof(jsonText, constant('__proto__')), tie('json'), { maxKeys: 3 }),
  ),
}));
const someJson = json.filter((value) => value !== null);
const list = { maxLength: 4 };

/** Generates things for `schemaOfScalars`, as parsed JSON with integers of any size. */
export const things = record({
  bigInt: int64,
  bigIntOrNull: option(int64),
  int: integer(),
  intOrNull: option(int16),
  float: anyDouble,
  floatOrNull: option(anyDouble),
  decimal: decimalOf(35, 30),
  decimalOrNull: option(decimalOf(15, 5)),
  string: anyText(1000),
  stringOrNull: option(anyText(40)),
  uuidOrNull: option(anyUuid()),
  boolean: boolean(),
  booleanOrNull: option(boolean()),
  dateTime: moment,
  dateTimeOrNull: option(moment),
  dateOrNull: option(day),
  json: someJson,
  jsonOrNull: option(someJson),
  bytes: base64,
  bytesOrNull: option(base64),
  level,
  levelOrNull: option(level),
  strings: array(anyText(100), list),
  ints: array(int16, list),
  bigInts: array(int64, list),
  floats: array(anyDouble, list),
  decimals: array(decimalOf(35, 30), list),
  booleans: array(boolean(), list),
  dateTimes: array(moment, list),
  jsons: array(someJson, list),
  blobs: array(base64, list),
  levels: array(level, list),
});
