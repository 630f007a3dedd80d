import { curlLine, escapeHtml, page } from './html.ts';

/** What stands at `/`. */
export function renderLandingPage(address: string): string {
  return page(
    'Sluice',
    `<main class="plain"><h1>Sluice</h1>
<p class="lead">One gate for every AI model. Point any OpenAI client at <code>${escapeHtml(address)}/v1</code>; ask GraphQL for keys, usage and models; follow completions live.</p>
<ul class="links"><li><a href="/docs">API reference</a></li><li><a href="/openapi.json">openapi.json</a></li><li><a href="/readyz">Status</a></li><li><a href="/metrics">Metrics</a></li></ul>
<h3>First request</h3>
<p>Your key was printed when the server started for the first time.</p>
<pre>${escapeHtml(curlLine(address))}</pre>
<h3>GraphQL</h3>
<p>Send queries by POST to <code>${escapeHtml(address)}/graphql</code>; subscriptions go over WebSocket on the same path.</p></main>`,
  );
}
