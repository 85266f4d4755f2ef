import {
  type Command,
  CommandFailure,
  rejectPositionals,
  runIfMain,
} from '@store-gateway/ops/command-line';

const HELP = `Measures how long the pages take until they can be used, with the Chromium that the browser tests use.

  npm run --silent page-times -- [URL]

URL is the base address of a service that runs; by default, http://127.0.0.1:4000/.

Exit codes: 0 done, 1 failed, 2 usage error.
`;

export const pageTimes: Command = {
  name: 'page-times',
  help: HELP,
  options: {},
  read: ({ positionals: [url = 'http://127.0.0.1:4000/', ...surplus] }) => {
    rejectPositionals(surplus);
    if (!URL.canParse(url)) {
      throw new CommandFailure(2, `"${url}" is not a URL; see --help`);
    }
    return async () => {
      // Imports a browser's driver, which --help doesn't need.
      const { measurePages } = await import('./measure-pages.ts');
      return measurePages(new URL(url));
    };
  },
};

await runIfMain(import.meta, pageTimes);
