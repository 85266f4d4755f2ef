import type { PrismaPg } from '@prisma/adapter-pg';

/** What is used of a client that Prisma has generated, whatever its models are. */
export interface PrismaClientLike {
  // Methods, so that each client's own types fit.
  $extends(extension: object): unknown;
  $transaction(...args: never): Promise<unknown>;
  $disconnect(): Promise<void>;
}

export type PrismaClientClass<Client extends PrismaClientLike> = new (options: {
  adapter: PrismaPg;
  errorFormat: 'minimal';
}) => Client;

/**
 * Extends a client by what adds nothing to its types.
 *
 * @throws TypeError if what Prisma returns is no client
 */
export function extended<Client extends PrismaClientLike>(
  client: Client,
  extension: object,
): Client {
  const result: unknown = client.$extends(extension);
  if (!isLike(client, result)) {
    throw new TypeError('Prisma has extended the client to something else');
  }
  return result;
}

function isLike<Client extends PrismaClientLike>(
  _client: Client,
  result: unknown,
): result is Client {
  return result instanceof Object && '$extends' in result && '$transaction' in result;
}

/**
 * Extends a client by members of its own.
 *
 * @throws TypeError if what Prisma returns lacks them
 */
export function extendedBy<Client extends PrismaClientLike, Members extends object>(
  client: Client,
  members: Members,
): Client & Members {
  const result = extended(client, { client: members });
  if (!hasAll(result, members)) {
    throw new TypeError('Prisma has not extended the client');
  }
  return result;
}

function hasAll<Client extends object, Members extends object>(
  client: Client,
  members: Members,
): client is Client & Members {
  return Object.keys(members).every((name) => name in client);
}
