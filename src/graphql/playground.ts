import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** An HTML page that is made once and sent often. */
export interface Page {
  readonly html: Buffer;
  readonly gzipped: Buffer;
  /** A strong entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
  readonly contentSecurityPolicy: string;
}

const FIRST_QUERY = `# Every operation needs an API key:
# put it behind "Bearer " in the Headers tab below.

query listPets {
  pets(status: available, limit: 20) {
    id
    name
    categoryId
    status
  }
}

mutation createPet {
  createPet(input: { name: "Rex", categoryId: 1 }) {
    id
    status
  }
}
`;

let playground: Promise<Page> | undefined;

/**
 * GraphiQL with all its assets inside. It is 9 MB, so it is loaded, rendered and compressed when it is
 * first asked for, and once.
 */
export async function renderPlayground(): Promise<Page> {
  playground ??= render();
  return playground;
}

async function render(): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const html = renderGraphiQL({
    title: 'Animal Store Gateway',
    defaultQuery: FIRST_QUERY,
    headers: JSON.stringify({ Authorization: 'Bearer ' }, null, 2),
  });
  const scripts = Array.from(
    html.matchAll(/<script>(.*?)<\/script>/gs),
    ([, script = '']) => script,
  );
  const bytes = Buffer.from(html);
  return {
    html: bytes,
    gzipped: await promisify(gzip)(bytes),
    etag: `"${sha256(bytes).slice(0, 22)}"`,
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src ${scripts.map((script) => `'sha256-${sha256(script)}'`).join(' ')}`,
      "style-src 'unsafe-inline'",
      'font-src data:',
      "img-src 'self' data:",
      "connect-src 'self'",
      'worker-src blob:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
