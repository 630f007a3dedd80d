import express, { type RequestHandler, type Router } from 'express';
import type { GatewayMetrics } from '../gateway/metrics/metrics.ts';
import type { ModelDirectory } from '../gateway/keys/model-directory.ts';
import type { RejectedRequests } from '../gateway/usage/rejections.ts';
import type { Readiness } from '../gateway/metrics/readiness.ts';
import type { LimitStore } from '../gateway/limits/limit-store.ts';
import type { MediaService } from '../services/media/media.service.ts';
import type { CapabilityRoutes } from './capability-routes.ts';
import type { KeyAuthentication } from './authentication/authenticate.ts';
import { keyOf, requireCaller } from './authentication/caller.ts';
import type { StripeWebhook } from '../services/billing/payments/stripe-webhook.ts';
import { azureSpelling } from './azure/azure-spelling.ts';
import {
  buildChatCompletionsRouter,
  type ChatCompletionRouteDependencies,
} from './chat-completions/chat-completions-router.ts';
import { buildConversationsRouter, type ConversationRouteDependencies } from './conversations/conversations-router.ts';
import { buildDocsRouter } from './docs/docs-router.ts';
import { buildAuthRouter, type AuthDependencies } from './auth/auth-router.ts';
import { isGoogleRequest } from './gemini/is-google-request.ts';
import { buildGeminiRouter, type GeminiRouteDependencies } from './gemini/gemini-router.ts';
import { useClientFormat } from './http/client-format.ts';
import { anthropicFormat } from './messages/anthropic-format.ts';
import { isAnthropicClient, isAnthropicRequest } from './messages/anthropic-client.ts';
import { onlyMethods, unknownUrl } from './http/errors.ts';
import { buildExportsRouter, type ExportDependencies } from './exports/exports-router.ts';
import { buildHealthRouter } from './health/health-router.ts';
import { buildInvoicesRouter, type InvoiceDependencies } from './invoices/invoices-router.ts';
import { buildMediaRouter } from './media/media-router.ts';
import type { RequireMetricsReader } from './metrics/metrics-access.ts';
import { buildMetricsRouter, type RenderMetricsPage } from './metrics/metrics-router.ts';
import { buildModelsRouter } from './models/models-router.ts';
import type { BatchRouteDependencies } from './batches/route-dependencies.ts';
import { buildFileBatchesRouter } from './batches/file-batches-router.ts';
import { buildMessageBatchesRouter } from './batches/message-batches-router.ts';
import type { ResponseRouteDependencies } from './responses/route-dependencies.ts';
import { buildResponsesRouter } from './responses/responses-router.ts';
import { buildFeedbackRouter, type FeedbackRouteDependencies } from './feedback/feedback-router.ts';
import { buildFilesRouter } from './stored-files/files-router.ts';
import { buildUploadsRouter } from './stored-files/uploads-router.ts';
import type { FileRouteDependencies } from './stored-files/route-dependencies.ts';
import type { VideoRouteDependencies } from './videos/create-video.ts';
import { buildStatusRouter, type StatusRouteDependencies } from './status/status-router.ts';
import { buildStripeRouter } from './payments/stripe-router.ts';
import { buildSecurityTextRouter, type SecurityTextOptions } from './security/security-text-router.ts';
import { buildVideosRouter } from './videos/videos-router.ts';
import { answerPreflight, answerUnauthenticatedOptions } from './http/preflight.ts';
import { refuseUnserved, unservedOfAnthropic, unservedOfOpenAi } from './http/unserved-endpoints.ts';
import { setStandardHeaders, setRateLimitHeaders } from './headers/response-headers.ts';

export interface RestDependencies extends KeyAuthentication {
  readonly models: ModelDirectory;
  readonly limits: LimitStore;
  readonly readiness: Readiness;
  readonly metrics: GatewayMetrics;
  readonly rejections: RejectedRequests;
  readonly renderMetrics: RenderMetricsPage;
  readonly securityText: SecurityTextOptions;
  readonly requireMetricsReader: RequireMetricsReader;
  readonly capabilities: CapabilityRoutes;
  readonly gemini: GeminiRouteDependencies;
  readonly media: MediaService;
  /** Absent without a database. */
  readonly responses?: ResponseRouteDependencies;
  /** Absent without a database. */
  readonly chatCompletions?: ChatCompletionRouteDependencies;
  /** Absent without a database. */
  readonly conversations?: ConversationRouteDependencies;
  /** Absent without a database. */
  readonly feedback?: FeedbackRouteDependencies;
  /** Absent without a database. */
  readonly files?: FileRouteDependencies;
  /** Absent without a database. */
  readonly batches?: BatchRouteDependencies;
  /** Absent without a database. */
  readonly videos?: VideoRouteDependencies;
  /** Absent without a database. */
  readonly exports?: ExportDependencies;
  /** Absent without a database. */
  readonly invoices?: InvoiceDependencies;
  /** Absent without a webhook secret: signatures cannot be verified. */
  readonly stripe?: Pick<StripeWebhook, 'receive'>;
  /** Absent without a database. */
  readonly status?: StatusRouteDependencies;
  /** Absent without a database. */
  readonly auth?: AuthDependencies;
  /** Built pages of the documentation. */
  readonly guideFolder?: string;
}

