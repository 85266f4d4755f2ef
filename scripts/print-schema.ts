import { schema } from '../test/support/store.ts';
import { writeFile } from 'node:fs/promises';
import type { Command } from '@gateway/command-line/command';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';
import { printedSchema } from '../packages/gateway/src/graphql/printed-schema.ts';

const HELP = `Writes schema.graphql: the schema, as the service serves it at /schema.graphql.

  npm run --silent schema

Exit codes: 0 done, 2 usage error.
`;

export const printSchema: Command = {
  name: 'schema',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    expectNone(positionals);
    return async () => {
      await writeFile(new URL('../schema.graphql', import.meta.url), printedSchema(schema));
      return '';
    };
  },
};

await runIfMain(import.meta, printSchema);
