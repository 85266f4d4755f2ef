import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleOf, INPUTS, inputLine } from './bundle.ts';
import { WORKER } from './commands/worker-command.ts';
import type { runGateway } from './gateway.ts';

/** Returns the root folder of a project whose program is in `src`. */
const rootOf = (program: string): string => fileURLToPath(new URL('../', program));

/** The exports of `src/gateway.ts`. */
interface Program {
  /** Runs the gateway's command line with the process's arguments. */
  readonly run: (args: readonly string[]) => ReturnType<typeof runGateway>;
}

/**
 * Runs the program's `gateway.ts` from the bundle. Finding and linking the same code as 800 modules would double the startup
 * time, and use 40 MB more memory. Without a bundle, or if a source file has changed since, it runs from the sources.
 *
 * @param program the URL of the program, below the folder `src` of its project
 * @param load imports `gateway.ts` from the sources
 */
export async function runProgram(program: string, load: () => Promise<Program>): Promise<void> {
  const root = rootOf(program);
  const args = process.argv.slice(2);
  const { run } = isServing(args) && isBundled(root) ? await loadBundle(root) : await load();
  await run(args);
}

/** Whether the command starts the service. Other commands aren't in the bundle. */
function isServing([name = '']: readonly string[]): boolean {
  return name === '' || name.startsWith('-') || name === 'serve' || name === WORKER;
}

async function loadBundle(root: string): Promise<Program> {
  const loaded: unknown = await import(pathToFileURL(`${bundleOf(root)}gateway.mjs`).href);
  if (!isProgram(loaded)) {
    throw new TypeError(
      'the bundle does not contain a gateway: create it again with npm run bundle',
    );
  }
  return loaded;
}

function isProgram(loaded: unknown): loaded is Program {
  return (
    typeof loaded === 'object' &&
    loaded !== null &&
    'run' in loaded &&
    typeof loaded.run === 'function'
  );
}

function isBundled(root: string): boolean {
  let inputs: string;
  try {
    inputs = readFileSync(bundleOf(root) + INPUTS, 'utf8');
  } catch {
    return false;
  }
  return inputs
    .split('\n')
    .every((line) => line === inputLine(root, line.replace(/^\d+ \d+ /, '')));
}
