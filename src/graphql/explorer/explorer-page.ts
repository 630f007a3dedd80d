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
 * Shows GraphiQL to browsers that open the path, and to nobody else. The page is whole: it loads nothing, from here or
 * elsewhere, and talks to this host alone.
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

/** A page is asked for, and no operation. Source: GraphQL over HTTP, "Accept" names JSON for operations. */
function isOpenedByBrowser(request: Request): boolean {
  return (
    ['GET', 'HEAD'].includes(request.method) &&
    request.query.query === undefined &&
    request.query.documentId === undefined &&
    request.accepts(['application/graphql-response+json', 'application/json', 'text/html']) === 'text/html'
  );
}

/** In a thread of its own, which ends: the page is 9 MB, of which a fifth is kept. */
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
        // The editor writes styles as it goes.
        styleSrc: ["'unsafe-inline'"],
        imgSrc: ['data:'],
        fontSrc: ['data:'],
        connectSrc: ["'self'"],
        // The editor's own, made of what stands in the page.
        workerSrc: ['blob:'],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Plain HTTP on a local network is the usual beginning.
    strictTransportSecurity: false,
  });
}
