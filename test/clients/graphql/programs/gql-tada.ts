import { report } from './report.ts';
import { fetchExchange } from '@urql/core';
import { graphql } from 'gql.tada';
import { connectWith } from './urql-client.ts';

await report(connectWith([fetchExchange], graphql));
