import { fastify } from 'fastify';
import { mercurius } from 'mercurius';
import { port } from './support/environment.ts';
import { schema } from './support/schema.ts';
import { announce } from './support/serve.ts';

const app = fastify({ logger: false });
await app.register(mercurius, { schema, jit: 1, graphiql: false });
await app.listen({ port, host: '127.0.0.1' });
announce(app.server);
