import { report } from './report.ts';
import { GraphQLClient } from 'graphql-request';

await report(({ url, headers, tolerant }) => {
  const client = new GraphQLClient(url, { headers, ...(tolerant && { errorPolicy: 'all' }) });
  return async (document, variables) => {
    const { data, errors } = await client.rawRequest(document, variables);
    return { data, error: { errors } };
  };
});
