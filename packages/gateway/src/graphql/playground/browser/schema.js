/* Runs in the browser: provides GraphiQL with the schema, which doesn't require an API key. */
import { learnMutations } from './idempotency-key.js';

/** The operation name of GraphiQL's introspection query. No user's query has it. */
export const SCHEMA_QUERY = 'SchemaOfThisPage';

/** Whether the schema has to be fetched again. */
let lacksSchema = false;

/**
 * The first fetch, which starts before GraphiQL has loaded.
 *
 * @type {ReturnType<typeof ask> | undefined}
 */
let first = ask();

/**
 * Returns the introspection query's result, or an empty string if there is none. GraphiQL then works without a schema, and
 * doesn't show an error.
 */
export function fetchSchema() {
  const schema = first ?? ask();
  first = undefined;
  return schema;
}

async function ask() {
  const address = document.querySelector('meta[name="introspection"]')?.getAttribute('content');
  if (address == null) {
    return '';
  }
  try {
    const response = await fetch(address);
    lacksSchema = !response.ok;
    /** @type {unknown} */
    const result = response.ok ? await response.json() : '';
    if (isIntrospection(result)) {
      learnMutations(result.data);
    }
    return result;
  } catch {
    lacksSchema = true;
    window.dispatchEvent(new Event('service-unreachable'));
    return '';
  }
}

/**
 * @param {unknown} result
 * @returns {result is Introspection}
 */
function isIntrospection(result) {
  return typeof result === 'object' && result !== null && 'data' in result;
}

window.addEventListener('service-reachable', () => {
  if (lacksSchema) {
    // GraphiQL's shortcut for fetching the schema again.
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'R', ctrlKey: true }));
  }
});
