import type { Context, Services } from '../definition.ts';
import type { GraphQLResolveInfo } from 'graphql';
import { loggedRequest } from '@store-gateway/ops';
import type { MutationResult, Violation } from '@store-gateway/graphql';
import { asRead, type Models } from '@store-gateway/data';
import { RESOURCES } from '@store-gateway/resource';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { PothosPrismaDatamodel } from '@pothos/plugin-prisma';
import { deduplicating } from './idempotency.ts';
import { asUnavailableToPrisma, raisedOf, violationOf } from '@store-gateway/postgres';

/** Records which mutation is being resolved, and reports its outcome to the request's operation. */
function onResolve(
  { onMutated }: Pick<Context, 'onMutated'>,
  { fieldName, path }: Pick<GraphQLResolveInfo, 'fieldName' | 'path'>,
): (result: MutationResult) => void {
  const request = loggedRequest();
  if (request !== undefined) {
    request.mutation = fieldName;
  }
  return (result) => onMutated?.(String(path.key), result);
}

const PLUGINS = [PrismaPlugin, RESOURCES] as const;

/** The types of a store's Pothos builder, from its Prisma client and the types that Pothos's generator has written. */
export interface BuilderTypes<Client, PrismaTypes> {
  Context: Context<Client>;
  PrismaTypes: PrismaTypes;
  // A bigint is serialized as its digits (packages/resource/src/scalars.ts).
  Scalars: { ID: { Input: string; Output: bigint | number | string } };
  DefaultFieldNullability: false;
}

/**
 * What a store's Pothos builder needs to be served by a gateway.
 *
 * @param models as the generator of batched-prisma has written them
 * @param dmmf as Pothos's generator has written it
 */
export function builderOptions(models: Models, dmmf: PothosPrismaDatamodel) {
  return {
    plugins: [...PLUGINS],
    defaultFieldNullability: false as const,
    prisma: {
      /** The request's client, which sees what its caller sees. */
      client: <Client>({ database }: Pick<Services<Client>, 'database'>): Client => database,
      dmmf,
    },
    violations: {
      /** The violated constraint that an error reports, if any. */
      violationOf: violationIn,
    },
    idempotency: {
      /** The request's context for a write that is done only once if the request has an idempotency key. */
      deduplicating,
    },
    mutations: {
      /** Called when a mutation has been resolved. */
      onResolve,
    },
    resources: {
      models,
      /** The condition that a row hasn't changed since it was read. */
      asRead: conditionsOf(models),
      /** The secret in the versions of rows. */
      versionKey: ({ versionKey }: Pick<Services, 'versionKey'>) => versionKey,
    },
    access: {
      /** What the caller may do. */
      scopesOf: ({ caller }: Pick<Context, 'caller'>) => caller.scopes,
    },
    lifecycle: {
      /** Milliseconds since 1970. */
      now: ({ now }: Pick<Services, 'now'>) => now(),
    },
  };
}

/** The condition that a row of one of these models hasn't changed since it was read. */
function conditionsOf(models: Models): (name: string, row: object) => object {
  return (name, row) => {
    const model = models[name];
    if (model === undefined) {
      throw new Error(
        `rows of ${name} can't be compared, because no statements can be generated for this model`,
      );
    }
    return asRead(model, { ...row });
  };
}

/**
 * Returns which of a field's inputs a database error rejects, if it reports that.
 *
 * @throws SERVICE_UNAVAILABLE if the database is unavailable, or the store's own error for a constraint or a SQLSTATE
 */
export async function violationIn(
  error: unknown,
  { violatedFields, violations = {} }: Pick<Context, 'violatedFields' | 'violations'>,
): Promise<Violation | undefined> {
  const known = asUnavailableToPrisma(error);
  if (known !== error) {
    throw known;
  }
  const violation = violationOf(error);
  // A trigger's message may be meant for operators: only a store that expects its SQLSTATE passes it on.
  const raised = raisedOf(error);
  const names = raised === undefined ? violation?.names : [raised.sqlState];
  const own = names?.find((name) => Object.hasOwn(violations, name));
  if (own !== undefined) {
    throw violations[own]?.(raised?.message ?? '');
  }
  return violation && { kind: violation.kind, ...(await violatedFields(violation)) };
}
