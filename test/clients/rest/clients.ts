/** A client of REST whose program is in programs, in a folder of its name. */
export interface RestClient {
  readonly folder: string;
  /** As docs/rest-client.md calls it. */
  readonly name: string;
  /** The packages whose versions docs/rest-client.md has. */
  readonly packages: readonly string[];
  /** The command that generates the client, in its folder; a client that is not generated has none. */
  readonly generate?: readonly [program: string, ...args: string[]];
}

export const CLIENTS: readonly RestClient[] = [
  {
    folder: 'openapi-fetch',
    name: 'openapi-typescript, openapi-fetch',
    packages: ['openapi-typescript', 'openapi-fetch'],
    generate: ['openapi-typescript', '../openapi.json', '--output', 'generated/store.d.ts'],
  },
  {
    folder: 'hey-api',
    name: 'Hey API, with zod',
    packages: ['@hey-api/openapi-ts', 'zod'],
    generate: ['openapi-ts'],
  },
  { folder: 'orval', name: 'Orval', packages: ['orval'], generate: ['orval'] },
  {
    folder: 'kubb',
    name: 'Kubb',
    packages: ['@kubb/plugin-client'],
    generate: ['kubb', 'generate'],
  },
  {
    folder: 'swagger-typescript-api',
    name: 'swagger-typescript-api',
    packages: ['swagger-typescript-api'],
    generate: [
      'swagger-typescript-api',
      'generate',
      '--path',
      '../openapi.json',
      '--output',
      'generated',
      '--name',
      'store.ts',
    ],
  },
  { folder: 'ky', name: 'ky, without a generator', packages: ['ky'] },
];
