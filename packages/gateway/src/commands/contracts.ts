import { writeFile } from 'node:fs/promises';
import type { Command } from '@gateway/command-line/command';
import { expectNone } from '@gateway/command-line/run-command';
import { printJson } from '@gateway/graphql-rest/openapi/printed';
import type { Gateway } from '../gateway.ts';
import { printedSchema } from '../graphql/printed-schema.ts';
import { loadStore, type Store } from '../store.ts';

interface Contract {
  readonly name: string;
  readonly help: string;
  /** In the folder of the process. */
  readonly file: string;
  readonly print: (store: Store) => string | Promise<string>;
}

/** Writes the REST contract. */
export const openapiCommand = writes({
  name: 'openapi',
  help: `Writes openapi.json: the REST contract, as the service serves it.

  npm run --silent openapi

Exit codes: 0 done, 2 usage error.
`,
  file: 'openapi.json',
  print: ({ rest }) => printJson(rest),
});

/** Writes the GraphQL schema. */
export const schemaCommand = writes({
  name: 'schema',
  help: `Writes schema.graphql: the schema, as the service serves it at /schema.graphql.

  npm run --silent schema

Exit codes: 0 done, 2 usage error.
`,
  file: 'schema.graphql',
  print: ({ schema }) => printedSchema(schema),
});

function writes({ name, help, file, print }: Contract) {
  return (gateway: Gateway): Command => ({
    name,
    help,
    options: {},
    read: ({ positionals }) => {
      expectNone(positionals);
      return async () => {
        await writeFile(file, await print(await loadStore(gateway)));
        return '';
      };
    },
  });
}
