import { type Command, rejectPositionals, runIfMain } from '@store-gateway/ops/command-line';

const HELP = `Takes the pictures in docs/images, or those of every page in every state.

  npm run --silent screenshots [-- --states]

  --states  every state at three widths, light and dark, into the folder screenshots

Exit codes: 0 done, 1 failed, 2 usage error.
`;

const OPTIONS = { states: { type: 'boolean', default: false } } as const;

export const screenshots: Command<typeof OPTIONS> = {
  name: 'screenshots',
  help: HELP,
  options: OPTIONS,
  read: ({ positionals, values }) => {
    rejectPositionals(positionals);
    return async () => {
      // Imports a browser's driver and the whole service, which --help doesn't need.
      const { takeScreenshots } = await import('./take-screenshots.ts');
      return takeScreenshots({ states: values.states });
    };
  },
};

await runIfMain(import.meta, screenshots);
