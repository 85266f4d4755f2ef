import { Client } from 'pg';

/** Returns how many of ten million animals an interrupted seed says that it added. */
export function addedAnimals(output: string): number {
  const [, added = ''] =
    /([\d,]+) of 10,000,000 animals were added and remain in the store\r?\n$/.exec(output) ?? [];
  return Number(added.replaceAll(',', '') || Number.NaN);
}

export async function countAnimals(databaseUrl: string): Promise<number> {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM pets');
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}
