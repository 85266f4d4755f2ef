import type { SchemaTypes } from '@pothos/core';
import { defaultFieldResolver, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { scopesInWords, type Scopes } from '@store-gateway/ops/errors';
import { takingRowsAs } from '@store-gateway/ops';
import { checkScopes, scopedMembersOf, expectScopes, scopesOfField } from '@store-gateway/graphql';
import type { AnyTypes } from './builder-prototype.ts';
import type { ForeignKeyOf } from './column-scopes.ts';
import { deriveScopes } from './derived-scopes.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Needed by schemas that declare scopes. */
      access?: {
        readonly scopesOf: (context: Types['Context']) => Scopes;
      };
    }
    interface ObjectTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface InterfaceTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface UnionTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface FieldOptions {
      /** What callers need for this field, beside `read` for Query and `write` for Mutation. */
      scopes?: readonly string[];
    }
    interface InputFieldOptions {
      /** What callers need to give this, which can't be required or have a default then. */
      scopes?: readonly string[];
    }
  }
}

type AnyContext = AnyTypes['Context'];

/**
 * Completes the scopes of a schema, and has its fields ask for them, but for those of Query and Mutation: what these need is
 * asked before anything is executed.
 *
 * @throws if something would go round a scope
 */
export function enforceScopes(
  schema: GraphQLSchema,
  foreignKeyOf: ForeignKeyOf,
  scopesOf: ((context: AnyContext) => Scopes) | undefined,
): void {
  deriveScopes(schema, foreignKeyOf);
  checkScopes(schema);
  const [first, ...others] = scopedMembersOf(schema);
  if (first === undefined) {
    return;
  }
  if (scopesOf === undefined) {
    throw new Error(
      `${first.coordinate} needs a scope, so that the builder needs the option access.scopesOf`,
    );
  }
  for (const { member } of [first, ...others]) {
    const { description, extensions } = member;
    member.description =
      `${description ?? ''}\n\nNeeds the ${scopesInWords(extensions.scopes ?? [])}.`.trim();
  }
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (!roots.has(type)) {
      Object.values(type.getFields()).forEach((field) => {
        enforce(field, scopesOf);
      });
    }
  }
}

/** Whoever lacks a scope learns nothing of the row: not even what is wrong with the arguments. */
function enforce(
  field: GraphQLField<unknown, AnyContext>,
  scopesOf: (context: AnyContext) => Scopes,
): void {
  const needed = scopesOfField(field);
  if (needed.length === 0) {
    return;
  }
  const { resolve = defaultFieldResolver } = field;
  field.resolve = takingRowsAs(resolve, function resolveWithinScopes(root, args, context, info) {
    expectScopes(scopesOf(context), needed);
    const value: unknown = resolve(root, args, context, info);
    return value;
  });
}
