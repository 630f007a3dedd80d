import { expect } from 'vitest';
import type { UsageRecord } from '../../../../src/gateway/usage/usage-record.ts';
import { startFakeProvider, type ReceivedRequest, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../harness/gateway.ts';

export interface SpeechCall {
  readonly provider: string;
  readonly model: string;
  readonly script: Script;
  readonly request?: Readonly<Record<string, unknown>>;
  /** Path after the fake provider's origin; defaults to `/v1`. */
  readonly basePath?: string;
  readonly strict?: boolean;
}

export interface SpeechResult {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
  /** The request that the provider received; undefined where it received none. */
  readonly received: ReceivedRequest | undefined;
  /** The usage record; undefined where the request was rejected. */
  readonly record: UsageRecord | undefined;
}

/** Sends one request to `/v1/audio/speech`; the provider is a server on loopback. */
export async function requestSpeech(asked: SpeechCall): Promise<SpeechResult> {
  const { provider: id, model, script, request, basePath = '/v1', strict = false } = asked;
  const provider = await startFakeProvider(script);
  const gateway = await startGateway({
    providers: { [id]: { baseUrl: provider.url.replace(/\/v1$/, basePath) } },
    ...(strict && { config: 'routing: { parameters: strict }' }),
  });
  try {
    const response = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `${id}/${model}`, input: 'Hello there', voice: 'some-voice', ...request }),
    });
    const body = Buffer.from(await response.arrayBuffer());
    const [record] = provider.requests.length === 0 ? [] : await gateway.settledCount(1);
    return { status: response.status, headers: response.headers, body, received: provider.requests[0], record };
  } finally {
    await gateway.close();
    await provider.close();
  }
}

export function expectSeconds({ record }: SpeechResult, seconds: number): void {
  const [use] = record?.units?.media ?? [];
  expect(use?.unit).toBe('audio_second');
  expect(Math.abs((use?.quantity ?? 0) - seconds)).toBeLessThan(0.06);
}
