import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';

const GATEWAY = join(import.meta.dirname, '../../packages/gateway');
const GENERATED = join(GATEWAY, 'src/graphql/playground/generated');

const notices = await readFile(join(GATEWAY, 'THIRD-PARTY-NOTICES.md'), 'utf8');
const files = (await readdir(GENERATED)).map((file) => file.replace(/\.br$/, ''));

/** Comments that licences require to be kept. Most are missing from GraphiQL's bundled code. */
const LEGAL_COMMENT = /\/\*!.*?\*\//gs;

test('the notices name the installed version of GraphiQL', async () => {
  // A different version may include other packages; the notices describe how to list them.
  const manifest = await readFile(join(GATEWAY, 'package.json'), 'utf8');
  const [, version] = /"@graphql-yoga\/render-graphiql": "([^"]+)"/.exec(manifest) ?? [];
  expect(notices).toContain(`version ${version} of \`@graphql-yoga/render-graphiql\``);
});

test("the notices name the playground's fonts", async () => {
  expect(new Set(files.map((file) => file.split('.').at(-1)))).toEqual(
    new Set(['css', 'js', 'ttf', 'woff', 'woff2']),
  );
  const faces = (await textOf('graphiql.css')).matchAll(/@font-face\{[^}]*?font-family:([^;}]+)/g);
  const families = new Set(Array.from(faces, ([, family = '']) => family.replaceAll('"', '')));
  expect(families.size).toBeGreaterThan(0);
  expect(Array.from(families).filter((family) => !isNamed(family))).toEqual([]);
});

test("the notices name the packages in the playground's license comments", async () => {
  const scripts = files.filter((file) => /\.(?:css|js)$/.test(file));
  const comments = (await Promise.all(scripts.map(textOf))).flatMap(
    (text) => text.match(LEGAL_COMMENT) ?? [],
  );
  const packages = new Set(comments.flatMap(packagesIn));
  expect(packages.size).toBeGreaterThan(0);
  expect(Array.from(packages).filter((name) => !isNamed(name))).toEqual([]);
});

/** Returns the packages whose files a comment lists, or the comment itself if it lists none. */
function packagesIn(comment: string): readonly string[] {
  const paths = Array.from(comment.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+)\/\S+:$/gm));
  return paths.length === 0 ? [comment] : paths.map(([, name = '']) => name);
}

function isNamed(name: string): boolean {
  return notices.includes(`\`${name}\``) || notices.includes(`\`${name.replace(/\/.*$/, '/*')}\``);
}

async function textOf(file: string): Promise<string> {
  return brotliDecompressSync(await readFile(join(GENERATED, `${file}.br`))).toString();
}
