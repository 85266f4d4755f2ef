export default {
  store: {
    input: '../openapi.json',
    output: {
      target: 'generated/store.ts',
      client: 'fetch',
      override: { mutator: { path: './store-fetch.ts', name: 'storeFetch' } },
    },
  },
};
