import { defineConfig, type Plugin } from 'vite';

const DOCUMENT = /graphql`\s*(?:query|mutation|fragment)\s+(\w+)[^`]*`/g;

/** Puts in the place of each document what relay-compiler has made of it, as babel-plugin-relay and Next.js do. */
const relayDocuments: Plugin = {
  name: 'relay-documents',
  enforce: 'pre',
  transform(code) {
    const names = Array.from(code.matchAll(DOCUMENT), ([, name]) => name);
    const imports = names.map(
      (name) => `import ${name}_document from './__generated__/${name}.graphql';`,
    );
    return [...imports, code.replaceAll(DOCUMENT, '$1_document')].join('\n');
  },
};

export default defineConfig({
  plugins: [relayDocuments],
  logLevel: 'warn',
  // One file for Node.
  build: { ssr: 'src/main.tsx', target: 'node24' },
  ssr: { noExternal: true },
});
