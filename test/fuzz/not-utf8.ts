import { FORBIDDEN } from './exchange.ts';
import type { Random } from './random.ts';
import { post } from './valid-requests.ts';
import type { WireRequest } from './wire-request.ts';

/**
 * What is not UTF-8, in hexadecimal (RFC 3629, 3): lone, cut short, overlong, surrogates by themselves or in pairs
 * (CESU-8), beyond U+10FFFF.
 */
const NOT_UTF8 =
  'ff 80 c3 e282 f09f98 c0af c080 e080af eda080 edb080 eda0bdedb880 f4908080 f888808080'.split(' ');

/** An animal whose name would have to be altered to be taken. */
export function notUtf8(random: Random, tag: string): WireRequest {
  const name = `${FORBIDDEN} ${tag}`;
  const [target, content] = random.pick([
    ['/v1/pets', { name, categoryId: 1 }],
    [
      '/graphql',
      {
        query: 'mutation ($input: NewPet!) { createPet(input: $input) { id } }',
        variables: { input: { name, categoryId: '1' } },
      },
    ],
    [
      '/graphql',
      { query: `mutation { createPet(input: { name: "${name}", categoryId: 1 }) { id } }` },
    ],
  ] as const);
  const text = Buffer.from(JSON.stringify(content));
  const at = text.indexOf(tag) + random.integer(0, tag.length);
  const wrong = Buffer.from(random.pick(NOT_UTF8), 'hex');
  return post(target, Buffer.concat([text.subarray(0, at), wrong, text.subarray(at)]));
}
