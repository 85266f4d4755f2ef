import { report } from './report.ts';
import { fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { connectWith } from './urql-client.ts';

const cache = cacheExchange({ resolvers: { Query: { petsConnection: relayPagination() } } });
await report(connectWith([cache, fetchExchange]));
