import { rest } from '../test/support/store.ts';
import { writeFile } from 'node:fs/promises';
import type { Command } from '@gateway/command-line/command';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';
import { printJson } from '@gateway/pothos-rest/openapi/printed';

const HELP = `Writes openapi.json: the REST contract, as the service serves it at /v1/openapi.json.

  npm run --silent openapi

Exit codes: 0 done, 2 usage error.
`;

export const printOpenapi: Command = {
  name: 'openapi',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    expectNone(positionals);
    return async () => {
      await writeFile(new URL('../openapi.json', import.meta.url), await printJson(rest));
      return '';
    };
  },
};

await runIfMain(import.meta, printOpenapi);
