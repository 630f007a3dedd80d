import { describe, expect, it } from 'vitest';
import { HttpRoutes } from '../../../src/rest/tracing/http-route.ts';
import { buildOpenApiDocument } from '../../../src/rest/openapi/document.ts';

const routes = new HttpRoutes(Object.keys(buildOpenApiDocument().paths));

describe('the template of a path', () => {
  it.each([
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/v1/messages?beta=true', '/v1/messages'],
    ['/v1/files/file-1/content', '/v1/files/{id}/content'],
    ['/v1/conversations/c/items/i', '/v1/conversations/{id}/items/{item}'],
    ['/v1beta/models/gemini-2.5-flash:generateContent?key=k', '/v1beta/models/{model}:generateContent'],
    ['/v1/models/a%2Fb:streamGenerateContent?alt=sse', '/v1/models/{model}:streamGenerateContent'],
    ['/openai/v1/responses/resp_1', '/openai/v1/responses/{id}'],
    ['/openai/deployments/mine/chat/completions?api-version=1', '/openai/deployments/{model}/chat/completions'],
    ['/openai/files/file-1', '/openai/files/{id}'],
    ['/graphql', '/graphql'],
  ])('%s is %s', (url, template) => {
    expect(routes.of(url)).toBe(template);
  });

  it.each(['/v1/nothing', '/v1/files/a/b/c', '/openai/x'])('is not known of %s', (url) => {
    expect(routes.of(url)).toBeNull();
  });
});
