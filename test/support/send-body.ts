import { restAnimal } from './animals.ts';
import type { Gateway } from './gateway.ts';
import { nodeRequest } from './node-request.ts';

export const REX = '{"name":"Rex","categoryId":1}';

/** What comes of REX. */
export const CREATED = [201, restAnimal({ id: 1 })];

/** Posts bodies to the animals, as JSON unless told otherwise. */
export function bodySender(gateway: Gateway) {
  return async (body: string | Uint8Array, headers = {}) => {
    const { status, text } = await nodeRequest(gateway, '/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    });
    return [status, text.replace(/(?<="id":)\d+/, '1')];
  };
}
