import { sendTo, type Answer, type Gateway } from './gateway.ts';
import { restAnimal } from './animals.ts';
import { nodeRequest } from './node-request.ts';

/** Returns functions that send changes to an animal. */
export function changesOf({ request, post }: Pick<Gateway, 'request' | 'post'>) {
  return {
    /** Adds an animal and returns its path. */
    newPet: async (): Promise<string> => {
      const created = await post('/v1/pets', { name: 'Rex', categoryId: 7 });
      return `/v1/pets/${/"id":(\d+)/.exec(created.text)?.[1] ?? ''}`;
    },
    patch: (path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
      sendTo({ request })('PATCH', path, body, {
        'Content-Type': 'application/merge-patch+json',
        ...headers,
      }),
    remove: (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
      request(path, { method: 'DELETE', headers }),
    tagOf: async (path: string): Promise<string> => (await request(path)).headers.get('ETag') ?? '',
  };
}

/** Returns the id at the end of a path. */
export function idIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export const REX = '{"name":"Rex","categoryId":1}';

/** The response to a POST of REX. */
export const CREATED = [201, restAnimal({ id: 1 })];

/** Returns a function that POSTs bodies to the animals, as JSON by default. */
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