const COHERE_RERANK = '/v2/rerank';

/**
 * All REST routes. Unknown paths under `/v1` and `/v2` are handled here; others fall through to the `unknownUrl` and
 * `renderErrors` of the app.
 */
export function buildRestRouter(deps: RestDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(azureSpelling(deps));
  const forAnthropic = useClientFormat(anthropicFormat);
  router.use('/v1/messages', forAnthropic);
  router.use('/v1', (request, response, next) =>
    isAnthropicRequest(request.path, request.headers) ? forAnthropic(request, response, next) : next(),
  );
  for (const [path, handler] of Object.entries(deps.capabilities)) router.post(`/v1${path}`, handler);
  router.post(COHERE_RERANK, deps.capabilities['/rerank']);
  const gemini = buildGeminiRouter(deps.gemini);
  router.use('/v1beta', gemini);
  router.use(/^\/upload\/v1(?:beta)?(?=\/(?:files|fileSearchStores))/, gemini);
  router.use('/v1', (request, response, next) => (isGoogleRequest(request) ? gemini(request, response, next) : next()));
  router.use('/v1', buildV1Router(deps));
  router.use('/v2', buildV2Router(deps));
  router.use(buildMediaRouter(deps.media));
  if (deps.exports) router.use(buildExportsRouter(deps.exports));
  if (deps.invoices) router.use(buildInvoicesRouter(deps.invoices));
  if (deps.stripe) router.use(buildStripeRouter(deps.stripe));
  if (deps.status) router.use(buildStatusRouter(deps.status));
  if (deps.auth) router.use(buildAuthRouter(deps.auth));
  router.use(buildHealthRouter(deps.readiness));
  router.use(buildSecurityTextRouter(deps.securityText));
  router.use(buildMetricsRouter(deps.renderMetrics, deps.requireMetricsReader));
  router.use(buildDocsRouter(deps.guideFolder));
  return router;
}

function buildV1Router(deps: RestDependencies): Router {
  const router = buildCallersRouter(deps);
  const refuse = refuseUnserved(unservedOfAnthropic);
  router.use((request, response, next) =>
    isAnthropicClient(request.headers) ? refuse(request, response, next) : next(),
  );
  if (deps.chatCompletions) router.use(buildChatCompletionsRouter(deps.chatCompletions));
  for (const path of Object.keys(deps.capabilities)) router.all(path, onlyMethods('POST', 'OPTIONS'));
  router.use(buildModelsRouter(deps.models));
  if (deps.responses) router.use(buildResponsesRouter(deps.responses));
  if (deps.conversations) router.use(buildConversationsRouter(deps.conversations));
  if (deps.feedback) router.use(buildFeedbackRouter(deps.feedback));
  if (deps.files) router.use(buildFilesRouter(deps.files), buildUploadsRouter(deps.files));
  if (deps.batches) router.use(buildFileBatchesRouter(deps.batches), buildMessageBatchesRouter(deps.batches));
  if (deps.videos) router.use(buildVideosRouter(deps.videos));
  router.use(refuseUnserved(unservedOfOpenAi), unknownUrl);
  return router;
}

/** The only endpoint of Cohere's version 2 that is supported. */
function buildV2Router(deps: RestDependencies): Router {
  const router = buildCallersRouter(deps);
  router.all('/rerank', onlyMethods('POST', 'OPTIONS'));
  router.use(unknownUrl);
  return router;
}

/** In this order: preflight, authentication, then path and method. */
function buildCallersRouter(deps: RestDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(standardHeaders, answerPreflight, answerUnauthenticatedOptions);
  router.use(requireCaller(deps), limitHeaders(deps.limits));
  return router;
}

/** Rate limit headers of every authenticated response. */
function limitHeaders(limits: LimitStore): RequestHandler {
  return (_request, response, next) => {
    setRateLimitHeaders(response, limits.view(keyOf(response)));
    next();
  };
}

const standardHeaders: RequestHandler = (_request, response, next) => {
  setStandardHeaders(response);
  next();
};
