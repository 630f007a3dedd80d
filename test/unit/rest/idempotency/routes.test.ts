import type { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { geminiMethods } from '../../../../src/rest/paths/gemini-methods.ts';
import { buildOpenApiDocument } from '../../../../src/rest/openapi/document.ts';
import type { BatchRouteDependencies } from '../../../../src/rest/batches/route-dependencies.ts';
import type { ChatCompletionRouteDependencies } from '../../../../src/rest/chat-completions/chat-completions-router.ts';
import type { ConversationRouteDependencies } from '../../../../src/rest/conversations/conversations-router.ts';
import type { ResponseRouteDependencies } from '../../../../src/rest/responses/route-dependencies.ts';
import { buildRestRouter } from '../../../../src/rest/router.ts';
import type { FeedbackRouteDependencies } from '../../../../src/rest/feedback/feedback-router.ts';
import type { FileRouteDependencies } from '../../../../src/rest/stored-files/route-dependencies.ts';
import type { VideoRouteDependencies } from '../../../../src/rest/videos/create-video.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    // Handlers do not reach the database: the header is checked first.
    rest: (made) => ({
      responses: made as unknown as ResponseRouteDependencies,
      chatCompletions: made as unknown as ChatCompletionRouteDependencies,
      conversations: made as unknown as ConversationRouteDependencies,
      feedback: made as unknown as FeedbackRouteDependencies,
      files: made as unknown as FileRouteDependencies,
      batches: made as unknown as BatchRouteDependencies,
      videos: made as unknown as VideoRouteDependencies,
    }),
  });
});

afterAll(() => gateway.close());

/** Paths of `POST` routes in OpenAPI syntax. */
function postsOf(router: Router, prefix = ''): string[] {
  return router.stack.flatMap((layer) => {
    if (layer.route !== undefined) {
      const posts = layer.route.stack.some(({ method }) => method === 'post');
      return posts ? [prefix + String(layer.route.path).replaceAll(/:(\w+)/g, '{$1}')] : [];
    }
    if (!isRouter(layer.handle)) return [];
    return postsOf(layer.handle, prefix + mountOf(layer));
  });
}

/** The mount path of a layer, which its types do not contain. */
function mountOf(layer: object): string {
  const match: unknown = Reflect.get(layer, 'match');
  const matched: unknown = typeof match === 'function' ? match.call(layer, '/v1/x') : null;
  return String(z.looseObject({ path: z.string() }).safeParse(matched).data?.path ?? '');
}

function isRouter(handle: unknown): handle is Router {
  return typeof handle === 'function' && 'stack' in handle && Array.isArray(handle.stack);
}

const googlePaths = geminiMethods.map((method) => `/v1beta/models/{model}:${method}`);

describe('every POST under /v1 and /v1beta', () => {
  it('accepts an Idempotency-Key, and documents it in the OpenAPI document', async () => {
    const found = postsOf(buildRestRouter(gateway.rest)).filter((path) => path.startsWith('/v1'));
    // One route matches all methods of a model.
    const routes = [...found, ...googlePaths];
    expect(routes.length).toBeGreaterThanOrEqual(14);
    const { paths } = buildOpenApiDocument();
    const documented = Object.entries(paths).flatMap(([path, { post }]) =>
      path.startsWith('/v1') && post ? [[path, post] as const] : [],
    );
    expect(routes.toSorted()).toEqual(documented.map(([path]) => path).toSorted());
    for (const [path, { parameters, responses }] of documented) {
      expect(parameters, path).toContainEqual({ $ref: '#/components/parameters/IdempotencyKey' });
      expect(responses['200']?.headers, path).toHaveProperty('idempotency-replayed');
      expect(responses, path).toHaveProperty('409');
    }
    for (const path of routes) {
      const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'k'.repeat(256) };
      const answer = await fetch(gateway.url + path.replace('{id}', 'an_id').replace('{model}', 'sandbox/chat'), {
        method: 'POST',
        headers,
      });
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        400,
        // The envelopes of Anthropic and Google have no code.
        expect.stringContaining(
          /^\/v1(?:\/messages|beta\/)/.test(path) ? 'Idempotency-Key' : 'invalid_idempotency_key',
        ),
      ]);
    }
  });
});
