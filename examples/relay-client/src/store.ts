import { Environment, Network, type FetchFunction } from 'relay-runtime';

/** @param url of the service */
export function createStore(url: string, apiKey: string): Environment {
  const send: FetchFunction = async ({ text }, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: text, variables }),
    });
    // oxlint-disable-next-line typescript/no-unsafe-return -- relay-compiler knows the types of results
    return response.json();
  };
  return new Environment({
    network: Network.create(send),
    // An id is unique among its type only.
    getDataID: ({ id }: { id?: string }, typeName) =>
      id === undefined ? null : `${typeName}:${id}`,
  });
}
