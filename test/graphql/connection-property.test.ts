import {
  array,
  assert,
  asyncProperty,
  bigInt,
  constantFrom,
  oneof,
  option,
  record,
} from 'fast-check';
import { expect, test } from 'vitest';
import { PetStatus } from '../../prisma/generated/enums.ts';
import { PAGE_FIELDS, pageBySpecification, type StoredPet } from '../support/connection-model.ts';
import { executedThrice } from '../support/executed-thrice.ts';
import { startGateway } from '../support/gateway.ts';
import { propertyRuns } from '../support/property-runs.ts';

const gateway = await startGateway();
const { pet } = gateway.database;
const stored = new Map<bigint, StoredPet>();

const id = oneof(
  bigInt({ min: 1n, max: 40n }),
  constantFrom(-(2n ** 63n), -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n),
);
const status = constantFrom(...Object.values(PetStatus));
const size = constantFrom(0, 1, 2, 3, 5, 20, 100);
const changes = array(record({ id, status: option(status) }), { maxLength: 8 });
const pages = array(
  record({
    direction: constantFrom('first' as const, 'last' as const),
    size,
    status: option(status),
    after: option(id.map(String)),
    before: option(id.map(String)),
  }),
  // Five pages of 100 are over the limit of complexity, 5,000.
  { minLength: 1, maxLength: 4 },
);

/** Adds an animal, or removes the one of this id. */
async function change(changed: { readonly id: bigint; readonly status: PetStatus | null }) {
  await pet.deleteMany({ where: { id: changed.id } });
  stored.delete(changed.id);
  if (changed.status !== null) {
    const added = { id: changed.id, status: changed.status };
    await pet.create({ data: { ...added, name: 'Rex', categoryId: 1n } });
    stored.set(added.id, added);
  }
}

test('pages are those of the specification, whatever is added and removed between them', async () => {
  const property = asyncProperty(changes, pages, async (changed, asked) => {
    for (const each of changed) {
      await change(each);
    }
    const selections = asked.map(
      ({ direction, size: most, ...others }, index) =>
        `p${index}: petsConnection(${direction}: ${most}, status: ${others.status}, after: ${others.after}, before: ${others.before}) { ${PAGE_FIELDS} }`,
    );
    const { text } = await executedThrice(gateway, `{ ${selections.join(' ')} }`);
    const data: Record<string, object> = {};
    for (const [index, { direction, size: most, ...others }] of asked.entries()) {
      const args = { ...others, [direction]: most };
      data[`p${index}`] = pageBySpecification([...stored.values()], args);
    }
    expect(JSON.parse(text)).toEqual({ data });
  });
  await assert(property, propertyRuns(60));
});
