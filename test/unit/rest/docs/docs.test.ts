import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApiDocument } from '../../../../src/rest/openapi/document.ts';
import { startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { exchange } from '../../../harness/raw-http.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.close();
});

async function read(
  path: string,
): Promise<{ html: string; policy: string; status: number; contentType: string | null }> {
  const answer = await fetch(`${gateway.url}${path}`);
  return {
    html: await answer.text(),
    policy: answer.headers.get('content-security-policy') ?? '',
    status: answer.status,
    contentType: answer.headers.get('content-type'),
  };
}

it('returns 204 for the icon that browsers request', async () => {
  expect((await read('/favicon.ico')).status).toBe(204);
});

describe.each(['/', '/docs'])('the page %s', (path) => {
  it('is HTML that fits a phone', async () => {
    const { html, status, contentType } = await read(path);
    expect(status).toBe(200);
    expect(contentType).toBe('text/html; charset=utf-8');
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).toContain('<meta name="viewport"');
    expect(html).toContain('prefers-color-scheme:dark');
  });

  it('loads and runs nothing, and its policy only allows its own style', async () => {
    const { html, policy } = await read(path);
    expect(html).not.toMatch(/<(script|link|img|iframe|object|embed)\b|\son\w+=|@import|url\(/i);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/\sstyle="/);
  });

  it('shows a curl command with the address of the request', async () => {
    expect((await read(path)).html).toContain(`curl ${gateway.url}/v1/chat/completions`);
  });

  it('does not render markup from a Host header', async () => {
    const { body } = await exchange(gateway.url, `GET ${path} HTTP/1.1\r\nhost: "><script>alert(1)</script>\r\n\r\n`);
    expect(body).toMatch(/^<!doctype html>/);
    expect(body).not.toContain('<script');
  });

  it('links only to existing pages', async () => {
    const { html } = await read(path);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    expect(links.length).toBeGreaterThan(3);
    for (const href of new Set(links)) {
      if (href.startsWith('#')) expect(html).toContain(`id="${href.slice(1)}"`);
      else expect((await fetch(`${gateway.url}${href}`)).status, href).toBeLessThan(400);
    }
  });
});

describe('the API reference', () => {
  it('shows every route and every member of the chat body', async () => {
    const { html } = await read('/docs');
    const { paths, components } = buildOpenApiDocument();
    for (const path of Object.keys(paths)) expect(html).toContain(`<code>${path}</code>`);
    const schemas = JSON.parse(JSON.stringify(components.schemas));
    const members = Object.keys(schemas.ChatCompletionRequest.properties);
    expect(members.length).toBeGreaterThan(30);
    for (const member of members) expect(html).toContain(`<code>${member}</code>`);
  });
});
