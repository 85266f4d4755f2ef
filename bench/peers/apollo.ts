import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import { fastify } from 'fastify';
import { port } from './support/environment.ts';
import { schema } from './support/schema.ts';
import { announce } from './support/serve.ts';

const apollo = new ApolloServer({
  schema,
  introspection: false,
  csrfPrevention: false,
  persistedQueries: false,
  stopOnTerminationSignals: false,
  plugins: [ApolloServerPluginCacheControlDisabled()],
});
await apollo.start();

const app = fastify({ logger: false });
app.post('/graphql', fastifyApolloHandler(apollo));
await app.listen({ port, host: '127.0.0.1' });
announce(app.server);
