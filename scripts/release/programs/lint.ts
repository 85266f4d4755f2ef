// Prints what publint and "Are the types wrong?" find in tarballs: one line each, or nothing.
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/**
 * Whether a problem concerns a module resolution that doesn't matter for a package of ES modules only: Node 10 ignores `exports`,
 * and CommonJS can load such a package with `require()` since Node 22.12. `attw --profile esm-only` ignores the same problems.
 */
const isOfOldResolution = (kind: string | undefined): boolean =>
  kind === 'node10' || kind === 'node16-cjs';

async function ofPublint(tarball: ArrayBuffer): Promise<string[]> {
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  return messages.map(
    (message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`,
  );
}

async function ofTypes(tarball: ArrayBuffer): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
  if (result.types === false) return ['attw: no types'];
  return result.problems
    .filter(
      (problem) => !('resolutionKind' in problem && isOfOldResolution(problem.resolutionKind)),
    )
    .map((problem) => `attw: ${JSON.stringify(problem)}`);
}

for (const path of process.argv.slice(2)) {
  const { buffer } = Uint8Array.from(await readFile(path));
  for (const problem of [...(await ofPublint(buffer)), ...(await ofTypes(buffer))]) {
    process.stdout.write(`${basename(path)}: ${problem}\n`);
  }
}
