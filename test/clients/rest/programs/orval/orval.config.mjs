export default {
  store: {
    input: '../openapi.json',
    output: {
      target: 'generated/store.ts',
      client: 'fetch',
      override: { mutator: { path: './store-fetch.ts', name: 'storeFetch' } },
    },
  },
  alone: {
    input: '../openapi.json',
    output: {
      target: 'generated/alone.ts',
      client: 'fetch',
      baseUrl: { runtime: "process.env['ANIMAL_STORE_URL'] + '/v1'" },
    },
  },
};
