import { isObjectType, type GraphQLSchema } from 'graphql';
import { auditingClient, type AuditEntry, type Models } from '@store-gateway/data';
import { loggedRequest } from '@store-gateway/ops';

/** A type whose rows are audited. */
export interface AuditedType {
  readonly name: string;
  readonly model: string;
}

/** The types with `audit: true`. @throws if one has no model */
export function auditedTypes(schema: GraphQLSchema): readonly AuditedType[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || type.extensions.resource?.audit !== true) {
      return [];
    }
    const { name, extensions } = type;
    const { pothosPrismaModel: model } = extensions;
    if (model === undefined) {
      throw new Error(`${name} can't have audit: true: only types of prismaObject have rows`);
    }
    return [{ name, model }];
  });
}

/**
 * The client for all code of a store, which notes changes of audited rows for the request that it is called in. By itself,
 * not for each request: its reads are those of any request, so that they may be shared.
 *
 * @param caller is noted outside of requests; null for the service itself
 */
export function audited<Client extends object>(
  client: Client,
  models: Models,
  types: readonly AuditedType[],
  caller: string | null = null,
): Client {
  const names = new Set(types.map(({ model }) => model));
  const entry = (): AuditEntry => entryOf(caller);
  return names.size === 0 ? client : auditingClient(client, { models, audited: names, entry });
}

function entryOf(otherwise: string | null): AuditEntry {
  const { id = null, keyId = otherwise, callerId, operation, mutation } = loggedRequest() ?? {};
  return {
    caller: keyId,
    keyId: callerId !== undefined && callerId > 0n ? callerId : null,
    operation: mutation ?? operation ?? null,
    requestId: id,
  };
}
