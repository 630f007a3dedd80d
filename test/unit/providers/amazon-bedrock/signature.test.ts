import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { authorization } from '../../../../src/providers/amazon-bedrock/signature.ts';
import { json, startFakeProvider, type ReceivedRequest } from '../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../harness/gateway.ts';

const key = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

describe('a signature', () => {
  it('is that of AWS’s own example', () => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      host: 'iam.amazonaws.com',
      'x-amz-date': '20150830T123600Z',
    };
    const path = '/?Version=2010-05-08&Action=ListUsers';
    const scope = { region: 'us-east-1', service: 'iam' };
    expect(authorization({ method: 'GET', path, headers, body: '' }, scope, key)).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, ' +
        'SignedHeaders=content-type;host;x-amz-date, ' +
        'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });

  it('is that of the AI SDK’s signer for the same request, and so for one of its own', async () => {
    const upstream = await startFakeProvider();
    const options = {
      region: 'eu-west-1',
      access_key_id: key.accessKeyId,
      secret_access_key: key.secretAccessKey,
      session_token: 'a session/token=',
    };
    const settings = { apiKey: undefined, baseUrl: upstream.url, options };
    const gateway = await startGateway({ providers: { 'amazon-bedrock': settings } });
    const model = 'amazon-bedrock/eu.anthropic.claude-sonnet-4-20250514-v1:0';
    const messages = [{ role: 'user' as const, content: 'Hellö' }];
    try {
      const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
      upstream.answerWith(
        json(200, {
          output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
          stopReason: 'end_turn',
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        }),
      );
      await client.chat.completions.create({ model, messages });
      upstream.answerWith(json(200, { type: 'message', role: 'assistant', content: [], usage: {} }));
      await fetch(`${gateway.url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': secret, 'content-type': 'application/json' },
        body: JSON.stringify({ model, max_tokens: 5, messages }),
      });
      const [converse, invoke] = upstream.requests;
      expect(converse?.path).toMatch(/\/model\/eu\.anthropic\.claude-sonnet-4-20250514-v1%3A0\/converse$/);
      expect(invoke?.path).toMatch(/\/model\/eu\.anthropic\.claude-sonnet-4-20250514-v1%3A0\/invoke$/);
      for (const request of [converse, invoke]) {
        if (request === undefined) return expect.fail('no request');
        expect(signedAgain(request)).toBe(request.headers.authorization);
        expect(request.headers['x-amz-security-token']).toBe(options.session_token);
      }
    } finally {
      await gateway.close();
      await upstream.close();
    }
  });
});

/** With the headers that a request names as signed. */
function signedAgain({ path, headers, bytes }: ReceivedRequest): string {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const scope = { region: 'eu-west-1', service: 'bedrock' };
  return authorization({ method: 'POST', path, headers: signed, body: bytes }, scope, key);
}
