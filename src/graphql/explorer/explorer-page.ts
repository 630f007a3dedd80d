import { Worker } from 'node:worker_threads';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import helmet from 'helmet';
import type { Request, RequestHandler } from 'express';
import type { RenderedPage } from './render-worker.ts';

interface Page extends RenderedPage {
  readonly headers: RequestHandler;
}

const unpack = promisify(gunzip);

/**
 * Serves GraphiQL to browsers that open the path. The page is self-contained: it loads no other resource, and connects only to
 * this host.
 */
export function explorerPage(): RequestHandler {
  let rendering: Promise<Page> | null = null;
  const page = (): Promise<Page> => {
    rendering ??= render().catch((error: unknown) => {
      rendering = null;
      throw error;
    });
    return rendering;
  };
  return async (request, response, next) => {
    if (!isOpenedByBrowser(request)) {
      next();
      return;
    }
    const { gzip, headers } = await page();
    await new Promise<void>((resolve, reject) =>
      headers(request, response, (error?: unknown) => (error ? reject(error) : resolve())),
    );
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('cache-control', 'no-cache');
    response.setHeader('vary', 'accept, accept-encoding');
    const isPacked = request.acceptsEncodings('gzip') === 'gzip';
    if (isPacked) response.setHeader('content-encoding', 'gzip');
    response.end(isPacked ? gzip : await unpack(gzip));
  };
}

/** Whether the request is for a page and not an operation. Source: GraphQL over HTTP, "Accept" is JSON for operations. */
function isOpenedByBrowser(request: Request): boolean {
  return (
    ['GET', 'HEAD'].includes(request.method) &&
    request.query.query === undefined &&
    request.query.documentId === undefined &&
    request.accepts(['application/graphql-response+json', 'application/json', 'text/html']) === 'text/html'
  );
}

/** In a worker thread, to release memory: rendering needs 9 MB, of which a fifth is retained. */
async function render(): Promise<Page> {
  const worker = new Worker(new URL('./render-worker.js', import.meta.url));
  const page = await new Promise<RenderedPage>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await worker.terminate();
  return { ...page, headers: pageHeaders(page.scriptHash) };
}

function pageHeaders(scriptHash: string): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [scriptHash],
        // The editor inserts styles at run time.
        styleSrc: ["'unsafe-inline'"],
        imgSrc: ['data:'],
        fontSrc: ['data:'],
        connectSrc: ["'self'"],
        // The editor's workers are created from text in the page.
        workerSrc: ['blob:'],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Many instances start on plain HTTP in a local network.
    strictTransportSecurity: false,
  });
}
