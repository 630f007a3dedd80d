import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';
import { buildAssetHandler } from './assets.ts';
import { pageStatus } from './page-path.ts';

export interface Dashboard {
  /** `/` and the built files. Mounted before other handlers of `/`. */
  readonly front: Router;
  /**
   * Serves the page for other paths that a browser opens, with status 404 if it is not a path of the dashboard. Mounted last.
   */
  readonly pages: Router;
}

const THEME_COOKIE = /(?:^|;\s*)sluice_theme=(light|dark)(?:;|$)/;

/**
 * Serves the dashboard built into `folder`. Without a build, requests fall through.
 */
export function buildDashboard(folder: string): Dashboard {
  const front = express.Router({ caseSensitive: true });
  const pages = express.Router({ caseSensitive: true });
  const page = pageHandler(join(folder, 'index.html'));
  front.get('/assets/:name', buildAssetHandler(join(folder, 'assets')));
  front.get('/', pageHeaders, page);
  pages.use((request, response, next) => {
    const status = pageStatus(request);
    if (status === null) {
      next();
      return;
    }
    response.status(status);
    pageHeaders(request, response, (error?: unknown) => (error ? next(error) : page(request, response, next)));
  });
  return { front, pages };
}

/** Only resources of this host. Scripts are files; inline styles of components have the nonce of the page. */
const policy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", (_request, response) => `'nonce-${nonceOf(response)}'`],
      imgSrc: ["'self'", 'data:', 'blob:'],
      mediaSrc: ["'self'", 'data:', 'blob:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
    },
  },
  referrerPolicy: { policy: 'same-origin' },
  // Installations often start with plain HTTP on a local network.
  strictTransportSecurity: false,
});

const nonces = new WeakMap<object, string>();

function nonceOf(response: object): string {
  const nonce = nonces.get(response) ?? randomBytes(18).toString('base64');
  nonces.set(response, nonce);
  return nonce;
}

const pageHeaders: RequestHandler = policy;

function pageHandler(path: string): RequestHandler {
  return async (request, response, next) => {
    // Read per request, so that a new build is served without a restart.
    const html = await readFile(path, 'utf8').catch(() => null);
    if (html === null) next();
    else sendPage(request, response, html);
  };
}

function sendPage(request: Request, response: Response, html: string): void {
  const [, theme] = THEME_COOKIE.exec(request.headers.cookie ?? '') ?? [];
  const themed = theme ? html.replace('<html', `<html data-theme="${theme}"`) : html;
  const body = themed.replaceAll('__NONCE__', nonceOf(response));
  response.set({
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}
