import { readFile, writeFile } from 'node:fs/promises';
import { CommandFailure, rejectPositionals, runCommand } from '@store-gateway/ops/command-line';
import { differencesOf, type Recorded } from './compare.ts';

const HELP = `Records the responses of two stores, and compares two recordings: for changes that should change no response.

  npm run --silent exchanges -- record FILE
  npm run --silent exchanges -- compare BEFORE AFTER

record starts the store of animals and the library of the examples, and sends requests for all operations of their
contracts, GraphQL documents, and the fuzzer's exchanges. Each is sent three times, because its operation is compiled
by then, and as HEAD, in HTTP/1.0, pipelined, and twice at once, always to the same rows. The FILE has a line of JSON
for each. This takes some minutes.

compare prints each difference and the exchanges that have it. Two recordings of one commit have none.

Exit codes: 0 done, 1 failed, 2 usage error.
`;

await runCommand({
  name: 'exchanges',
  help: HELP,
  options: {},
  read: ({ positionals: [action, file, other, ...rest] }) => {
    rejectPositionals(rest);
    if (action === 'record' && file !== undefined && other === undefined) {
      return ({ catchSignals }) => recordTo(file, catchSignals());
    }
    if (action === 'compare' && file !== undefined && other !== undefined) {
      return () => compare(file, other);
    }
    throw new CommandFailure(2, 'expected "record FILE" or "compare BEFORE AFTER"; see --help');
  },
});

async function recordTo(file: string, interrupted: AbortSignal): Promise<string> {
  // The help text does not need a store.
  const { record } = await import('./record.ts');
  const recorded = await record(interrupted);
  const lines = recorded.map(([name, answered]) => `${JSON.stringify([name, ...answered])}\n`);
  await writeFile(file, lines.join(''));
  return '';
}

async function compare(before: string, after: string): Promise<string> {
  const differences = differencesOf(await recordingIn(before), await recordingIn(after));
  for (const [difference, names] of differences) {
    process.stdout.write(`${names.length} exchanges:\n${difference}\n  ${names.join('\n  ')}\n\n`);
  }
  if (differences.size > 0) {
    throw new CommandFailure(1, `${differences.size} differences`);
  }
  return 'no differences\n';
}

async function recordingIn(file: string): Promise<Recorded[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const parsed: unknown = JSON.parse(line);
    const [name = '', ...answered] = Array.isArray(parsed) ? parsed.map(String) : [];
    return [name, answered];
  });
}
