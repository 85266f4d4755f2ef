import { PETS } from '../store.ts';
import type { Attack } from './attack.ts';
import { bearer, drip, head, keepOpen } from './sockets.ts';
import { random } from './turns.ts';

/** Milliseconds from one burst to the next. */
const BURST_INTERVAL = 1000;

const DOCUMENTATION = ['/docs', '/v1/openapi.json', '/graphql'];

export const connections: readonly Attack[] = [
  {
    name: '2,000 connections send heads slowly',
    run: (target) => {
      const beginning = 'GET /v1/pets HTTP/1.1\r\nHost: store\r\n';
      drip(target, 2000, { beginning, piece: `X-${random()}: y\r\n`, interval: 1000 });
    },
  },
  {
    name: '4,000 connections are idle',
    run: (target) => {
      keepOpen(target, 4000, (socket) => socket.resume());
    },
  },
  {
    name: '4,000 connections of one key are idle behind a request',
    run: (target) => {
      keepOpen(target, 4000, (socket) => {
        socket.resume().write(head('GET /v1/pets/1', bearer(target)));
      });
    },
  },
  {
    name: '1,000 connections are idle but for a list on all of them at once, each second',
    run: (target) => {
      const sockets = keepOpen(target, 1000, (socket) => socket.resume());
      setInterval(() => {
        for (const socket of sockets) {
          socket.write(head(`GET /v1/pets?limit=100&after=${random(PETS)}`, bearer(target)));
        }
      }, BURST_INTERVAL);
    },
  },
  {
    name: 'bursts of cheap and dear requests of one key come by turns on 200 connections',
    run: (target) => {
      const sockets = keepOpen(target, 200, (socket) => socket.resume());
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
    run: (target) => {
      keepOpen(target, 200, (socket) => {
        if (random(2) === 0) {
          socket.write(head('GET /v1/pets?limit=100', bearer(target)));
        }
        setImmediate(() => socket.resetAndDestroy());
      });
    },
  },
  {
    name: '1,000 connections are half-closed behind a request, and do not read',
    run: (target) => {
      keepOpen(target, 1000, (socket) => {
        socket.pause();
        socket.end(head('GET /v1/pets?limit=100', bearer(target)));
      });
    },
  },
  {
    name: '500 connections read the documentation a little at a time',
    run: (target) => {
      keepOpen(target, 500, (socket) => {
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
