import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createAccessTokens } from '../../packages/oidc/src/access-tokens.ts';
import { median } from '../figures/medians.ts';

/*
 * What an access token costs: CPU time of all threads, in microseconds, the median of ROUNDS. `known` was verified before, the
 * others were not.
 */

const ROUNDS = 9;
const TOKENS = 500;
const KNOWN_LOOKUPS = 100_000;
const ISSUER = 'https://login.example';
const AUDIENCE = 'https://store.example';

const refused = async (verified: Promise<unknown>) => verified.catch(() => undefined);

/** Microseconds for each of `count`. */
async function cpuTime(count: number, run: () => Promise<unknown> | void): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

async function measure(algorithm: string): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: algorithm }] };
  const metadata = { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` };
  const sign = async (claims: object) =>
    new SignJWT({ iss: ISSUER, sub: 'ann', scope: 'read write', ...claims })
      .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: 'a' })
      .setExpirationTime('10m')
      .sign(privateKey);
  const some = async (round: number, aud: string) =>
    Promise.all(
      Array.from({ length: TOKENS }, (_, index) => sign({ aud, jti: `${round} ${index}` })),
    );
  using tokens = createAccessTokens({
    issuer: ISSUER,
    audience: AUDIENCE,
    callerOf: (token) => token,
    fetch: async (url) => Response.json(url.endsWith('/jwks') ? keys : metadata),
  });
  await tokens.refresh();
  const known: number[] = [];
  const valid: number[] = [];
  const invalid: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const fresh = await some(round, AUDIENCE);
    valid.push(await cpuTime(TOKENS, () => Promise.all(fresh.map(tokens.verify))));
    // As a request's header: a string of its own each time, whose hash isn't known.
    const sent = Array.from({ length: KNOWN_LOOKUPS / 100 }, (_, index) =>
      Buffer.from(fresh[index % TOKENS] ?? ''),
    );
    known.push(
      await cpuTime(sent.length, () => {
        for (const bytes of sent) tokens.known(bytes.toString('latin1'));
      }),
    );
    const foreign = (await some(round, AUDIENCE)).map((token) => `${token.slice(0, -8)}AAAAAAAA`);
    invalid.push(
      await cpuTime(TOKENS, () =>
        Promise.all(foreign.map((token) => refused(tokens.verify(token)))),
      ),
    );
  }
  const [knownTime, validTime, invalidTime] = [known, valid, invalid].map((times) =>
    (median(times) ?? 0).toFixed(1),
  );
  return `${algorithm}: known ${knownTime}, unknown valid ${validTime}, unknown invalid ${invalidTime}`;
}

for (const algorithm of ['ES256', 'RS256', 'EdDSA']) {
  process.stdout.write(`${await measure(algorithm)}\n`);
}
