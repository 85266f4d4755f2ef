import type { SchemaTypes } from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import type { RowRules } from '@store-gateway/data';
import { deprecationChecks, scopeChecks, walkSchema } from '@store-gateway/graphql';
import { checkedFields } from './checked-fields.ts';
import { foreignKeyOf } from './columns.ts';
import { deprecatedMembers, deprecatedTypes } from './lifecycle.ts';
import { exactScalars } from './scalars.ts';
import {
  changedColumns,
  createColumnScopes,
  describedScopes,
  expectedVersions,
  inheritedScopes,
  revealedColumns,
  sharedArguments,
} from './scopes.ts';
import { rowRules, ruledFields } from './visible-types.ts';

/**
 * Adds to a built schema what follows from its declarations. Each marker needs what those before it have added. The gateway's
 * `expectBoundedLists` adds the sizes of lists later, because it needs all models.
 */
export function markSchema<Types extends SchemaTypes>(
  schema: GraphQLSchema,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): void {
  const { access, lifecycle = Date } = builder.options;
  const columns = createColumnScopes((model, relation) => foreignKeyOf(model, relation, builder));
  const rules: Record<string, RowRules<object>[string]> = {};
  walkSchema(schema, [
    exactScalars(schema),
    deprecatedTypes,
    deprecatedMembers(schema),
    deprecationChecks,
    inheritedScopes,
    columns.marker,
    revealedColumns(columns.scopesOf),
    expectedVersions,
    changedColumns(schema, columns.scopesOf),
    sharedArguments,
    scopeChecks,
    describedScopes(access?.scopesOf),
    rowRules(rules),
    ruledFields(schema, rules, builder),
    checkedFields(schema, { scopesOf: access?.scopesOf, now: lifecycle.now }),
  ]);
}
