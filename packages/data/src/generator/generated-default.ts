import { literal, quoted } from '../sql.ts';
import type { ColumnType } from '../types.ts';

/** Letters and digits that PostgreSQL's base64 has, and others in place of `+`, `/` and `=`. */
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=';

/** Crockford's alphabet, in which ULIDs are written: no I, L, O and U. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LETTERS_AND_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

// Expressions without a subquery, which PostgreSQL would evaluate once for all rows of a batch.

/** 43 characters of base64 that nobody can guess: two UUIDs have 244 random bits. */
const RANDOM =
  "encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64')";

/** Milliseconds since 1970: those of the transaction, so that the digits are of one moment. */
const NOW = 'floor(extract(epoch FROM now()) * 1000)::bigint';

/** Random characters, each with five random bits: both halves of base64 become an alphabet of 32. */
function random(alphabet: string, length: number): string {
  const half = alphabet.slice(0, 32);
  return `left(translate(${RANDOM}, '${BASE64}', '${half}${half}'), ${length})`;
}

/** The time, as digits of a base. */
function time(alphabet: string, length: number): string {
  const base = alphabet.length;
  const digits = Array.from({ length }, (_value, index) => {
    const digit = `mod(${NOW} / ${BigInt(base) ** BigInt(length - 1 - index)}, ${base})`;
    return `substr('${alphabet}', 1 + (${digit})::int, 1)`;
  });
  return digits.join(' || ');
}

/** Characters of an identifier in PostgreSQL, which shortens the names of sequences that would be longer. */
const MAX_NAME_LENGTH = 63;

/** The most characters that `RANDOM` has. */
const MAX_NANOID = 43;

/**
 * The expression for one of Prisma's functions, ids in the form in which its client writes them; undefined if there is none.
 *
 * @param sequence what PostgreSQL calls that of a serial column
 */
export function generatedDefault(
  call: string,
  { pg, time: zone }: ColumnType,
  sequence: string,
): string | undefined {
  switch (call) {
    case 'now()':
      // A column without a time zone has the time in UTC, whatever the session's is.
      return zone === 'with time zone' ? 'now()' : `(now() AT TIME ZONE 'UTC')::${pg}`;
    case 'autoincrement()':
      return sequence.length <= MAX_NAME_LENGTH
        ? `nextval(${literal(quoted(sequence))}::regclass)`
        : undefined;
    case 'uuid()':
    case 'uuid(4)':
      return `gen_random_uuid()::${pg}`;
    case 'uuid(7)': {
      const digits = `lpad(to_hex(${NOW}), 12, '0')`;
      const start = `left(${digits}, 8) || '-' || right(${digits}, 4) || '-7'`;
      return `overlay(gen_random_uuid()::text PLACING ${start} FROM 1)::${pg}`;
    }
    case 'cuid()':
    case 'cuid(1)':
      return `'c' || ${time(LETTERS_AND_DIGITS, 8)} || ${random(LETTERS_AND_DIGITS, 16)}`;
    case 'cuid(2)':
      return `chr(97 + mod(get_byte(uuid_send(gen_random_uuid()), 0), 26)) || ${random(LETTERS_AND_DIGITS, 23)}`;
    case 'ulid()':
      return `${time(CROCKFORD, 10)} || ${random(CROCKFORD, 16)}`;
    default: {
      const [, length] = /^nanoid\((\d*)\)$/.exec(call) ?? [];
      const isShort = length === '' || (Number(length) >= 2 && Number(length) <= MAX_NANOID);
      return isShort ? `left(translate(${RANDOM}, '+/=', '-_'), ${length || 21})` : undefined;
    }
  }
}
