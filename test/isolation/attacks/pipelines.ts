import type { Attack, Target } from './attack.ts';
import { bearer, head, keepOpen, writeUnread } from './sockets.ts';
import { many, random } from './turns.ts';

const PAGE = 'GET /assets/graphiql/graphiql.js HTTP/1.1\r\nHost:a\r\n\r\n';
/** 26 bytes, of which 64 kB hold 2,520. */
const SMALLEST = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n';
const ANIMAL = '{"name":"unread","categoryId":1}';

const list = (target: Target): string => head('GET /v1/pets?limit=100', bearer(target));

const create = (target: Target): string =>
  head(
    'POST /v1/pets',
    bearer(target),
    'Content-Type: application/json',
    `Content-Length: ${ANIMAL.length}`,
  ) + ANIMAL;

/** Writes requests on each connection, again and again, as fast as they are answered. */
function keepPipelining(target: Target, next: () => string): void {
  keepOpen(target, (socket) => {
    const write = () => {
      if (socket.write(next())) {
        setImmediate(write);
      }
    };
    socket.resume().on('drain', write);
    write();
  });
}

/** A request from any of the 65,536 networks that one customer of a provider may have (RFC 6177). */
const fromAnyNetwork = (): string =>
  head('GET /v1/pets', `X-Forwarded-For: 2001:db8:1:${random(65_536).toString(16)}::1`);

export const networks: Attack = {
  name: 'somebody without a key asks from 65,536 networks, through a trusted proxy',
  connections: 100,
  run: (target) => {
    keepPipelining(target, () => many(8, fromAnyNetwork, ''));
  },
  env: { TRUSTED_PROXIES: 'loopback' },
};

export const pipelines: readonly Attack[] = [
  {
    name: 'one connection asks for 1,100 pages at once, and reads none',
    connections: 1,
    run: (target) => {
      writeUnread(target, PAGE.repeat(1100));
    },
  },
  {
    name: '64 connections ask for 1,100 pages each, and read none',
    connections: 64,
    run: (target) => {
      writeUnread(target, PAGE.repeat(1100));
    },
  },
  {
    name: '2,200 connections ask for a page each, and read none',
    connections: 2200,
    run: (target) => {
      writeUnread(target, PAGE);
    },
  },
  {
    name: 'one key asks for 1,000 lists at once on 4 connections, and reads none',
    connections: 4,
    run: (target) => {
      writeUnread(target, list(target).repeat(1000));
    },
  },
  {
    name: 'one key asks for 1,000 lists at once on 64 connections, and reads none',
    connections: 64,
    run: (target) => {
      writeUnread(target, list(target).repeat(1000));
    },
  },
  {
    name: 'one key pipelines different lists on 64 connections, and reads them',
    connections: 64,
    run: (target) => {
      const lists = many(
        300,
        (index) => head(`GET /v1/pets?limit=100&after=${index}`, bearer(target)),
        '',
      );
      keepPipelining(target, () => lists);
    },
  },
  {
    name: 'one key creates animals in pipelines, and reads no answer',
    connections: 64,
    run: (target) => {
      writeUnread(target, create(target).repeat(1000));
    },
  },
  {
    name: 'somebody without a key sends 64 kB of the smallest requests at once on 64 connections',
    connections: 64,
    run: (target) => {
      writeUnread(target, SMALLEST.repeat(2520));
    },
  },
  {
    name: 'somebody without a key pipelines the smallest requests on 64 connections, and reads',
    connections: 64,
    run: (target) => {
      keepPipelining(target, () => SMALLEST.repeat(2520));
    },
  },
];
