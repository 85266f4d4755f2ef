import { readFile, writeFile } from 'node:fs/promises';
import {
  CommandFailure,
  expectNone,
  runCommand,
  wholeNumber,
} from '@store-gateway/ops/command-line';
import { differencesOf, type Recorded } from './compare.ts';

const HELP = `Records what two stores answer, and compares two recordings: for changes that shall change no response.

  npm run --silent exchanges -- record FILE [--fuzz N]
  npm run --silent exchanges -- compare BEFORE AFTER

record sends requests to the animals and to the library of examples: those of their contracts, GraphQL documents,
and what the fuzzer sends. Each is sent three times, because the third time its operation is compiled, and as HEAD,
in HTTP/1.0, pipelined, and twice at once, always to the same rows. It writes a line of JSON for each to the FILE,
and takes some minutes.

compare prints what has changed, and in which exchanges. Two recordings of the same commit do not differ.

  --fuzz N  how many exchanges of the fuzzer are tried, 0 to 999999, by default 1000

Exit codes: 0 done, 1 failed, 2 usage error.
`;

await runCommand({
  name: 'exchanges',
  help: HELP,
  options: { fuzz: { type: 'string', default: '1000' } },
  read: ({ positionals: [action, file, other, ...rest], values: { fuzz } }) => {
    const count = wholeNumber('--fuzz', fuzz, { least: 0, most: 999_999 });
    if (action === 'record' && file !== undefined && other === undefined) {
      return () => recordTo(file, count);
    }
    if (action === 'compare' && file !== undefined && other !== undefined) {
      expectNone(rest);
      return () => compare(file, other);
    }
    throw new CommandFailure(2, 'expected "record FILE" or "compare BEFORE AFTER"; see --help');
  },
});

async function recordTo(file: string, fuzzCount: number): Promise<string> {
  // The help needs no store.
  const { record } = await import('./record.ts');
  const recorded = await record(fuzzCount);
  await writeFile(file, recorded.map((each) => `${JSON.stringify(each)}\n`).join(''));
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
  return lines.map((line): Recorded => JSON.parse(line));
}
