import { spawnSync } from 'node:child_process';
import type { TestProject } from 'vitest/node';
import { serveTarballs } from './registry.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a registry with the packages from `npm run pack`. */
    registryUrl: string;
  }
}

/** Packs all packages, once for all test files, and serves them to npm. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { status } = spawnSync('npm', ['run', '--silent', 'pack'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('npm run pack has failed');
  const registry = await serveTarballs();
  project.provide('registryUrl', registry.url);
  return async () => {
    await registry[Symbol.asyncDispose]();
  };
}
