import { writeFile } from 'node:fs/promises';
import { CommandFailure } from '../src/commands/command-failure.ts';
import { runCommand } from '../src/commands/run-command.ts';
import { printJson } from '../src/rest/openapi/printed.ts';

const HELP = `Writes openapi.json: the REST contract, as the service serves it at /v1/openapi.json.

  npm run --silent openapi

Exit codes: 0 done, 2 not understood.
`;

await runCommand({
  name: 'openapi',
  help: HELP,
  options: {},
  read: ({ positionals: [unexpected] }) => {
    if (unexpected !== undefined) {
      throw new CommandFailure(2, `unexpected "${unexpected}"; see --help`);
    }
    return async () => {
      await writeFile(new URL('../openapi.json', import.meta.url), printJson());
      return '';
    };
  },
});
