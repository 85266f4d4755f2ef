import { type Command, CommandFailure, rejectPositionals } from '@store-gateway/ops/command-line';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { expectResourceNames, expectStoreName, pluralOf } from './names.ts';
import { writeProject } from './write-project.ts';

const HELP = `Creates your own store: a service with a GraphQL and a REST API, and its database.

  npm create @store-gateway NAME
  npm create @store-gateway NAME -- --resource book --yes

The store is created in the folder NAME, which must be lower-case words with hyphens. On a terminal, you are
asked for missing values.

  --resource WORD   what it stores, in the singular, by default item
  --plural WORD     the same in the plural, if adding an s is not enough
  --yes             don't ask for missing values

Nothing is downloaded or installed. Exit codes: 0 done, 1 failed, 2 usage error.
`;

const OPTIONS = {
  resource: { type: 'string' },
  plural: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
} as const;

/**
 * Returns the command that creates a project.
 *
 * @param parent the folder in which to create the project's folder
 * @param ask asks for missing values; undefined if there is no terminal
 */
export function createCommand(parent: string, ask?: Ask): Command<typeof OPTIONS> {
  return {
    name: 'create',
    help: HELP,
    options: OPTIONS,
    read: ({ positionals: [name, ...rest], values }) => {
      rejectPositionals(rest);
      const find = values.yes === true ? undefined : ask;
      if (name === undefined && find === undefined) {
        throw new CommandFailure(2, 'NAME is missing; see --help');
      }
      return async () => {
        const store = name ?? (await find?.('Name of the store', 'my-store')) ?? '';
        expectStoreName(store);
        const resource =
          values.resource ?? (await find?.('What it stores, in the singular', 'item')) ?? 'item';
        const plural = values.plural ?? pluralOf(resource);
        expectResourceNames({ resource, plural });
        await writeProject(join(parent, store), { store, resource, plural });
        return `Created ${store}, a store of ${plural}. Next:\n\n  cd ${store}\n  npm install && npm start\n`;
      };
    },
  };
}

/** Asks a question. An empty answer accepts the proposed value. */
export type Ask = (question: string, proposal: string) => Promise<string>;

/**
 * Asks on a terminal.
 *
 * @returns a function that asks, and throws CommandFailure (1) for Ctrl+C and Ctrl+D
 */
export function askOn(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Ask {
  return async (question, proposal) => {
    const terminal = createInterface({ input, output, terminal: true });
    try {
      const answer = await terminal.question(`${question} (${proposal}): `);
      return answer.trim() === '' ? proposal : answer.trim();
    } catch (error) {
      if (error instanceof Error && error.name === 'AbortError') {
        output.write('\n');
        throw new CommandFailure(1, 'cancelled: nothing was created');
      }
      throw error;
    } finally {
      terminal.close();
    }
  };
}
