import type { Context, Services, Gateway, Store } from '../definition.ts';
import type { Caller } from '@store-gateway/access';
import type { OperationRequest } from '@store-gateway/graphql/execution';
import { audited, auditedTypes } from '../database/audit.ts';
import type { Database } from '../database/client.ts';
import { visibleDatabases } from '../schema/visible-rows.ts';

interface Contexts {
  /** What is everyone's. */
  readonly ofGateway: Services;
  /** The same, with a store's own services. */
  readonly services: Services;
  readonly contextOf: (request: OperationRequest<Caller>) => Context;
}

/** What resolvers of a store use: a database that notes who changes audited rows, and has the rows that its caller sees. */
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
