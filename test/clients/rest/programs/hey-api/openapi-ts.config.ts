import { defineConfig } from '@hey-api/openapi-ts';

export default defineConfig({
  input: '../openapi.json',
  output: 'generated',
  plugins: [
    '@hey-api/client-fetch',
    { name: '@hey-api/transformers', bigInt: true },
    'zod',
    { name: '@hey-api/sdk', transformer: true, validator: true },
  ],
});
