import { createKey, listKeys, revokeKey, rotateKey, type KeyRecord } from '../auth/key-records.ts';
import { toInt64 } from '@gateway/pothos-plugins/input-rules';
import { CommandFailure } from '@gateway/command-line/command-failure';
import { parseDuration } from '@gateway/command-line/duration';
import type { Action } from './on-database.ts';
import { printable } from '@gateway/command-line/printable';
import { expectNone } from '@gateway/command-line/run-command';
import { table } from '@gateway/command-line/table';

export function createAction(name: string | undefined, expires: string | undefined): Action {
  if (name === undefined || name.trim() === '' || !name.isWellFormed() || name.includes('\0')) {
    throw new CommandFailure(2, 'create needs a NAME that says who uses the key; see --help');
  }
  const lifetime = readDuration('--expires', expires);
  return async (database) => {
    const expiresAt = lifetime === undefined ? null : new Date((await database.$now()) + lifetime);
    return `${await createKey(database, name, expiresAt)}\n`;
  };
}

export function listAction(subject: string | undefined): Action {
  expectNone(subject === undefined ? [] : [subject]);
  return async (database) => table(rows(await listKeys(database), new Date(await database.$now())));
}

export function revokeAction(subject: string | undefined): Action {
  const id = readId(subject);
  return async (database) => {
    if (!(await revokeKey(database, id, new Date(await database.$now())))) {
      throw new CommandFailure(1, `there is no key ${id} to revoke; see list`);
    }
    return `revoked ${id}\n`;
  };
}

export function rotateAction(subject: string | undefined, grace: string | undefined): Action {
  const id = readId(subject);
  const graceMilliseconds = readDuration('--grace', grace) ?? 0;
  return async (database) => {
    const key = await rotateKey(database, id, graceMilliseconds);
    if (key === undefined) {
      throw new CommandFailure(1, `there is no key ${id} that is valid; see list`);
    }
    return `${key}\n`;
  };
}

function readId(text: string | undefined): bigint {
  const id = toInt64(text ?? '');
  if (id === undefined || id < 1n) {
    throw new CommandFailure(2, 'say which key by its ID, a number that list tells; see --help');
  }
  return id;
}

function readDuration(option: string, text: string | undefined): number | undefined {
  const duration = text === undefined ? undefined : parseDuration(text);
  if (text !== undefined && duration === undefined) {
    throw new CommandFailure(
      2,
      `${option} must be a number and a unit, such as 90d, not "${text}"`,
    );
  }
  return duration;
}

function rows(keys: readonly KeyRecord[], now: Date): string[][] {
  return [
    ['ID', 'STATE', 'CREATED', 'EXPIRES', 'NAME'],
    ...keys.map((key) => [
      String(key.id),
      stateOf(key, now),
      key.createdAt.toISOString(),
      key.expiresAt?.toISOString() ?? 'never',
      printable(key.name),
    ]),
  ];
}

function stateOf({ revokedAt, expiresAt }: KeyRecord, now: Date): string {
  if (revokedAt !== null) {
    return 'revoked';
  }
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
}
