import { createServer } from 'node:http';
import { createYoga } from 'graphql-yoga';
import { schema } from './support/schema.ts';
import { serve } from './support/serve.ts';

const yoga = createYoga({
  schema,
  logging: false,
  maskedErrors: false,
  cors: false,
  graphiql: false,
  landingPage: false,
  multipart: false,
  batching: false,
  // A limit would copy every body from one stream into another to count its bytes.
  maxRequestBodySize: false,
});

serve(
  createServer((request, response) => {
    void yoga(request, response);
  }),
);
