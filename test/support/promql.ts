/** A condition on a metric's label. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface AskedMetric {
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

export interface PromQL {
  readonly metrics: readonly AskedMetric[];
  /** The labels used for grouping or joining. */
  readonly labels: readonly string[];
}

/** https://prometheus.io/docs/prometheus/latest/querying/basics/, and Grafana's variables. */
const TOKEN =
  /\s+|(?<text>"(?:[^"\\]|\\.)*")|(?<variable>\$\w+)|(?<number>\d[\w.]*)|(?<word>[A-Za-z_]\w*)|(?<operator>=~|!~|[<>=!]=|[-+*/%^<>=(){}[\],:@])/y;
const GROUPING = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'atan2', 'inf', 'nan']);

/** Returns the metrics and labels in an expression. @throws if it contains something that is not a PromQL token */
export function readPromQL(expression: string): PromQL {
  const tokens = tokensOf(expression);
  const metrics: AskedMetric[] = [];
  const labels: string[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const word = tokens[index] ?? '';
    const next = tokens[index + 1];
    if (!/^[A-Za-z_]/.test(word) || OPERATORS.has(word)) {
      continue;
    }
    if (GROUPING.has(word)) {
      const end = next === '(' ? tokens.indexOf(')', index) : index;
      labels.push(...tokens.slice(index + 2, end).filter((token) => token !== ','));
      index = end;
    } else if (next === '{') {
      const end = tokens.indexOf('}', index);
      metrics.push({ name: word, matchers: matchersIn(tokens.slice(index + 2, end)) });
      index = end;
    } else if (next !== '(' && next !== 'by' && next !== 'without') {
      metrics.push({ name: word, matchers: [] });
    }
  }
  return { metrics, labels };
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(expression)?.[0];
    if (token === undefined) {
      throw new Error(`not understood: ${expression.slice(at)}`);
    }
    if (token.trim() !== '') {
      tokens.push(token);
    }
  }
  return tokens;
}

function matchersIn(tokens: readonly string[]): Matcher[] {
  const matchers: Matcher[] = [];
  for (let index = 0; index < tokens.length; index += 4) {
    const [label = '', operator = '', text = '""'] = tokens.slice(index, index + 3);
    matchers.push({ label, operator, value: text.slice(1, -1) });
  }
  return matchers;
}
