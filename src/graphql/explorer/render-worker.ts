import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
// Not the package's own page: its types depend on a complete server.
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql';

/** The page and its hash, for `explorer-page.ts`. */
export interface RenderedPage {
  readonly gzip: Uint8Array;
  /** Hash of its script, for the Content-Security-Policy. */
  readonly scriptHash: string;
}

const example = `# Headers, below: {"authorization": "Bearer sk-sluice-…"}
# Or sign in by the mutation signIn.
{
  viewer {
    currentAccount { name plan { name } }
  }
}
`;

const options = { title: 'Sluice GraphQL', defaultQuery: example, subscriptionsProtocol: 'WS' };
const workers = { editorWorkerService, json: jsonWorker, graphql: graphqlWorker };

/** Escapes `<`, so that no text ends the script element. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const script = `
const workers = Object.fromEntries(
  Object.entries(${inScript(workers)}).map(([label, text]) => [
    label,
    URL.createObjectURL(new Blob([text], { type: 'text/javascript' })),
  ]),
);
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
${js};
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), ${inScript(options)});
`;

const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Sluice GraphQL</title><link rel="icon" href="data:,"><style>${css}</style></head>
<body><noscript>GraphiQL needs JavaScript.</noscript><div id="root"></div><script>${script}</script></body>
</html>`;

const page: RenderedPage = {
  gzip: gzipSync(html),
  scriptHash: `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
};
parentPort?.postMessage(page);
