// Loaded before the service imports it, so that an operation is compiled right after its second use.
import 'graphql-jit';
import { hash } from 'node:crypto';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { CommandFailure } from '@store-gateway/ops/command-line';
import type { Exchange } from '../fuzz/exchange.ts';
import { sendExchange } from '../fuzz/send-exchange.ts';
import { sendBytes, type WireAnswer } from '../support/http-answers.ts';
import { EMBEDDED } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Recorded } from './compare.ts';
import { fuzzed, ofAddresses, ofContract, ofDocuments } from './corpus.ts';
import { openStore, STORES, type OpenStore } from './stores.ts';

/** Dates before and after the removal of everything that the stores deprecate. */
const DAYS = ['2030-01-01', '2031-06-01'];

/** How many of the fuzzer's exchanges are recorded. */
const FUZZED = 1000;

/** Records the responses of all stores, using its own PostgreSQL server. */
export async function record(interrupted: AbortSignal): Promise<Recorded[]> {
  await using directory = await temporaryDirectory();
  const postgres = await joinEmbeddedPostgres(directory.path, EMBEDDED);
  const recorded: Recorded[] = [];
  try {
    for (const [index, day] of DAYS.entries()) {
      for (const given of STORES) {
        await using store = await openStore(postgres.url, given, day);
        const exchanges = [
          ...ofAddresses(store),
          ...(await ofContract(store)),
          ...ofDocuments(store),
          ...(given.name === 'animals' && index === 0 ? fuzzed(FUZZED, store) : []),
        ];
        for (const [name, exchange] of exchanges) {
          if (interrupted.aborted) throw new CommandFailure(1, 'interrupted');
          for (const way of waysOf(exchange)) {
            const lines = await linesOf(way, store);
            recorded.push([`${given.name} on ${day}: ${name}, ${way.name}`, lines]);
          }
        }
        process.stderr.write(`${given.name} on ${day}: ${exchanges.length} exchanges\n`);
      }
    }
  } finally {
    await postgres.leave();
  }
  return recorded;
}

/** A way to send an exchange. */
interface Way {
  readonly name: string;
  /** How often the exchanges are sent, each time to a restored store. */
  readonly turns: number;
  /** The exchanges that are sent at once. */
  readonly exchanges: readonly Exchange[];
}

/** From the third turn on, an operation runs as a compiled program. */
const TURNS = 3;

function waysOf(exchange: Exchange): Way[] {
  const [method, another] = exchange.methods ?? [];
  if (method === undefined || another !== undefined) {
    return [{ name: 'as it is', turns: 1, exchanges: [exchange] }];
  }
  const text = exchange.bytes;
  const by = (name: string, bytes: string, methods = [method]): Way => ({
    name,
    turns: 1,
    exchanges: [{ ...exchange, bytes, methods }],
  });
  return [
    { name: 'as it is', turns: TURNS, exchanges: [exchange] },
    // With an idempotency key, the second response depends on whether the first was stored in time.
    ...(text.includes('\r\nIdempotency-Key:')
      ? []
      : [{ name: 'twice at once', turns: 1, exchanges: [exchange, exchange] }]),
    by('pipelined', text + text, [method, method]),
    by('HTTP/1.0', text.replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n')),
    ...(method === 'GET' ? [by('HEAD', text.replace('GET', 'HEAD'), ['HEAD'])] : []),
  ];
}

const NEW_ID = /\b10\d\d\b/g;

/** The lines of the responses, or those of every turn if the turns differ. */
async function linesOf(
  { turns, exchanges }: Way,
  { url, restore }: OpenStore,
): Promise<readonly string[]> {
  const all: string[][] = [];
  while (all.length < turns) {
    await restore();
    const texts = await Promise.all(exchanges.map((exchange) => textOf(exchange, url)));
    // Either request may come first: sort the responses, and mask the ids of new rows.
    const told = texts.length === 1 ? texts : texts.map((text) => text.replaceAll(NEW_ID, 'new'));
    all.push(told.toSorted().join('\n').split('\n'));
  }
  const [first = [], ...others] = all;
  return others.every((lines) => lines.join() === first.join())
    ? first
    : all.flatMap((lines, turn) => lines.map((line) => `turn ${turn + 1}: ${line}`));
}

async function textOf(exchange: Exchange, url: string): Promise<string> {
  const { bytes, methods } = exchange;
  try {
    if (methods !== undefined) {
      return (await sendBytes(url, bytes, methods)).flatMap(linesOfAnswer).join('\n');
    }
    const { read } = await sendExchange(exchange, { port: Number(new URL(url).port), key: '' });
    // Only a timeout would show whether another response follows.
    return read.answers.slice(0, 1).flatMap(linesOfAnswer).join('\n');
  } catch {
    return 'no response in HTTP';
  }
}

/** Parts of header values that differ from run to run. */
const VARYING = new Map([
  ['date', /.+/],
  ['ratelimit', /\d+/g],
  ['retry-after', /\d+/],
  ['x-request-id', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/],
]);

/** Maximum length of a recorded body. A longer body is recorded as its start and a hash. */
const MAX_LENGTH = 2000;

function linesOfAnswer({ status, headers, body }: WireAnswer): string[] {
  const text = JSON.stringify(body.toString());
  return [
    String(status),
    ...Array.from(headers, ([name, value]) => {
      const varying = VARYING.get(name);
      return `${name}: ${varying === undefined ? value : value.replace(varying, '…')}`;
    }),
    text.length <= MAX_LENGTH ? text : `${text.slice(0, 200)}… ${hash('sha256', body)}`,
  ];
}
