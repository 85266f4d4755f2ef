import { report } from './report.ts';
import { createRequire } from 'node:module';
import { fetchExchange } from '@urql/core';
import { connectWith } from './urql-client.ts';

// As the example has it: its types need a compiler of its own.
const example = new URL('../../../../examples/graphql-client/package.json', import.meta.url);
const { graphql } = createRequire(example)('gql.tada');

await report(connectWith([fetchExchange], graphql));
