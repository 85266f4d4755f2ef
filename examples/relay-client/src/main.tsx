// Renders the list in Node as a browser does, and pushes its buttons. See docs/graphql-client.md.
import './browser.ts';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { createStore } from './store.ts';

const store = createStore(
  process.env['ANIMAL_STORE_URL'] ?? 'http://127.0.0.1:4000',
  process.env['API_KEY'] ?? '',
);
const root = createRoot(document.body, {
  onUncaughtError: (error) => {
    console.error(error);
    process.exit(1);
  },
});

/** Resolves once the page has changed and nothing of it is loading. */
function loaded(): Promise<void> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('[aria-busy=true], :disabled') === null) {
        observer.disconnect();
        resolve();
      }
    });
    observer.observe(document.body, { attributes: true, childList: true, subtree: true });
  });
}

function print(label: string): void {
  const items = Array.from(document.querySelectorAll('li'), ({ textContent }) => textContent);
  console.log(`${label}: ${items.join(', ')}`);
}

const [after = null] = process.argv.slice(2);
root.render(<App store={store} after={after} />);
await loaded();
print('First');
for (const label of ['Next', 'Previous']) {
  const find = () =>
    Array.from(document.querySelectorAll('button')).find(
      ({ textContent }) => textContent === label,
    );
  for (let button = find(); button !== undefined; button = find()) {
    button.click();
    await loaded();
    print(label);
  }
}
// Relay retains results by timers, which Node would wait for.
process.exit();
