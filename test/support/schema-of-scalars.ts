import type { GraphQLSchema } from 'graphql';
import { decimal, integerBetween, text, uuid } from '@store-gateway/graphql';
import { Level as Levels, Prisma } from '../../packages/data/test/generated/client.ts';
import { libraryBuilder } from './library.ts';

const int16 = integerBetween(-32768, 32767);

/** Things that have a column of each type of Prisma's, with and without a value, and lists; and their owners. */
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
      intOrNull: t.int({ rule: int16 }),
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
      ints: t.intList({ required: true, rule: int16 }),
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
