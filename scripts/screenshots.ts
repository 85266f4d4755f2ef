import type { Command } from '@gateway/command-line/command';
import { expectNone, runIfMain } from '@gateway/command-line/run-command';

const HELP = `Pictures every page at three widths, light and dark, in screenshots; and makes the pictures in docs/images anew.

  npm run --silent screenshots

Exit codes: 0 done, 1 failed, 2 usage error.
`;

export const screenshots: Command = {
  name: 'screenshots',
  help: HELP,
  options: {},
  read: ({ positionals }) => {
    expectNone(positionals);
    return async () => {
      // With a browser's driver and the whole service, which --help does without.
      const { takeScreenshots } = await import('./take-screenshots.ts');
      return takeScreenshots();
    };
  },
};

await runIfMain(import.meta, screenshots);
