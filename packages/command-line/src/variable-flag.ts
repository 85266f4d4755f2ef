import { parseArgs, type ParseArgsConfig } from 'node:util';
import { VARIABLES } from '../../../src/commands/environment-variables.ts';

/** Tells what to do instead if an environment variable is given as a flag, such as `--port 5000` for PORT. */
export function variableGivenAsFlag(
  args: string[],
  options: NonNullable<ParseArgsConfig['options']>,
): string | undefined {
  const { tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flag = tokens
    .flatMap((token) => (token.kind === 'option' ? token.name : []))
    .find((name) => VARIABLES.has(variableOf(name)));
  return flag && `there is no flag --${flag}: set the environment variable ${variableOf(flag)}`;
}

function variableOf(flag: string): string {
  return flag.toUpperCase().replaceAll('-', '_');
}
