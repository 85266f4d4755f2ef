import { migrate } from './store-commands.ts';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { inject } from 'vitest';
import { onFileFinished } from './clean-up.ts';
import { runInProcess } from './command.ts';
import { fencedBlocks } from './documentation/fenced-blocks.ts';

export interface RestrictedStore {
  /** Of the role that owns the database. */
  readonly ownerUrl: string;
  /** Of the role that may only read and write rows. */
  readonly serviceUrl: string;
}

/** A store with the two roles of docs/postgresql.md, made as it says, with names of their own. */
export async function makeRestrictedStore(schema = 'public'): Promise<RestrictedStore> {
  const page = await readFile(new URL('../../docs/postgresql.md', import.meta.url), 'utf8');
  const name = `store_${randomBytes(4).toString('hex')}`;
  const [makeDatabase = '', grant = ''] = fencedBlocks(page)
    .filter(({ language, text }) => language === 'sql' && text.startsWith('CREATE ROLE'))
    .map(({ text }) => text.replaceAll('animal_store', name).replaceAll('public', schema));
  const adminUrl = inject('postgresUrl');
  await execute(adminUrl, makeDatabase);
  onFileFinished(() =>
    execute(adminUrl, `DROP DATABASE ${name} WITH (FORCE); DROP ROLE ${name}, ${name}_service`),
  );
  const urlOf = (username: string, password: string) =>
    `${Object.assign(new URL(adminUrl), { pathname: name, username, password }).href}&schema=${schema}`;
  const ownerUrl = urlOf(name, 'change-me');
  await runInProcess(migrate, [], { env: { DATABASE_URL: ownerUrl } });
  await execute(Object.assign(new URL(adminUrl), { pathname: name }).href, grant);
  return { ownerUrl, serviceUrl: urlOf(`${name}_service`, 'change-me-too') };
}

/** One statement after the other, since none that makes a database goes together with others. */
async function execute(url: string, statements: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    for (const statement of statements.split(';\n').flatMap((part) => part.split('; '))) {
      await client.query(statement);
    }
  } finally {
    await client.end();
  }
}
