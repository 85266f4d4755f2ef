import type { LandingPage } from '@store-gateway/gateway';

const file = (name: string): URL => new URL(name, import.meta.url);

/** The landing page: an introduction, the first animals over REST and GraphQL (with JavaScript), and all addresses. */
export const landing: LandingPage = {
  styles: ['landing.css', 'request-panels.css'].map(file),
  script: file('browser/landing.js'),
  main: ({ addresses }) => `
      <h1>A store’s animals, over GraphQL and REST</h1>
      <p class="lead">List a store’s animals by status or id, and add more; changes and removals are in beta. Both APIs run the same schema in one process, so they agree on access, validation, errors and data. Writes are safe to retry, each response reflects every write acknowledged before its request, and ids are exact to the last digit.</p>
      <ul class="actions">
        <li><a class="primary" href="graphql">Open GraphiQL</a></li>
        <li><a href="docs">Read the REST documentation</a></li>
      </ul>
      <noscript><p>To try requests here or in GraphiQL, enable JavaScript. The REST documentation and the documents below can be read without it.</p></noscript>
      ${TRY}
      ${addresses}
    `,
};

const TRY = `<section id="try" aria-labelledby="first-animals">
        <h2 id="first-animals">The same list over REST and GraphQL</h2>
        <p id="count" role="status"></p>
        <form id="request" class="controls">
          <label>Status <select id="status"><option value="">any</option><option>available</option><option>pending</option><option>sold</option></select></label>
          <label>Limit <select id="limit"><option>4</option><option>8</option><option>20</option></select></label>
          <button id="refresh">Refresh</button>
          <button type="button" id="next" aria-disabled="true">Next page</button>
        </form>
        <ul id="animals" aria-labelledby="first-animals"></ul>
        <div class="surfaces">
          ${surface('rest', 'REST', '')}
          ${surface('graphql', 'GraphQL', '<a id="in-graphiql" href="graphql">Open in GraphiQL</a>')}
        </div>
      </section>`;

function surface(id: string, title: string, action: string): string {
  return `<div class="surface" id="${id}">
            <header>
              <h3>${title}</h3>
              <div>${action}<button type="button" class="copy">Copy curl</button></div>
            </header>
            <pre class="request"></pre>
            <div class="result">
              <p class="outcome"></p>
              <button type="button" class="copy" aria-label="Copy the ${title} response">Copy</button>
            </div>
            <pre class="answer" tabindex="0" role="region" aria-label="${title} response"></pre>
          </div>`;
}
