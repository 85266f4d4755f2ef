import { fileURLToPath } from 'node:url';
import packageFile from '../package.json' with { type: 'json' };

/** A server to measure against: `node <file>`, with DATABASE_URL and PORT (0: any) in its environment. */
export interface Peer {
  readonly name: string;
  /** The packages that it is built from, with their versions. */
  readonly title: string;
  /** Path of the file to run. */
  readonly file: string;
  /** REST is at /v1/pets, as in the gateway; GraphQL is at /graphql. */
  readonly surfaces: readonly ('rest' | 'graphql')[];
  /** Whether it also supports lists by ids, changes and removals. */
  readonly changes?: true;
  /** Whether it returns a constant response, which shows the limit of Node.js. */
  readonly limit?: true;
}

const versions: Readonly<Record<string, string>> = packageFile.dependencies;

const fastify = versioned('Fastify', 'fastify');
const prisma = versioned('Prisma', '@prisma/client');
const pothosAndPrisma = `${versioned('Pothos', '@pothos/core')} + ${prisma}`;

export const peers: readonly Peer[] = [
  changing(rest('express-prisma', `${versioned('Express', 'express')} + ${prisma}`)),
  changing(rest('fastify-prisma', `${fastify} + ${prisma}`)),
  changing(rest('fastify-pg', `${fastify} + ${versioned('pg', 'pg')}, prepared statements`)),
  rest('sofa', `${versioned('sofa-api', 'sofa-api')} + ${pothosAndPrisma}`),
  changing(graphql('yoga', `${versioned('Yoga', 'graphql-yoga')} + ${pothosAndPrisma}`)),
  changing(
    graphql('apollo', `${versioned('Apollo Server', '@apollo/server')} + ${pothosAndPrisma}`),
  ),
  changing(
    graphql('mercurius', `${versioned('Mercurius', 'mercurius')} with jit + ${pothosAndPrisma}`),
  ),
  graphql('postgraphile', versioned('PostGraphile', 'postgraphile')),
  {
    name: 'node-http',
    title: 'node:http, constant body',
    file: fileOf('node-http'),
    surfaces: ['rest', 'graphql'],
    limit: true,
  },
];

function rest(name: string, title: string): Peer {
  return { name, title, file: fileOf(name), surfaces: ['rest'] };
}

function graphql(name: string, title: string): Peer {
  return { name, title, file: fileOf(name), surfaces: ['graphql'] };
}

function changing(peer: Peer): Peer {
  return { ...peer, changes: true };
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(`${name}.ts`, import.meta.url));
}

function versioned(title: string, packageName: string): string {
  return `${title} ${versions[packageName] ?? ''}`;
}
