import type { PrismaClientLike } from '../definition.ts';

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
