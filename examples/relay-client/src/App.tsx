import { Suspense } from 'react';
import { graphql, RelayEnvironmentProvider, useLazyLoadQuery } from 'react-relay';
import type { Environment } from 'relay-runtime';
import type { AppQuery } from './__generated__/AppQuery.graphql';
import { PAGE, PetList } from './PetList.tsx';

const firstPage = graphql`
  query AppQuery($first: Int, $after: ID) {
    ...PetList_pets @arguments(first: $first, after: $after)
  }
`;

/** The cursor that the list begins behind; null for its start. */
type Start = { readonly after: string | null };

function Pets({ after }: Start) {
  const query = useLazyLoadQuery<AppQuery>(firstPage, { first: PAGE, after });
  return <PetList query={query} />;
}

export function App({ store, after }: { readonly store: Environment } & Start) {
  return (
    <RelayEnvironmentProvider environment={store}>
      <Suspense fallback={<p aria-busy="true">Loading…</p>}>
        <Pets after={after} />
      </Suspense>
    </RelayEnvironmentProvider>
  );
}
