import { expect, test } from 'vitest';
import { int64, text } from '@store-gateway/graphql';
import { membersBuilder, membersSchema, type MembersBuilder } from './members.ts';

const scopes = ['personal'];

test.each<[reason: string, declare: (builder: MembersBuilder) => void]>([
  [
    'Card needs the scope personal, which Thing would bypass: declare it there, too',
    (builder) => {
      const Thing = builder.interfaceRef<object>('Thing').implement({});
      builder.objectRef<object>('Card').implement({
        scopes,
        interfaces: [Thing],
        fields: (t) => ({ text: t.string({ resolve: () => '' }) }),
      });
    },
  ],
  [
    'Card needs the scope personal, which Any would bypass: declare it there, too',
    (builder) => {
      const Card = builder.objectRef<object>('Card').implement({
        scopes,
        fields: (t) => ({ text: t.string({ resolve: () => '' }) }),
      });
      builder.unionType('Any', { types: [Card], resolveType: () => Card });
    },
  ],
  [
    'Query.find(by:) is required and needs the scope personal: declare it on the whole field, or make the input optional',
    (builder) => {
      builder.queryField('find', (t) =>
        t.int({
          args: { by: t.arg.id({ required: true, rule: int64, scopes }) },
          resolve: () => 1,
        }),
      );
    },
  ],
  [
    "Query.find(by:) needs the scope personal and therefore can't have a default",
    (builder) => {
      builder.queryField('find', (t) =>
        t.int({
          args: { by: t.arg.id({ defaultValue: '1', rule: int64, scopes }) },
          resolve: () => 1,
        }),
      );
    },
  ],
  [
    'New.email is required and needs the scope personal: declare it on the whole field, or make the input optional',
    (builder) => {
      builder.inputType('New', {
        fields: (t) => ({ email: t.string({ required: true, rule: text(1, 9), scopes }) }),
      });
    },
  ],
  [
    "Query.find(by:) can't have the default email, which needs a scope",
    (builder) => {
      const By = builder.inputType('By', {
        fields: (t) => ({ email: t.string({ rule: text(1, 9), scopes }) }),
      });
      builder.queryField('find', (t) =>
        t.int({
          args: { by: t.arg({ type: By, defaultValue: { email: 'a' } }) },
          resolve: () => 1,
        }),
      );
    },
  ],
  [
    'members lists rows whose ids need the scope personal, and its cursors would reveal them: declare the scope on the type Member',
    (builder) => {
      const Member = builder.prismaObject('Member', {
        resource: { plural: 'members' },
        fields: (t) => ({ id: t.exposeID('id', { scopes }) }),
      });
      builder.listField(Member, { find: () => Promise.resolve([]) });
    },
  ],
])('refused at the start: %s', (reason, declare) => {
  expect(() => membersSchema(declare)).toThrow(reason);
});

test('a builder without access can’t have scopes, as nobody could be asked for them', () => {
  const builder = membersBuilder(undefined);
  builder.queryType({ fields: (t) => ({ here: t.boolean({ scopes, resolve: () => true }) }) });
  expect(() => builder.toSchema()).toThrow(
    'Query.here needs a scope: give the builder the option access.scopesOf',
  );
});
