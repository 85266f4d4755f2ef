import { expect } from 'vitest';
import { runEntry, type ChildEntry } from './process.ts';

export interface Service extends AsyncDisposable {
  readonly child: ChildEntry;
  /** Where it listens. */
  readonly url: string;
}

/** The service as a process of its own, on a free port, once it listens. */
export async function startService(env: NodeJS.ProcessEnv): Promise<Service> {
  const child = runEntry('src/main.ts', { env: { PORT: '0', ...env } });
  const line = await child.line('stdout', (text) => text.includes('"msg":"listening"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  return { child, url, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/** The key that a service shows on its first start. */
export async function firstKey({ child }: Service): Promise<string> {
  return (await child.line('stderr', (line) => /^ {2}asg_\w+$/.test(line))).trim();
}

/** The one line that a start which has to fail leaves on stderr; expects that there is nothing else. */
export async function failedStart(env: NodeJS.ProcessEnv): Promise<string> {
  await using child = runEntry('src/main.ts', { env: { PORT: '0', ...env } });
  const exit = await child.exit;
  expect({ ...exit, stdout: child.stdout() }).toEqual({ code: 1, signal: null, stdout: '' });
  expect(child.stderr()).toMatch(/^animal-store-gateway: .+\n$/);
  return child.stderr().replace(/^animal-store-gateway: (.+)\n$/, '$1');
}
