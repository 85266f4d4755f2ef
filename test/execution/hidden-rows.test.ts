import { setImmediate } from 'node:timers/promises';
import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { execute as executePlainly, parse, type GraphQLFieldResolver } from 'graphql';
// Loaded in advance, so that an operation is compiled right after its second use.
import 'graphql-jit';
import { expect, test } from 'vitest';
import { createExecute, httpResponse } from '@store-gateway/graphql/execution';
import { RESOURCES } from '@store-gateway/resource';
import { openClients } from '../../packages/data/test/clients.ts';
import { graphqlRowsPlan } from '../../packages/graphql/src/execution/written-rows.ts';
import { libraryBuilder, type LibraryBuilder } from '../support/library.ts';

const HIDING = 'hiding';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [HIDING]: HidingPlugin<Types>;
    }
  }
}

const isSeen = (row: unknown): boolean => row instanceof Object && Reflect.get(row, 'id') !== 2n;

/** A store's own plugin that hides rows. */
class HidingPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { type }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (type.kind !== 'List') {
      return resolver;
    }
    return async (...args) => {
      const value: unknown = await resolver(...args);
      return Array.isArray(value) ? value.filter(isSeen) : value;
    };
  }
}
SchemaBuilder.registerPlugin(HIDING, HidingPlugin);

const { batched: database, pool } = await openClients();
await pool.query('INSERT INTO "Owner" (id) VALUES (1), (2), (3)');

interface OwnType {
  readonly isTypeOf?: (row: unknown) => boolean;
}

function schemaOf(builder: LibraryBuilder, own: OwnType = {}) {
  const Owner = builder.prismaObject('Owner', {
    resource: { plural: 'owners' },
    ...own,
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  const owners = builder.listField(Owner, {
    find: (query, context) => context.database.owner.findMany(query),
  });
  builder.connectionField(owners);
  builder.queryType({});
  return builder.toSchema();
}

const later: unknown = (row: unknown) => Promise.resolve(isSeen(row));
const isAsync = (check: unknown): check is (row: unknown) => boolean => typeof check === 'function';

test.each([
  ['an outer plugin', schemaOf(libraryBuilder([HIDING, PrismaPlugin, RESOURCES]))],
  ['an inner plugin', schemaOf(libraryBuilder([PrismaPlugin, RESOURCES, HIDING]))],
  ['isTypeOf', schemaOf(libraryBuilder(), { isTypeOf: isSeen })],
  ['an async isTypeOf', schemaOf(libraryBuilder(), isAsync(later) ? { isTypeOf: later } : {})],
])('rows hidden by %s stay hidden when a document is repeated', async (_by, schema) => {
  const execute = createExecute<string>(schema, {
    services: {},
    contextOf: () => ({ database }),
  });
  for (const text of ['{ owners { id } }', '{ ownersConnection(first: 3) { nodes { id } } }']) {
    const document = parse(text);
    const { data } = await executePlainly({ schema, document, contextValue: { database } });
    expect(JSON.stringify(data)).not.toContain('"2"');
    for (let round = 0; round < 4; round += 1) {
      const operation = { document, planRows: graphqlRowsPlan };
      const result = await execute(operation, { caller: 'me', idempotencyKey: undefined });
      const { body } = httpResponse(result, 'application/json');
      expect(body.replace(/^\{"errors":.*/, 'an error')).toBe(
        data == null ? 'an error' : JSON.stringify({ data }),
      );
      await setImmediate();
    }
  }
});
