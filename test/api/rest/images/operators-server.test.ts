import { createServer } from 'node:http';
import { once } from 'node:events';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startServer, type ServerProcess } from '../../../harness/server-process.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Studio {
  readonly host: string;
  readonly asked: string[];
  /** Base URL of its next images; its own by default. */
  picturesAt: string | null;
  close(): void;
}

/** An OpenAI-compatible server that returns URLs of its own images. */
async function startStudio(): Promise<Studio> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    request.resume();
    if (request.url === '/made.png') {
      response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL);
      return;
    }
    const url = `http://${studio.picturesAt ?? studio.host}/made.png`;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ created: 1, data: [{ url }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const studio: Studio = {
    host: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    asked,
    picturesAt: null,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return studio;
}

let operators: Studio;
let beside: Studio;
let tenants: Studio;
let server: ServerProcess;
let client: OpenAI;

beforeAll(async () => {
  [operators, beside, tenants] = await Promise.all([startStudio(), startStudio(), startStudio()]);
  server = await startServer({
    OPENAI_API_KEY: 'sk-operators',
    OPENAI_BASE_URL: `http://${operators.host}/v1`,
    SLUICE_OUTBOUND_ALLOW: tenants.host,
  });
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await server.dispose();
  for (const each of [operators, beside, tenants]) each.close();
});

function picture(model: string): Promise<OpenAI.Images.ImagesResponse> {
  return client.images.generate({ model, prompt: 'A kite', response_format: 'b64_json' });
}

async function graphql(query: string, cookie = ''): Promise<{ cookie: string; data: unknown }> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie !== '' && { cookie }) },
    body: JSON.stringify({ query }),
  });
  const { data } = z.object({ data: z.unknown() }).parse(await response.json());
  return { cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? cookie, data };
}

it('fetches images that a self-hosted server of the operator links to on itself', async () => {
  const made = await picture('openai/dall-e-3');
  expect(made.data?.[0]?.b64_json).toBe(PIXEL.toString('base64'));
  expect(operators.asked).toContain('/made.png');
});

it('does not fetch images that it links to elsewhere on its network', async () => {
  operators.picturesAt = beside.host;
  await expect(picture('openai/dall-e-3')).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
  expect(beside.asked).toEqual([]);
});

it('does not fetch images from the operator’s server that a server of an account links to', async () => {
  const { email, password } = server;
  const signedIn =
    await graphql(`mutation { signIn(input: { email: "${email}", password: "${password}" }) { __typename } }`);
  const input = `{ provider: "openai", apiKey: "sk-tenants", baseUrl: "http://${tenants.host}/v1" }`;
  const connected = await graphql(`mutation { connectProvider(input: ${input}) { id } }`, signedIn.cookie);
  expect(connected.data).toMatchObject({ connectProvider: { id: expect.any(String) } });
  operators.asked.length = 0;
  tenants.picturesAt = operators.host;
  await expect(picture('openai/dall-e-3')).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
  expect(tenants.asked).toContain('/v1/images/generations');
  expect(operators.asked).toEqual([]);
});
