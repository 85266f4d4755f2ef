import { Decimal } from '@prisma/client/runtime/client';
import type { Column } from './model.ts';

/** What a list of a column's values is selected as, so that its JSON is exact, whatever the session's DateStyle. */
export function selected({ kind }: Column, reference: string): string {
  switch (kind) {
    // As a number of JSON it would be read as a double.
    case 'BigInt':
    case 'Decimal':
      return `${reference}::text`;
    case 'DateTime':
      return `floor(extract(epoch FROM ${reference}) * 1000)`;
    case 'Bytes':
      return `encode(${reference}, 'base64')`;
    default:
      return reference;
  }
}

/** The values of a list that PostgreSQL has written as JSON, as Prisma's engine would give them. */
export function decoderOf(column: Column): (json: string) => unknown[] {
  const each = decoderOfValue(column);
  return each === undefined
    ? listIn
    : (json) => {
        const list = listIn(json);
        for (let index = 0; index < list.length; index += 1) {
          const value = list[index];
          list[index] = value === null ? null : each(value);
        }
        return list;
      };
}

/** Undefined for what JSON gives as it is. */
function decoderOfValue({ kind, enumValues }: Column): ((value: unknown) => unknown) | undefined {
  switch (kind) {
    case 'BigInt':
      return (value) => BigInt(String(value));
    case 'Float':
      // JSON has no word for NaN and the infinities: PostgreSQL quotes them.
      return Number;
    case 'Decimal':
      return (value) => new Decimal(String(value));
    case 'DateTime':
      return (value) => new Date(Number(value));
    case 'Bytes':
      return (value) => new Uint8Array(Buffer.from(String(value), 'base64'));
    case 'Enum': {
      const names = new Map(Object.entries(enumValues ?? {}));
      // One that the enum has got since is as it is: an error would be the whole batch's.
      return (value) => names.get(String(value)) ?? value;
    }
    default:
      return undefined;
  }
}

function listIn(json: string): unknown[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list : [];
}
