import { report } from './report.ts';
import relay from 'relay-runtime';
import { requestOf } from './relay-request.ts';

const { commitMutation, Environment, fetchQuery, Network, RecordSource, Store } = relay;

await report(({ url, headers }) => {
  // Follows Relay's documentation: https://relay.dev/docs/guides/network-layer/
  const network = Network.create(async ({ text }, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ query: text, variables }),
    });
    return response.json();
  });
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  return async (document, variables) => {
    const request = await requestOf(document);
    if (document.startsWith('query')) {
      return { data: await fetchQuery(environment, request, variables).toPromise() };
    }
    return new Promise((resolve, reject) => {
      commitMutation(environment, {
        mutation: request,
        variables,
        onCompleted: (data, errors) => resolve({ data, error: { errors } }),
        onError: reject,
      });
    });
  };
});
