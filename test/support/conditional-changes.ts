import { createdPath } from './created-path.ts';
import { errorBody } from './error-body.ts';
import type { Gateway } from './gateway.ts';
import { nodeRequest } from './node-request.ts';

export const METHODS = ['PATCH', 'PUT', 'DELETE'] as const;

/** What a change has to be, by its method. */
const BODIES = {
  PATCH: '{"name":"Ida"}',
  PUT: '{"name":"Ida","categoryId":1}',
  DELETE: undefined,
} as const;

export const FAILED = errorBody(
  412,
  'PRECONDITION_FAILED',
  'The resource has changed: its current version matches none of the expected versions',
);
export const REQUIRED = errorBody(
  428,
  'PRECONDITION_REQUIRED',
  'If-Match is required: send the ETag of the version to change',
);

/** Changes of the animals of `startChangedAnimals`, each of an animal that nobody else changes. */
export function changesOf(gateway: Gateway) {
  const { request, post } = gateway;
  return {
    newAnimal: async () => {
      const path = createdPath(await post('/v1/pets', { name: 'Rex', categoryId: 1 }), '/v1/pets');
      const { headers, text } = await request(path);
      return { path, etag: headers.get('ETag') ?? '', text };
    },
    change: (method: keyof typeof BODIES, path: string, headers: Record<string, string>) => {
      const body = BODIES[method];
      return nodeRequest(gateway, path, {
        method,
        headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
        ...(body && { body }),
      });
    },
  };
}
