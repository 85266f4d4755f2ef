import { headers, show, url } from './show.tsx';
import { Client, fetchExchange, Provider } from 'urql';
import { cache, Pets } from './urql.tsx';

const client = new Client({
  url,
  exchanges: [cache, fetchExchange],
  preferGetMethod: false,
  fetchOptions: { headers },
});
await show(
  <Provider value={client}>
    <Pets />
  </Provider>,
);
