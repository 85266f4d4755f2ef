import type { PrismaPg } from '@prisma/adapter-pg';

/** What is used of a client that Prisma has generated, whatever its models are. */
export interface PrismaClientLike {
  // Methods, so that each client's own types fit.
  /** Prisma's own, as all here. */
  $extends(extension: object): unknown;
  /** Interactive, or of several calls. */
  $transaction(...args: never): Promise<unknown>;
  /** Called with statements of the gateway's own, which have no values. */
  $executeRawUnsafe(statement: string): Promise<number>;
  /** Called once, before the gateway serves. */
  $connect(): Promise<void>;
  /** Called once, when the gateway stops. */
  $disconnect(): Promise<void>;
}

/** The class of a client that Prisma has generated. */
export type PrismaClientClass<Client extends PrismaClientLike> = new (options: {
  adapter: PrismaPg;
  errorFormat: 'minimal';
}) => Client;

/**
 * Extends a client by what adds only members to its types.
 *
 * @throws TypeError if what Prisma returns is no such client
 */
export function extended<Client extends PrismaClientLike, Members extends object>(
  client: Client,
  extension: object,
  members: Members,
): Client & Members {
  const result: unknown = client.$extends(extension);
  if (!isExtended(client, members, result)) {
    throw new TypeError('Prisma has extended the client to something else');
  }
  return result;
}

function isExtended<Client extends PrismaClientLike, Members extends object>(
  _client: Client,
  members: Members,
  result: unknown,
): result is Client & Members {
  const names = ['$extends', '$transaction', ...Object.keys(members)];
  return result instanceof Object && names.every((name) => name in result);
}
