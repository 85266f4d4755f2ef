import { createServer } from 'node:http';
import { GraphQLID } from 'graphql';
import { Pool } from 'pg';
import { postgraphile } from 'postgraphile';
import { TYPES } from 'postgraphile/@dataplan/pg';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { addPgTableCondition } from 'postgraphile/utils';
import { POOL } from './support/pool.ts';
import { serve } from './support/serve.ts';

/*
 * PostGraphile makes its own cursors, which can't be ids. This condition requests the same rows from the database through the
 * same index.
 */
const after = addPgTableCondition(
  { schemaName: 'public', tableName: 'pets' },
  'after',
  () => ({ type: GraphQLID }),
  (value, { sql, sqlTableAlias, sqlValueWithCodec }) =>
    sql`${sqlTableAlias}.id > ${sqlValueWithCodec(value, TYPES.bigint)}`,
);

/** Writes statuses like the other servers; PostGraphile would write them in capitals. */
const plainEnumValues: GraphileConfig.Plugin = {
  name: 'PlainEnumValues',
  inflection: {
    replace: {
      enumValue: (_previous, _preset, value) => value,
    },
  },
};

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [after, plainEnumValues],
  disablePlugins: ['NodePlugin', 'MutationPayloadQueryPlugin', 'PgMutationUpdateDeletePlugin'],
  pgServices: [makePgService({ pool: new Pool(POOL), schemas: ['public'], pubsub: false })],
  schema: {
    // Simple lists, without cursors, edges or page info.
    defaultBehavior: '-connection +list',
  },
  grafast: { explain: false },
  grafserv: {
    graphqlPath: '/graphql',
    graphiql: false,
    graphiqlOnGraphQLGET: false,
    watch: false,
    websockets: false,
    outputDataAsString: true,
  },
});

const server = createServer();
await instance.createServ(grafserv).addTo(server);
await instance.getSchema();
serve(server);
