// Renders a list of animals, adds one, loads the previous pages, adds another, and prints the names after each step as JSON.
import './browser.ts';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

export const url = `${process.env['ANIMAL_STORE_URL']}/graphql`;
export const headers = { Authorization: `Bearer ${process.env['API_KEY']}` };

const names = () => Array.from(document.querySelectorAll('li'), ({ textContent }) => textContent);
const button = (label: string) =>
  Array.from(document.querySelectorAll('button')).find(({ textContent }) => textContent === label);

/** Resolves when the number of displayed animals is no longer `count`. */
function changed(count: number): Promise<void> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (names().length !== count && button('Add')?.disabled === false) {
        observer.disconnect();
        resolve();
      }
    });
    observer.observe(document.body, { attributes: true, childList: true, subtree: true });
  });
}

export async function show(page: ReactNode): Promise<void> {
  const shown: string[][] = [];
  const step = async (act: () => void) => {
    const more = changed(names().length);
    act();
    await more;
    shown.push(names());
  };
  await step(() => createRoot(document.body).render(page));
  for (const label of ['Add', 'Previous', 'Previous', 'Add']) {
    await step(() => button(label)?.click());
  }
  console.log(JSON.stringify({ shown, isWhole: button('Previous') === undefined }));
  process.exit();
}
