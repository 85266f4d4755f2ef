import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../generated/client.ts';
import { POOL } from './pool.ts';

const statementNames = new Map<string, string>();

/** One client per process, whose statements are prepared once on each connection. */
export const prisma = new PrismaClient({
  adapter: new PrismaPg(POOL, {
    statementNameGenerator: ({ sql }) => {
      let name = statementNames.get(sql);
      if (name === undefined) {
        name = `s${statementNames.size}`;
        statementNames.set(sql, name);
      }
      return name;
    },
  }),
  errorFormat: 'minimal',
});
