import { access, constants } from 'node:fs/promises';
import { chromium, type Browser } from 'playwright-core';

/** Chromium's path on Debian, unless the variable CHROMIUM contains a different path. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // Requests to other hosts do not leave this machine, but they are still reported.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** Long enough for a machine that runs this Chromium for the first time, from a slow disk. */
const FIRST_PAGE_TIMEOUT_MS = 120_000;

/** Starts Chromium. @throws Error that says what to install */
export async function launchChromium(): Promise<Browser> {
  try {
    await access(EXECUTABLE, constants.X_OK);
  } catch {
    throw new Error(
      `No Chromium at ${EXECUTABLE}: install it (Debian: apt-get install chromium fonts-dejavu-core), or set CHROMIUM to its path`,
    );
  }
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  await showFirstPage(browser);
  return browser;
}

/** Shows a first page, so that starting processes and reading fonts from the disk does not count towards a test's time. */
async function showFirstPage(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  await page.setContent('<h1>First</h1>', { timeout: FIRST_PAGE_TIMEOUT_MS });
  await page.screenshot({ timeout: FIRST_PAGE_TIMEOUT_MS });
  await page.close();
}
