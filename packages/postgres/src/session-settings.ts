import { type Client, escapeIdentifier } from 'pg';
import { StartupFailure } from '@store-gateway/ops';

interface Setting {
  /** As pg_settings has it. */
  readonly name: string;
  readonly value: string;
  /** Other values with the same effect; by default none. */
  readonly isSame?: (value: string) => boolean;
}

/** Settings that decide how values are read and written. A role or a database may have other defaults. */
const SETTINGS: readonly Setting[] = [
  {
    name: 'TimeZone',
    value: 'UTC',
    isSame: (value) => /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/i.test(value),
  },
  { name: 'DateStyle', value: 'ISO', isSame: (value) => value.startsWith('ISO') },
  { name: 'IntervalStyle', value: 'postgres' },
  { name: 'extra_float_digits', value: '1', isSame: (value) => Number(value) >= 1 },
  { name: 'bytea_output', value: 'hex' },
  { name: 'standard_conforming_strings', value: 'on' },
  { name: 'transform_null_equals', value: 'off' },
  { name: 'array_nulls', value: 'on' },
];

/** As the `options` of a connection. */
export const SESSION_SETTINGS = SETTINGS.map(({ name, value }) => `-c ${name}=${value}`).join(' ');

/**
 * Expects a session to have these settings. Behind a pooler they are those of the role or the database.
 *
 * @throws StartupFailure with the statements that set them
 */
export async function expectSessionSettings(session: Client): Promise<void> {
  const { rows } = await session.query<{ name: string; setting: string; role: string }>(
    'SELECT name, setting, current_user AS role FROM pg_settings WHERE name = ANY ($1)',
    [SETTINGS.map(({ name }) => name)],
  );
  const statements = rows.flatMap(({ name, setting, role }) => {
    const expected = SETTINGS.find((each) => each.name === name);
    return expected === undefined || setting === expected.value || expected.isSame?.(setting)
      ? []
      : [`ALTER ROLE ${escapeIdentifier(role)} SET ${name} = '${expected.value}'`];
  });
  if (statements.length > 0) {
    throw new StartupFailure(
      `The pooler in front of the database drops session settings that responses depend on: run ${statements.join('; ')}, then let the pooler reconnect.`,
    );
  }
}
