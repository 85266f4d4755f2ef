/**
 * To be imported before the service (`node --import`): its requests wait for the database longer than a machine takes on
 * which much else runs, as those of gateway.ts do.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What a module says, and what it is to say instead. */
const CHANGES: readonly (readonly [file: string, text: string, replacement: string])[] = [
  [
    'packages/postgres/src/pool.ts',
    '{ connection: 800, statement: 800 }',
    '{ connection: 20_000, statement: 20_000 }',
  ],
  [
    'packages/graphql-execution/src/deadline.ts',
    'REQUEST_TIMEOUT_MS = 1800',
    'REQUEST_TIMEOUT_MS = 20_000',
  ],
  // Only from the sources are there modules to change.
  ['src/program.ts', 'isBundled() ?', 'false ?'],
];

const changes = new Map(
  CHANGES.map(([file, text, replacement]) => [
    new URL(`../../${file}`, import.meta.url).href,
    { file, text, replacement },
  ]),
);

registerHooks({
  load: (url, context, nextLoad) => {
    const change = changes.get(url);
    if (change === undefined) {
      return nextLoad(url, context);
    }
    const { file, text, replacement } = change;
    const parts = readFileSync(fileURLToPath(url), 'utf8').split(text);
    if (parts.length !== 2) {
      throw new Error(`${file} has ${text} ${parts.length - 1} times, not once`);
    }
    return {
      format: 'module-typescript',
      source: parts.join(replacement),
      shortCircuit: true,
    };
  },
});
