import { rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { bundleOf, inputLine, INPUTS } from '../packages/gateway/src/bundle.ts';

/*
 * Bundles what main.ts runs, for starts that take half the time: see packages/gateway/src/program.ts. Names and lines stay as
 * they are, and comments name the file of each part, so that stacks in the log can be read.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BUNDLE = bundleOf(ROOT);

/** What few starts load stays out: OpenTelemetry, engines, and what is for terminals and browsers. */
const EXTERNAL = [
  /^@opentelemetry\//,
  /query_compiler/,
  /^pino-pretty$/,
  // Commands run from the sources: with them, what they share with a start would be 30 small files more for it.
  /\.\/(?:commands|seed)\/(?:audit|backup|contracts|deprecations|documents|keys|migrate|seed)\.ts$/,
];

/** Has modules find their files as before. The bundle may be moved with the rest. */
const keepUrls: Plugin = {
  name: 'keep-urls',
  transform: {
    order: 'pre',
    handler: (code, id) => {
      const url = `new URL(${JSON.stringify(relative(BUNDLE, id))}, import.meta.url).href`;
      return code.includes('import.meta.url') ? code.replaceAll('import.meta.url', url) : null;
    },
  },
};

/** Packages that supervisors need as well, which do without Express and the schema. */
const NEEDED_BY_ALL =
  /\/packages\/(?:ops|opentelemetry|postgres|http\/src\/(?:limits|fair)|gateway\/src\/log)\//;

const bundle = await rolldown({
  preserveEntrySignatures: 'allow-extension',
  cwd: ROOT,
  input: ['src/gateway.ts'],
  platform: 'node',
  tsconfig: false,
  external: EXTERNAL,
  plugins: [keepUrls],
  logLevel: 'warn',
});
await rm(BUNDLE, { recursive: true, force: true });
await bundle.write({
  dir: BUNDLE,
  // Else what parts of a start share would be some 30 files of a few lines, each to be found and linked.
  codeSplitting: {
    groups: [{ name: 'shared', test: NEEDED_BY_ALL, minShareCount: 2 }],
    includeDependenciesRecursively: false,
  },
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
});
const inputs = (await bundle.watchFiles).map((file) => relative(ROOT, file));
const own = inputs.filter((path) => !path.includes('node_modules/')).toSorted();
// Last: without it there is no bundle.
await writeFile(BUNDLE + INPUTS, own.map((path) => inputLine(ROOT, path)).join('\n'));
await bundle.close();
