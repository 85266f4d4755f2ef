import { isWellFormed } from '../support/answer-form.ts';
import type { WireAnswer } from '../support/http-answers.ts';
import type { Exchange } from './exchange.ts';
import { loadRefusalFaults, refusesForLoad, saysNotReady } from './load-refusals.ts';
import { ANSWER_TIMEOUT, type Outcome } from './receive-answers.ts';

/** What no client may read: where in the program it went wrong, or in whose words. None is ever sent. */
const LEAKS = [
  /\n\s+at .+:\d+/,
  /node_modules|file:\/\/|\/(?:src|test)\/|\.[jt]s:\d/,
  /\b(?:Type|Range|Reference|Syntax|Aggregate)Error\b|\bHPE_|\bE(?:CONN|PIPE|NOENT|MFILE)/,
  /\b(?:SELECT .+ FROM|INSERT INTO|UPDATE .+ SET|DELETE FROM|SQLSTATE)\b/,
  /prisma|postgres|pg_|body-parser|express|graphql-yoga|envelop|whatwg/i,
  /Cannot read propert|is not a function|is not iterable|Unexpected token|Unexpected end of/,
  /\basg_[0-9A-Za-z]{43}/,
];

/** What is wrong about what came of an exchange; [] if nothing is. */
export function faultsOf(exchange: Exchange, outcome: Outcome): string[] {
  const { end, read, waitedFor } = outcome;
  const { answers, fault } = read;
  return [
    ...(end === 'hung'
      ? [
          `neither ${missing(exchange, answers.length)} nor a close within ${ANSWER_TIMEOUT} ms: it waits for ${waitedFor}`,
        ]
      : []),
    ...(fault === undefined ? [] : [`not HTTP: ${fault}`]),
    ...(end === 'closed' ? closeFaults(exchange, outcome) : []),
    ...countFaults(exchange, outcome),
    ...answers.flatMap((answer, index) => {
      const isHead = exchange.methods?.[index] === 'HEAD';
      return answerFaults(exchange, answer, isHead);
    }),
  ];
}

/** Whether any of the answers tells of an animal that was added. */
export function addsAnimal({ read: { answers } }: Outcome): boolean {
  return answers.some(
    ({ status, body }) =>
      status === 201 ||
      ([200, 294].includes(status) && /^\{.*"data":\{.*\{/s.test(body.toString('latin1'))),
  );
}

function missing({ methods }: Exchange, answers: number): string {
  return methods === undefined ? 'an answer' : `${methods.length} answers but ${answers}`;
}

function closeFaults({ bytes }: Exchange, { clientHasClosed, isReset, read }: Outcome): string[] {
  const isUnanswered = read.answers.length === 0 && bytes.length > 0;
  if (read.needed > 0) {
    return ['the connection was closed within an answer'];
  }
  // To a client that has closed its side nothing is owed any more.
  if (clientHasClosed) {
    return [];
  }
  return [
    ...(isUnanswered ? ['the connection was closed without an answer'] : []),
    ...(isReset ? ['the connection was reset, by which an answer may be lost'] : []),
  ];
}

function countFaults({ methods }: Exchange, { end, read: { answers, needed } }: Outcome): string[] {
  if (methods === undefined) {
    return [];
  }
  // The rest of the bytes is thrown away after an answer that says so (RFC 9112, 9.6).
  const isLast = answers.at(-1)?.headers.get('connection') === 'close';
  const isShort = end === 'closed' && needed === 0 && answers.length < methods.length && !isLast;
  // More than there are requests: a part of a body was taken for one.
  return isShort || answers.length > methods.length
    ? [`${answers.length} answers to ${methods.length} requests`]
    : [];
}

function answerFaults({ bytes }: Exchange, answer: WireAnswer, isHead: boolean): string[] {
  const { status, headers, body } = answer;
  const type = headers.get('content-type') ?? '';
  const text = body.toString('utf8');
  const told = `${status} ${type} ${JSON.stringify(text.slice(0, 300))}`;
  const isJson = type.startsWith('application/json') || type.includes('graphql-response+json');
  // A page for browsers, if the client says that it is one; or what everyone may read.
  const isPage = !isJson && (status < 400 || /text\/|\*\/\*;/i.test(bytes.toString('latin1')));
  const lacksBody = isHead || (body.length === 0 && bytes.includes('HEAD'));
  // Hashes may have any letters in a row.
  const read = [...headers].filter(([name]) => name !== 'etag').join('\n');
  const written = text.replaceAll(/"version":"[^"]*"/g, '');
  const leaks = isPage && status < 400 ? [] : leaksIn(`${read}\n\n${written}`);
  if (refusesForLoad(answer)) {
    return [
      ...(isJson || saysNotReady(text) ? [] : [`refused for load, but not in JSON: ${told}`]),
      ...loadRefusalFaults(answer, lacksBody),
      ...leaks,
    ];
  }
  return [
    // 501 is the fault of a client that makes up a method.
    ...(status >= 500 && status !== 501 ? [`a fault of the service: ${told}`] : []),
    ...(status === 401 && !headers.has('www-authenticate') ? [`401 without a challenge`] : []),
    ...(isJson && !lacksBody && status !== 304 && !isInShape(status, text)
      ? [`not in the shape of its surface: ${told}`]
      : []),
    ...(status >= 400 && !isJson && !isPage && !lacksBody
      ? [`an error that is not JSON: ${told}`]
      : []),
    ...leaks,
  ];
}

function isInShape(status: number, text: string): boolean {
  try {
    return isWellFormed({ status, text });
  } catch {
    return false;
  }
}

function leaksIn(text: string): string[] {
  return LEAKS.filter((leak) => leak.test(text)).map(
    (leak) => `it tells what it should not, ${String(leak)}: ${text.slice(0, 1000)}`,
  );
}
