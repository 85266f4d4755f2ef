import { describe, expect, test } from 'vitest';
import { callsOf } from '../../bench/load/calls.ts';
import { graphqlRequest, requestLines, restRequest } from '../../bench/load/requests.ts';
import { groupsOf, rotated } from '../../bench/plan.ts';
import { markdownTable } from '../../bench/report/markdown-table.ts';
import { resultsPage } from '../../bench/report/page.ts';
import { plot } from '../../bench/report/plot.ts';
import { benchSample as sample } from '../support/bench-sample.ts';

describe('the load', () => {
  test('is the same at every run, and other for another table', () => {
    expect(callsOf('mixed', 1000)).toEqual(callsOf('mixed', 1000));
    expect(callsOf('mixed', 1000)).not.toEqual(callsOf('mixed', 2000));
  });

  test('mixes nine hot lists in ten with a few gets and creates', () => {
    const calls = callsOf('mix', 1000);
    const share = (does: string) =>
      calls.filter((call) => call.does === does).length / calls.length;
    expect([share('list'), share('get'), share('create')]).toEqual([
      expect.closeTo(0.9, 1),
      expect.closeTo(0.08, 2),
      expect.closeTo(0.02, 2),
    ]);
  });

  test('is a line for each request, whichever surface', () => {
    const call = { does: 'list', status: 'sold', limit: 7, after: 3 } as const;
    const documents = { list: 'L', get: 'G', create: 'C' };
    expect(requestLines([restRequest(call), graphqlRequest(call, documents)])).toBe(
      `GET\t/v1/pets?status=sold&limit=7&after=3\t
POST\t/graphql\t{"query":"L","variables":{"status":"sold","limit":7,"after":"3"}}
`,
    );
  });

  test('every server is the first of its group once', () => {
    const competitors = ['ours', 'a', 'b'].map((name) => ({ name, surfaces: ['rest'] as const }));
    const [group] = groupsOf(competitors);
    const firsts = [0, 1, 2].map((round) => rotated(group ?? [], round)[0]?.server);
    expect(firsts).toEqual(['ours', 'a', 'b']);
  });
});

describe('the page', () => {
  test('a table is aligned', () => {
    expect(markdownTable(['name', 'n'], [['a', '1,000']], 'lr')).toBe(
      '| name |     n |\n| ---- | ----: |\n| a    | 1,000 |\n',
    );
  });

  test('has its title, who needs it, a picture and the results', () => {
    const picture = { file: 'a.svg', title: 'Rates' };
    expect(resultsPage({ title: 'A', introduction: 'For all.', picture, results: '1\n' })).toBe(
      '# A\n\nFor all.\n\n![Rates](a.svg)\n\n1\n',
    );
  });

  test('a bar is as long as its rate, and the limit ends at the edge', () => {
    const rates = { ours: 1000, peer: 500, 'node-http': 50_000 };
    const samples = Object.entries(rates).map(([server, requestsPerSecond]) =>
      sample(server, 0, { requestsPerSecond }),
    );
    const svg = plot(samples, new Set(['node-http']));
    const widths = [...svg.matchAll(/class="(\w+)" x="\d+" y="\d+" width="([\d.]+)"/g)];
    const [ours, peer, limit] = widths.map(([, kind, width]) => ({ kind, width: Number(width) }));
    expect(limit).toEqual({ ...ours, kind: 'limit' });
    expect(peer).toEqual({ kind: 'peer', width: (ours?.width ?? 0) / 2 });
  });
});
