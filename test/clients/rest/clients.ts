/** A REST client, whose program is in a folder of programs. */
export interface RestClient {
  readonly folder: string;
  /** The client's name in docs/rest-client.md. */
  readonly name: string;
  /** The packages whose versions docs/rest-client.md lists. */
  readonly packages: readonly string[];
  /** The command that generates the client in its folder, if it is a generated client. */
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
