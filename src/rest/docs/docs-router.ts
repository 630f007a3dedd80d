import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';
import { answerJson } from '../answer-json.ts';
import { onlyMethods } from '../errors.ts';
import { buildOpenApiDocument, type OpenApiDocument } from '../openapi/document.ts';
import { renderLandingPage } from './landing-page.ts';
import { pageStyle } from './page-style.ts';
import { renderReferencePage } from './reference-page.ts';

const styleHash = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;

/** Pages load nothing, from here or elsewhere, and run no script. */
const pageHeaders: RequestHandler = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      styleSrc: [styleHash],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // Plain HTTP on a local network is the usual beginning.
  strictTransportSecurity: false,
});

/** `/`, `/docs` and `/openapi.json`, rendered from the schemas that check the requests. */
export function buildDocsRouter(): Router {
  const router = express.Router({ caseSensitive: true });
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  // Made when first asked for: a server that nobody reads about need not hold it.
  let made: OpenApiDocument | null = null;
  const document = (): OpenApiDocument => (made ??= buildOpenApiDocument());
  router
    .route('/openapi.json')
    .get((_request, response) => answerJson(response, 200, JSON.stringify(document())))
    .all(reading);
  router
    .route('/docs')
    .get(pageHeaders, (request, response) => answerPage(response, renderReferencePage(document(), addressOf(request))))
    .all(reading);
  // Browsers ask for it on every page; there is none.
  router
    .route('/favicon.ico')
    .get((_request, response) => void response.status(204).end())
    .all(reading);
  router
    .route('/')
    .get(pageHeaders, (request, response) => answerPage(response, renderLandingPage(addressOf(request))))
    .all(reading);
  return router;
}

function addressOf(request: Request): string {
  return `${request.protocol}://${request.headers.host ?? 'localhost'}`;
}

function answerPage(response: Response, html: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-length', Buffer.byteLength(html));
  response.end(html);
}
