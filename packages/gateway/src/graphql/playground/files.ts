import { readFile } from 'node:fs/promises';
import { versionOf } from '@gateway/http-server/http/public-document';

/** A file that the page of GraphiQL loads. */
export interface PlaygroundFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const INLINE_FONT = /url\(data:font\/(\w+);base64,([^)]*)\)/g;

/** Our own files. */
const OWN = [
  ['start.js', SCRIPT],
  ['accessibility.js', SCRIPT],
  ['style.css', STYLE],
  ['graphiql-fixes.css', STYLE],
] as const;

/** Monaco's workers, by Monaco's name for them. */
export const WORKERS = {
  editorWorkerService: 'editor-worker.js',
  json: 'json-worker.js',
  graphql: 'graphql-worker.js',
} as const;

/** All files of the page. GraphiQL's are 8 MB in one module, which takes 0.1 s to load. */
export async function readPlaygroundFiles(): Promise<readonly PlaygroundFile[]> {
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql');
  const { css, fonts } = await extractFonts(graphiql.css);
  const own = OWN.map(async ([name, mediaType]) => ({
    name,
    mediaType,
    content: await readFile(new URL(`browser/${name}`, import.meta.url)),
  }));
  return [
    textFile('graphiql.js', SCRIPT, graphiql.js),
    textFile('graphiql.css', STYLE, css),
    textFile(WORKERS.editorWorkerService, SCRIPT, graphiql.editorWorkerService),
    textFile(WORKERS.json, SCRIPT, graphiql.jsonWorker),
    textFile(WORKERS.graphql, SCRIPT, graphiql.graphqlWorker),
    ...fonts,
    ...(await Promise.all(own)),
  ];
}

/** Fonts are half of the style sheet: as files of their own, a browser loads those whose characters are on the page. */
async function extractFonts(
  css: string,
): Promise<{ readonly css: string; readonly fonts: readonly PlaygroundFile[] }> {
  const fonts = new Map<string, PlaygroundFile & { readonly reference: string }>();
  for (const [inline, format = '', base64 = ''] of css.matchAll(INLINE_FONT)) {
    const content = Buffer.from(base64, 'base64');
    const version = await versionOf(content);
    const name = `${version}.${format}`;
    fonts.set(inline, {
      name,
      mediaType: `font/${format}`,
      content,
      reference: `url(${name}?${version})`,
    });
  }
  return {
    css: css.replaceAll(INLINE_FONT, (inline) => fonts.get(inline)?.reference ?? inline),
    fonts: [...fonts.values()],
  };
}

function textFile(name: string, mediaType: string, text: string): PlaygroundFile {
  return { name, mediaType, content: Buffer.from(text) };
}
