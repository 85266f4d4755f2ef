import { KEY_PLACE } from '../../fuzz/exchange.ts';
import { PETS } from '../store.ts';
import {
  attack,
  type Attack,
  BEARER,
  bursts,
  connecting,
  dripping,
  head,
  many,
  pipelining,
  random,
  resetting,
  sending,
  unread,
} from './attack.ts';

const PAGE = 'GET /assets/graphiql/graphiql.js HTTP/1.1\r\nHost:a\r\n\r\n';
/** A request of 26 bytes, of which 64 kB hold 2,520. */
const SMALLEST = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
const ANIMAL = '{"name":"unread","categoryId":1}';
const DOCUMENTATION = ['/docs', '/v1/openapi.json', '/assets/graphiql/graphiql.js'];
const JSON_OF_90_KB = ['Content-Type: application/json', 'Content-Length: 90000'];

const list = (after = 0) => head(`GET /v1/pets?limit=100&after=${after}`, BEARER);
const CREATE_HEADERS = ['Content-Type: application/json', `Content-Length: ${ANIMAL.length}`];
const CREATE = head('POST /v1/pets', BEARER, ...CREATE_HEADERS) + ANIMAL;

/** A request from any of the 65,536 networks that one customer of a provider may have (RFC 6177). */
const fromAnyNetwork = (): string =>
  head('GET /v1/pets', `X-Forwarded-For: 2001:db8:1:${random(65_536).toString(16)}::1`);

/** Attacks that may affect a single process and two workers differently. */
export const connectionsOnWorkers: readonly Attack[] = [
  attack(
    'a client without a key sends requests from 65,536 networks through a trusted proxy',
    100,
    pipelining(() => many(8, fromAnyNetwork, '')),
    { env: { TRUSTED_PROXIES: 'loopback' } },
  ),
  attack('40 connections at a time are opened and immediately reset', 40, resetting, {
    isIdle: true,
  }),
];

export const connections: readonly Attack[] = [
  attack(
    'one connection requests 1,100 pages at once, and does not read them',
    1,
    unread(PAGE.repeat(1100)),
  ),
  attack(
    '64 connections request 1,100 pages each, and do not read them',
    64,
    unread(PAGE.repeat(1100)),
  ),
  attack('2,200 connections request a page each, and do not read it', 2200, unread(PAGE)),
  attack(
    'one key requests 1,000 lists at once on 4 connections, and does not read them',
    4,
    unread(list().repeat(1000)),
  ),
  attack(
    'one key requests 1,000 lists at once on 64 connections, and does not read them',
    64,
    unread(list().repeat(1000)),
  ),
  attack(
    'one key pipelines different lists on 64 connections, and reads them',
    64,
    pipelining(() => many(300, list, '')),
  ),
  attack(
    'one key creates animals in pipelines, and does not read the responses',
    64,
    unread(CREATE.repeat(1000)),
  ),
  attack(
    'a client without a key sends 64 kB of the smallest requests at once on 64 connections',
    64,
    unread(SMALLEST.repeat(2520)),
  ),
  attack(
    'a client without a key pipelines the smallest requests on 64 connections, and reads',
    64,
    pipelining(() => SMALLEST.repeat(2520)),
  ),
  attack(
    'one key sends a thousand bodies slowly',
    1000,
    dripping(`${head('POST /v1/pets', BEARER, ...JSON_OF_90_KB)}{`, ' '),
  ),
  attack(
    'a client without a key sends a thousand bodies slowly',
    1000,
    dripping(`${head('POST /v1/pets', ...JSON_OF_90_KB)}{`, ' '),
  ),
  attack(
    'one key sends Expect: 100-continue a thousand times, but no body',
    1000,
    sending(head('POST /graphql', BEARER, 'Expect: 100-continue', ...JSON_OF_90_KB)),
  ),
  attack(
    '2,000 connections send heads slowly',
    2000,
    dripping('GET /v1/pets HTTP/1.1\r\nHost: store\r\n', `X-${random()}: y\r\n`),
  ),
  attack('4,000 connections are idle', 4000, sending(''), { isIdle: true }),
  attack(
    '4,000 connections with one key are idle after a request',
    4000,
    sending(head('GET /v1/pets/1', BEARER)),
  ),
  attack(
    '1,000 connections all request a list at once every second',
    1000,
    bursts(1000, () => list(random(PETS))),
  ),
  attack(
    'bursts of cheap and expensive requests with one key alternate on 200 connections',
    200,
    bursts(500, (burst) => {
      const query = encodeURIComponent(`{${'pets{id} '.repeat(200)} x${random()}}`);
      const path = burst % 2 === 1 ? `/graphql?query=${query}` : `/v1/pets/${random(PETS)}`;
      return head(`GET ${path}`, BEARER);
    }),
  ),
  attack(
    '200 connections at a time are opened and reset, before or after a request',
    200,
    connecting((socket, { key }) => {
      if (random(2) === 0) socket.write(list().replaceAll(KEY_PLACE, key));
      setImmediate(() => socket.resetAndDestroy());
    }),
  ),
  attack(
    '1,000 connections are half-closed after a request, and do not read the response',
    1000,
    connecting((socket, { key }) => {
      socket.pause().end(list().replaceAll(KEY_PLACE, key));
    }),
  ),
  attack(
    '500 connections read the documentation a little at a time',
    500,
    connecting((socket) => {
      const path = DOCUMENTATION[random(DOCUMENTATION.length)] ?? '/';
      socket.pause().write(head(`GET ${path}`, 'Accept: text/html'));
      const reading = setInterval(() => {
        socket.read(1000);
      }, 100);
      socket.once('close', () => {
        clearInterval(reading);
      });
    }),
  ),
];
