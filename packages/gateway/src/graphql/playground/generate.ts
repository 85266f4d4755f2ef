import { mkdir, rm, writeFile } from 'node:fs/promises';
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';
import { preparePublicDocument, versionOf } from '@store-gateway/http';

/*
 * Splits GraphiQL's module of 9 MB into the files that its page loads, compressed with Brotli. This is a step of `npm ci`,
 * because it would take 0.2 s and 130 MB at run time.
 */

const GENERATED = new URL('generated/', import.meta.url);

const INLINE_FONT = /url\(data:font\/(\w+);base64,([^)]*)\)/g;

await rm(GENERATED, { recursive: true, force: true });
await mkdir(GENERATED);
await Promise.all([
  write('graphiql.js', graphiql.js),
  write('graphiql.css', await extractFonts(graphiql.css)),
  write('worker-editorWorkerService.js', graphiql.editorWorkerService),
  write('worker-json.js', graphiql.jsonWorker),
  write('worker-graphql.js', graphiql.graphqlWorker),
]);

/**
 * Moves the fonts, which are half of the style sheet, into separate files, so that a browser loads only fonts whose characters
 * are on the page.
 */
async function extractFonts(css: string): Promise<string> {
  const references = new Map<string, string>();
  for (const [inline, format = '', base64 = ''] of css.matchAll(INLINE_FONT)) {
    const content = Buffer.from(base64, 'base64');
    const name = `${await versionOf(content)}.${format}`;
    references.set(inline, `url(${name}?${await write(name, content)})`);
  }
  return css.replaceAll(INLINE_FONT, (inline) => references.get(inline) ?? inline);
}

/** @returns the file's version */
async function write(name: string, content: string | Uint8Array): Promise<string> {
  const { encoded } = await preparePublicDocument(content, '');
  const brotli = Buffer.from(await encoded.br());
  await writeFile(new URL(`${name}.br`, GENERATED), brotli);
  return versionOf(brotli);
}
