/** What a read throws for what only Prisma's engine can answer, as turns out once the database is asked. */
export class LeftToEngine extends Error {}
