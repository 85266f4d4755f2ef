import { getIntrospectionQuery } from 'graphql';
import { PETS } from '../store.ts';
import type { Attack } from './attack.ts';
import { many, random, takeTurnsWithOperations } from './turns.ts';

interface Operation {
  readonly query: string;
  readonly variables?: object;
}

const INTROSPECTION = getIntrospectionQuery();

/** Operations that are dear, or different each time. */
const OPERATIONS: Readonly<Record<string, () => Operation>> = {
  'documents that repeat an unknown field’s siblings': () => ({
    query: `{${'pets{id} '.repeat(240)} x${random()}}`,
  }),
  'documents of fields that overlap': () => ({
    query: `{${many(30, () => `a:pets(limit:1){${'id name status categoryId '.repeat(5)}}`)} z${random()}:pets{id}}`,
  }),
  'documents of fragments that spread each other in a row': () => ({
    query: `{pets(limit:1){...f0}} ${many(80, (index) => `fragment f${index} on Pet{id name ${index < 79 ? `...f${index + 1}` : ''}}`)} #${random()}`,
  }),
  'documents of fragments that spread each other twice': () => ({
    query: `{pets(limit:1){...f0}} ${many(60, (index) => `fragment f${index} on Pet{id ${index < 59 ? `...f${index + 1} ...f${index + 1}` : ''}}`)} #${random()}`,
  }),
  'documents of nine pages from different places': () => ({
    query: `{${many(9, (index) => `p${index}:pets(limit:100,after:"${random(PETS)}"){id name categoryId status}`)}}`,
  }),
  'nine pages from different places by variables': () => ({
    query: `query(${many(9, (index) => `$v${index}:ID`)}){${many(9, (index) => `p${index}:pets(limit:100,after:$v${index}){id name categoryId status}`)}}`,
    variables: Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`v${index}`, String(random(PETS))]),
    ),
  }),
  'documents of many aliases': () => ({
    query: `{pets(limit:100){id ${many(28, (index) => `a${index}_${random()}:name`)}}}`,
  }),
  'different introspections': () => ({ query: `${INTROSPECTION} #${random()}` }),
  'small documents, each another one': () => ({ query: `{a${random()}:pets(limit:1){id}}` }),
  'variables that no operation uses': () => ({
    query: 'query($s:PetStatus){pets(status:$s,limit:1){id}}',
    variables: {
      s: 'available',
      unused: Array.from({ length: 9000 }, () => random(1e6).toString(36)),
    },
  }),
};

export const documents: readonly Attack[] = [
  ...(Object.entries(OPERATIONS).map(([name, next]) => ({
    name: `one key sends ${name}`,
    connections: 64,
    run: (target) => {
      takeTurnsWithOperations(target, next);
    },
  })) satisfies readonly Attack[]),
  {
    name: 'one key sends all of these on two connections',
    connections: 2,
    run: (target) => {
      const all = Object.values(OPERATIONS);
      takeTurnsWithOperations(target, () => all[random(all.length)]?.() ?? { query: '{}' });
    },
  },
  {
    name: 'one connection sends documents that are refused, one after the other',
    connections: 1,
    run: (target) => {
      takeTurnsWithOperations(target, () => ({
        query: `{${'pets{id} '.repeat(240)} x${random()}}`,
      }));
    },
  },
];
