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
 * A cursor of PostGraphile is made by PostGraphile and can't be an id. This condition asks the database
 * for the same rows by the same index.
 */
const after = addPgTableCondition(
  { schemaName: 'public', tableName: 'pets' },
  'after',
  () => ({ type: GraphQLID }),
  (value, { sql, sqlTableAlias, sqlValueWithCodec }) =>
    sql`${sqlTableAlias}.id > ${sqlValueWithCodec(value, TYPES.bigint)}`,
);

/** The statuses as everybody else writes them; PostGraphile would write them in capitals. */
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
    // Simple lists, with neither cursors nor edges nor page info to make.
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
