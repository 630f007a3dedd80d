import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import helmet from 'helmet';
import { sendJson } from '../http/send-json.ts';
import { onlyMethods, unknownUrl } from '../http/errors.ts';
import { buildOpenApiDocument, type OpenApiDocument } from '../openapi/document.ts';
import { readGuidePage } from './guide-pages.ts';
import { page } from './html.ts';
import { renderLandingPage } from './landing-page.ts';
import { pageStyle } from './page-style.ts';
import { renderReferencePage } from './reference-page.ts';

const styleHash = `'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`;

/** Pages load no resources and run no scripts. */
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
  // Installations often start with plain HTTP on a local network.
  strictTransportSecurity: false,
});

/**
 * `/`, `/docs` and `/openapi.json`, rendered from the schemas that validate requests, and the documentation under `/docs/guide`.
 * @param guideFolder of the built pages; without it there is no guide
 */
export function buildDocsRouter(guideFolder?: string): Router {
  const router = express.Router({ caseSensitive: true });
  const reading = onlyMethods('GET', 'HEAD', 'OPTIONS');
  // Built at the first request, to save memory.
  let built: OpenApiDocument | null = null;
  const document = (): OpenApiDocument => (built ??= buildOpenApiDocument());
  router
    .route('/openapi.json')
    .get((_request, response) => sendJson(response, 200, JSON.stringify(document())))
    .all(reading);
  router
    .route('/docs')
    .get(pageHeaders, (request, response) =>
      answerPage(response, renderReferencePage(document(), addressOf(request), guideFolder !== undefined)),
    )
    .all(reading);
  if (guideFolder !== undefined)
    router
      .route('/docs/guide{/*name}')
      .get(pageHeaders, async (request, response, next) => {
        const { name } = request.params;
        const guide = await readGuidePage(guideFolder, Array.isArray(name) ? name.join('/') : 'index');
        if (guide === null) unknownUrl(request, response, next);
        else answerPage(response, page(`${guide.title} · Sluice`, guide.body));
      })
      .all(reading);
  // Browsers request it for every page.
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
