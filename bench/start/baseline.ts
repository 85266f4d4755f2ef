import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import express from 'express';
import { createYoga } from 'graphql-yoga';
import { Client } from 'pg';
import { PrismaClient } from '../generated/client.ts';
import { databaseUrl } from '../peers/support/environment.ts';

/*
 * The least that a start has to do: it loads Express, Yoga and Prisma, starts PostgreSQL and runs a query. It makes no schema,
 * checks no migrations and doesn't listen. Ends at SIGTERM.
 */

if ([express, createYoga, PrismaClient, PrismaPg].some((loaded) => typeof loaded !== 'function')) {
  throw new Error('not everything was loaded');
}

/** Milliseconds for PostgreSQL to be ready. */
const PATIENCE = 30_000;

// The user that runs PostgreSQL, its program and its arguments.
const [uid = '', gid = '', program = '', ...args] = process.argv.slice(2);
const postgres = spawn(program, args, {
  cwd: '/',
  env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
  stdio: 'ignore',
  uid: Number(uid),
  gid: Number(gid),
});
const ended = once(postgres, 'exit');
process.on('SIGTERM', () => postgres.kill('SIGINT'));

const deadline = performance.now() + PATIENCE;
for (;;) {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT id, name, category_id, status FROM pets ORDER BY id LIMIT 20');
    await client.end();
    break;
  } catch (error) {
    void client.end();
    if (postgres.exitCode !== null || performance.now() > deadline) {
      postgres.kill('SIGINT');
      throw error;
    }
    await setTimeout(5);
  }
}
process.stdout.write('ready\n');
await ended;
