import type { Context, Services, Gateway, Store } from '../definition.ts';
import type { Caller } from '@store-gateway/access';
import type { OperationRequest } from '@store-gateway/graphql/execution';
import { audited, auditedTypes } from '../database/audit.ts';
import type { Database } from '../database/client.ts';
import { visibleDatabases } from '../schema/visible-rows.ts';

interface Contexts {
  /** The members that are the same for all callers. */
  readonly ofGateway: Services;
  /** Those members, and the store's own. */
  readonly services: Services;
  readonly contextOf: (request: OperationRequest<Caller>) => Context;
}

/** The context of a store's resolvers. Its database audits changes, and shows only the rows that the caller may see. */
export function createContexts(
  { prisma }: Gateway,
  store: Store,
  {
    database,
    now,
    versionKey,
  }: { readonly database: Database } & Pick<Services, 'now' | 'versionKey'>,
): Contexts {
  const { schema, violations } = store;
  const unrestrictedDatabase = audited(database, prisma.models, auditedTypes(schema));
  const visible = visibleDatabases(schema, unrestrictedDatabase);
  const ofGateway = {
    database: visible?.ofNobody ?? unrestrictedDatabase,
    unrestrictedDatabase,
    now,
    versionKey,
    violatedFields: database.$violatedFields,
    violations,
  };
  const services: Services = { ...store.services?.(ofGateway), ...ofGateway };
  return {
    ofGateway,
    services,
    contextOf: ({ caller, idempotencyKey, onReplay, onMutated }) => {
      const context = {
        ...services,
        caller,
        onReplay,
        onMutated,
        idempotencyKey,
      };
      if (visible !== undefined) {
        context.database = visible.ofRequest(context);
      }
      return context;
    },
  };
}
