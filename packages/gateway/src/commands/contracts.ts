import type { Gateway, Store } from '../definition.ts';
import { writeFile } from 'node:fs/promises';
import { type Command, rejectPositionals } from '@store-gateway/ops/command-line';
import { printJson } from '@store-gateway/rest/openapi';
import { printedSchema } from '../graphql/printed-schema.ts';
import { loadStore } from '../store.ts';

export const openapiCommand = writes({
  name: 'openapi',
  file: 'openapi.json',
  what: 'the REST contract, as the service serves it',
  print: ({ rest }) => printJson(rest),
});

export const schemaCommand = writes({
  name: 'schema',
  file: 'schema.graphql',
  what: 'the schema, as the service serves it at /schema.graphql',
  print: ({ schema }) => printedSchema(schema),
});

interface Contract {
  readonly name: string;
  /** The name of the file, which is written to the working directory. */
  readonly file: string;
  readonly what: string;
  readonly print: (store: Store) => string | Promise<string>;
}

function writes({ name, file, what, print }: Contract) {
  return (gateway: Gateway): Command => ({
    name,
    help: `Writes ${file}: ${what}.

  npm run --silent ${name}

Exit codes: 0 done, 2 usage error.
`,
    options: {},
    read: ({ positionals }) => {
      rejectPositionals(positionals);
      return async () => {
        await writeFile(file, await print(await loadStore(gateway)));
        return '';
      };
    },
  });
}
