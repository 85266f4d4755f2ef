import type { TemporaryDirectory } from '../../test/support/temporary-directory.ts';
import { ORDERS } from '../load/orders.ts';
import { editedTree } from '../processes/edited-tree.ts';

const INDEXES = `  @@index([name, id])
  @@index([categoryId(sort: Desc), name, id])
  @@index([name(ops: raw("gin_trgm_ops"))], type: Gin)
`;

/** A copy of the gateway whose animals can be searched, and listed in other orders than that of their ids. */
export async function treeWithOrders(signal: AbortSignal): Promise<TemporaryDirectory> {
  const orders = Object.values(ORDERS).map((order) => JSON.stringify(order.split(',')));
  return editedTree(
    'orders',
    async (edit) => {
      await edit('prisma/schema.prisma', (text) =>
        text.replace('  @@map("pets")\n', (line) => INDEXES + line),
      );
      await edit('src/schema/pet.ts', (text) =>
        text.replace(
          /(?<=listField\(Pet, \{\n)  filters: .*?^  \}\),\n/ms,
          `  orderBy: [${orders.join(', ')}],\n  search: ['name'],\n`,
        ),
      );
      await edit('src/rest/routes.ts', (text) =>
        text
          .replace('$status: PetStatus', '$sort: [PetOrder!], $search: String')
          .replace('status: $status', 'orderBy: $sort, search: $search'),
      );
    },
    signal,
    'CREATE EXTENSION IF NOT EXISTS pg_trgm;\n',
  );
}
