import { expect, test } from 'vitest';
import { installedVersion } from './installed.ts';
import { documentedTable } from './table.ts';

const PACKAGES = {
  'openapi-typescript and openapi-fetch': ['openapi-typescript', 'openapi-fetch'],
  'Hey API': ['@hey-api/openapi-ts'],
  Orval: ['orval'],
  Kubb: ['@kubb/plugin-client'],
  'swagger-typescript-api': ['swagger-typescript-api'],
} as const;

test('docs/clients.md has the versions that are installed', async () => {
  const rows = await documentedTable('REST clients');
  const installed = await Promise.all(
    Object.entries(PACKAGES).map(async ([Client, names]) => {
      const versions = await Promise.all(names.map(installedVersion));
      return { Client, Version: versions.join(' and ') };
    }),
  );
  expect(rows).toEqual(installed);
});
