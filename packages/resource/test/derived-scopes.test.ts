import { expect, test } from 'vitest';
import { int64, text, scopedMembersOf } from '@store-gateway/graphql';
import { membersSchema, type MembersBuilder } from './members.ts';

const scopes = ['personal'];

/** What needs scopes, with which. */
function needsOf(declare: (builder: MembersBuilder) => void): Record<string, readonly string[]> {
  return Object.fromEntries(
    scopedMembersOf(membersSchema(declare)).map(({ coordinate, member }) => [
      coordinate,
      member.extensions.scopes ?? [],
    ]),
  );
}

/** What a filter by a column needs that several fields show. */
const filterOf = (...fieldScopes: readonly (readonly string[])[]) =>
  needsOf((builder) => {
    const Member = builder.prismaObject('Member', {
      resource: { plural: 'members' },
      fields: (t) =>
        Object.fromEntries(
          fieldScopes.map((each, index) => [
            `email${index}`,
            t.exposeString('email', { scopes: each }),
          ]),
        ),
    });
    builder.listField(Member, {
      filters: (t) => ({ email: t.string({ rule: text(1, 9) }) }),
      find: () => Promise.resolve([]),
    });
  })['Query.members(email:)'];

test('a filter by a column needs what the field that shows the column for the least needs', () => {
  expect(filterOf(['a'])).toEqual(['a']);
  expect(filterOf(['a', 'b'], ['c'])).toEqual(['c']);
  expect(filterOf(['a'], [])).toBeUndefined();
});

test('a filter by a foreign key needs what the relation needs', () => {
  const needs = needsOf((builder) => {
    const Member = builder.prismaObject('Member', {
      resource: { plural: 'members' },
      fields: (t) => ({ id: t.exposeID('id'), owner: t.relation('owner', { scopes }) }),
    });
    builder.listField(Member, {
      filters: (t) => ({ ownerId: t.id({ rule: int64 }) }),
      find: () => Promise.resolve([]),
    });
  });
  expect(needs).toEqual({ 'Member.owner': scopes, 'Query.members(ownerId:)': scopes });
});

test('a filter by a column that a field with scopes is made of needs them, too', () => {
  const needs = needsOf((builder) => {
    const Member = builder.prismaObject('Member', {
      resource: { plural: 'members' },
      fields: (t) => ({
        domain: t.string({ select: { email: true }, scopes, resolve: () => '' }),
      }),
    });
    builder.listField(Member, {
      filters: (t) => ({ email: t.string({ rule: text(1, 9) }) }),
      find: () => Promise.resolve([]),
    });
  });
  expect(needs).toEqual({ 'Member.domain': scopes, 'Query.members(email:)': scopes });
});

test('what an interface declares holds for the types behind it', () => {
  const needs = needsOf((builder) => {
    const Thing = builder.interfaceRef<object>('Thing').implement({
      fields: (t) => ({
        text: t.string({
          scopes,
          args: { by: t.arg.id({ rule: int64, scopes: ['other'] }) },
          resolve: () => '',
        }),
      }),
    });
    builder.objectRef<object>('Card').implement({
      interfaces: [Thing],
      fields: (t) => ({
        text: t.string({ args: { by: t.arg.id({ rule: int64 }) }, resolve: () => '' }),
      }),
    });
  });
  expect(needs).toMatchObject({ 'Card.text': scopes, 'Card.text(by:)': ['other'] });
});
