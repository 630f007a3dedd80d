import { curlLine, escapeHtml, page } from './html.ts';

/** The page at `/` of a server without the dashboard. */
export function renderLandingPage(address: string): string {
  return page(
    'Sluice',
    `<main class="plain"><h1>Sluice</h1>
<p class="lead">One gateway for every AI model. Set the base URL of any OpenAI client to <code>${escapeHtml(address)}/v1</code>. Use GraphQL for keys, usage, models and live completions.</p>
<ul class="links"><li><a href="/docs">API reference</a></li><li><a href="/openapi.json">openapi.json</a></li><li><a href="/readyz">Status</a></li><li><a href="/metrics">Metrics</a></li></ul>
<h3>First request</h3>
<p>The first start of the server printed an API key.</p>
<pre>${escapeHtml(curlLine(address))}</pre>
<h3>GraphQL</h3>
<p>Send queries by POST to <code>${escapeHtml(address)}/graphql</code>. Subscriptions use WebSocket on the same path.</p></main>`,
  );
}
