import { PETS } from '../store.ts';
import type { Attack } from './attack.ts';
import { bearer, drip, head, keepOpen, keepResetting } from './sockets.ts';
import { random } from './turns.ts';

/** Milliseconds from one burst to the next. */
const BURST_INTERVAL = 1000;

const DOCUMENTATION = ['/docs', '/v1/openapi.json', '/assets/graphiql/graphiql.js'];

export const resets: Attack = {
  name: '40 connections at a time are opened and reset, one right after the other',
  connections: 40,
  isIdle: true,
  run: keepResetting,
};

export const connections: readonly Attack[] = [
  {
    name: '2,000 connections send heads slowly',
    connections: 2000,
    run: (target) => {
      const beginning = 'GET /v1/pets HTTP/1.1\r\nHost: store\r\n';
      drip(target, { beginning, piece: `X-${random()}: y\r\n`, interval: 1000 });
    },
  },
  {
    name: '4,000 connections are idle',
    connections: 4000,
    isIdle: true,
    run: (target) => {
      keepOpen(target, (socket) => socket.resume());
    },
  },
  {
    name: '4,000 connections of one key are idle behind a request',
    connections: 4000,
    run: (target) => {
      keepOpen(target, (socket) => {
        socket.resume().write(head('GET /v1/pets/1', bearer(target)));
      });
    },
  },
  {
    name: '1,000 connections are idle but for a list on all of them at once, each second',
    connections: 1000,
    run: (target) => {
      const sockets = keepOpen(target, (socket) => socket.resume());
      setInterval(() => {
        for (const socket of sockets) {
          socket.write(head(`GET /v1/pets?limit=100&after=${random(PETS)}`, bearer(target)));
        }
      }, BURST_INTERVAL);
    },
  },
  {
    name: 'bursts of cheap and dear requests of one key come by turns on 200 connections',
    connections: 200,
    run: (target) => {
      const sockets = keepOpen(target, (socket) => socket.resume());
      let isDear = false;
      setInterval(() => {
        isDear = !isDear;
        for (const socket of sockets) {
          const query = encodeURIComponent(`{${'pets{id} '.repeat(200)} x${random()}}`);
          const path = isDear ? `/graphql?query=${query}` : `/v1/pets/${random(PETS)}`;
          socket.write(head(`GET ${path}`, bearer(target)));
        }
      }, BURST_INTERVAL / 2);
    },
  },
  {
    name: '200 connections at a time are opened and reset, before or after a request',
    connections: 200,
    run: (target) => {
      keepOpen(target, (socket) => {
        if (random(2) === 0) {
          socket.write(head('GET /v1/pets?limit=100', bearer(target)));
        }
        setImmediate(() => socket.resetAndDestroy());
      });
    },
  },
  {
    name: '1,000 connections are half-closed behind a request, and do not read',
    connections: 1000,
    run: (target) => {
      keepOpen(target, (socket) => {
        socket.pause();
        socket.end(head('GET /v1/pets?limit=100', bearer(target)));
      });
    },
  },
  {
    name: '500 connections read the documentation a little at a time',
    connections: 500,
    run: (target) => {
      keepOpen(target, (socket) => {
        socket.pause();
        const path = DOCUMENTATION[random(DOCUMENTATION.length)] ?? '/';
        socket.write(head(`GET ${path}`, 'Accept: text/html'));
        const reading = setInterval(() => {
          socket.read(1000);
        }, 100);
        socket.once('close', () => {
          clearInterval(reading);
        });
      });
    },
  },
];
