import { rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { bundleOf, inputLine, INPUTS } from '../packages/gateway/src/bundle.ts';

/*
 * Bundles the code that main.ts runs, which halves the time of a start: see packages/gateway/src/program.ts. Names and lines are
 * preserved, and comments name the file of each part, so that stack traces in the log remain readable.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BUNDLE = bundleOf(ROOT);

/** Modules that are left out because few starts load them: OpenTelemetry, engines, and modules for terminals and browsers. */
const EXTERNAL = [
  /^@opentelemetry\//,
  /query_compiler/,
  /^pino-pretty$/,
  // Commands run from the sources. In the bundle, the code that they share with a start would add 30 small files to load.
  /\.\/(?:commands|seed)\/(?:audit|contracts|database|deprecations|documents|keys|seed)\.ts$/,
];

/** Makes modules find their files as before bundling, even if the bundle is moved together with the rest. */
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

/** Packages that supervisors need as well, which load neither Express nor the schema, and the manifest that `postgres` imports. */
const NEEDED_BY_ALL =
  /\/packages\/(?:ops|opentelemetry|postgres|http\/src\/(?:limits|fair)|gateway\/src\/log)\/|\/pg\/package\.json$/;

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
const { output } = await bundle.write({
  dir: BUNDLE,
  // Otherwise, the code that several parts share would be split into some 30 files of a few lines, each to be found and linked.
  codeSplitting: {
    groups: [{ name: 'shared', test: NEEDED_BY_ALL, minShareCount: 2 }],
    includeDependenciesRecursively: false,
  },
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
});
// Parts that import each other would run in an order in which constants may not be initialized yet.
let parts = output.filter((part) => part.type === 'chunk');
for (let count = Infinity; parts.length < count;) {
  count = parts.length;
  const names = new Set(parts.map(({ fileName }) => fileName));
  const imported = new Set(parts.flatMap(({ imports }) => imports));
  parts = parts.filter(
    ({ fileName, imports }) => imported.has(fileName) && imports.some((name) => names.has(name)),
  );
}
if (parts.length > 0) {
  const names = parts.map(({ fileName }) => fileName).join(', ');
  throw new Error(`parts of the bundle import each other: ${names}`);
}
const inputs = (await bundle.watchFiles).map((file) => relative(ROOT, file));
const own = inputs.filter((path) => !path.includes('node_modules/')).toSorted();
// Written last, because the bundle isn't used without this file.
await writeFile(BUNDLE + INPUTS, own.map((path) => inputLine(ROOT, path)).join('\n'));
await bundle.close();
