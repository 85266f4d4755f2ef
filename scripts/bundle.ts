import { rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';
import { bundleOf, inputLine, INPUTS } from '@gateway/gateway/program';

/*
 * Bundles what main.ts runs, for starts that take half the time: see packages/gateway/src/program.ts. Names and lines stay as
 * they are, and comments name the file of each part, so that stacks in the log can be read.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BUNDLE = bundleOf(ROOT);

/** What few starts load stays out: OpenTelemetry, engines, and what is for terminals and browsers. */
const EXTERNAL = [
  /^@opentelemetry\//,
  /^@graphql-yoga\/render-graphiql/,
  /query_compiler/,
  /^pino-pretty$/,
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

const bundle = await rolldown({
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
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
});
const inputs = (await bundle.watchFiles).map((file) => relative(ROOT, file));
const own = inputs.filter((path) => !path.includes('node_modules/')).toSorted();
// Last: without it there is no bundle.
await writeFile(BUNDLE + INPUTS, own.map((path) => inputLine(ROOT, path)).join('\n'));
await bundle.close();
