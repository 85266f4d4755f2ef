import type { Context, Services } from '../definition.ts';
import type { GraphQLError, GraphQLResolveInfo } from 'graphql';
import { deduplicatingClient, asRead, type Models } from '@store-gateway/data';
import type { Idempotency, MutationResult, Violation } from '@store-gateway/graphql';
import { codedError } from '@store-gateway/ops/errors';
import { redactKeys, loggedRequest } from '@store-gateway/ops';
import { MAX_KEY_LENGTH, type DeduplicatedWrite, RESOURCES } from '@store-gateway/resource';
import { asUnavailableToPrisma, raisedOf, violationOf } from '@store-gateway/postgres';
import PrismaPlugin, { type PothosPrismaDatamodel } from '@pothos/plugin-prisma';

/**
 * The keys of a mutation's writes under an idempotency key. They depend on nothing that another mutation of the request does or
 * fails to do. That of the first write of the first mutation is the key itself, which an argument may repeat; others are longer
 * than any argument.
 */
function keySequence(idempotencyKey: string, place: number): () => string {
  let writes = 0;
  return () => {
    writes += 1;
    const name = writes === 1 ? String(place) : `${place}.${writes}`;
    return name === '1' ? idempotencyKey : `${idempotencyKey}${'\n'.repeat(MAX_KEY_LENGTH)}${name}`;
  };
}

/**
 * The context of a mutation, whose database deduplicates writes if the mutation's argument or its request has an idempotency
 * key.
 *
 * @throws BAD_USER_INPUT if the mutation takes none
 */
export function deduplicating<ContextOfStore extends Context>(
  context: ContextOfStore,
  argument: string | undefined,
  idempotency: Idempotency,
  { request, place }: DeduplicatedWrite,
): ContextOfStore {
  const key = argument ?? context.idempotencyKey;
  if (key === undefined) {
    return context;
  }
  if (idempotency === false) {
    throw takesNoKey();
  }
  const { caller, database } = context;
  const nextKey = keySequence(key, argument === undefined ? place() : 1);
  return {
    ...context,
    database: deduplicatingClient(database, {
      nextKey: () => ({ keyId: caller.id, name: storable(nextKey()) }),
      request,
      onReplay: context.onReplay,
      reusedError: () => codedError('IDEMPOTENCY_KEY_REUSED', idempotency.reused),
      unrepeatableError: takesNoKey,
    }),
  };
}

function takesNoKey(): GraphQLError {
  return codedError('BAD_USER_INPUT', 'This mutation does not accept an Idempotency-Key');
}

/** Rejects API keys in place of idempotency keys, which are stored as they are for a day. */
function storable(name: string): string {
  if (redactKeys(name) !== name) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not contain an API key');
  }
  return name;
}

/** Notes which field of Mutation is being resolved, and tells the request's operation what has become of it. */
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

/**
 * What an error of the database says of a field's inputs, if it does.
 *
 * @throws SERVICE_UNAVAILABLE if it says that there is no database, and the store's own error for a constraint or a SQLSTATE
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
  // What a trigger says may be meant for operators: only a store that expects its SQLSTATE passes it on.
  const raised = raisedOf(error);
  const names = raised === undefined ? violation?.names : [raised.sqlState];
  const own = names?.find((name) => Object.hasOwn(violations, name));
  if (own !== undefined) {
    throw violations[own]?.(raised?.message ?? '');
  }
  return violation && { kind: violation.kind, ...(await violatedFields(violation)) };
}

const PLUGINS = [PrismaPlugin, RESOURCES] as const;

/** The types of a store's Pothos builder, from its Prisma client and the types that Pothos's generator has written. */
export interface BuilderTypes<Client, PrismaTypes> {
  Context: Context<Client>;
  PrismaTypes: PrismaTypes;
  // A bigint is serialized as its digits (packages/resource/src/built-in-scalars.ts).
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
      /** What constraint of the database an error is about, if any. */
      violationOf: violationIn,
    },
    idempotency: {
      /** The request's context for a write that is done once, if it has an idempotency key. */
      deduplicating,
    },
    mutations: {
      /** Called when a mutation has been resolved. */
      onResolve,
    },
    resources: {
      models,
      /** The condition that a row of a model is as it was read. */
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

/** The condition that a row of one of these models is as it was read. */
function conditionsOf(models: Models): (name: string, row: object) => object {
  return (name, row) => {
    const model = models[name];
    if (model === undefined) {
      throw new Error(`rows of ${name} can't be compared: statements aren't made from this model`);
    }
    return asRead(model, { ...row });
  };
}
