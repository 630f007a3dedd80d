import { readFileSync } from 'node:fs';
import type { ConnectionSettings } from '../../../../src/providers/contract.ts';
import { startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';

/** A recording of `test/fixtures/services`. */
export function recorded(name: string): string {
  return readFileSync(new URL(`../../../fixtures/services/${name}`, import.meta.url), 'utf8');
}

/** A gateway with one fake provider. */
export interface GatewayWithProvider {
  readonly upstream: FakeProvider;
  readonly gateway: TestGateway;
  /** Posts JSON to `/v1{path}`. */
  post(path: string, body: unknown): Promise<PostResult>;
  close(): Promise<void>;
}

export interface PostResult {
  readonly status: number;
  readonly headers: Headers;
  readonly json: {
    readonly object?: string;
    readonly model?: string;
    readonly data?: readonly { readonly index: number; readonly embedding: readonly number[] | string }[];
    readonly results?: readonly { readonly index: number; readonly relevance_score: number }[];
    readonly usage?: unknown;
    readonly meta?: unknown;
    readonly error?: unknown;
  };
}

export async function startWithProvider(
  provider: string,
  script: Script,
  settings: Partial<ConnectionSettings> = {},
  options: GatewayOptions = {},
): Promise<GatewayWithProvider> {
  const upstream = await startFakeProvider(script);
  const gateway = await startGateway({
    ...options,
    providers: { ...options.providers, [provider]: { baseUrl: upstream.url, ...settings } },
  });
  return {
    upstream,
    gateway,
    async post(path, body) {
      const answer = await fetch(`${gateway.url}/v1${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, headers: answer.headers, json: JSON.parse(await answer.text()) };
    },
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** Little-endian float32, decoded independently of the gateway. */
export function decoded(base64: string): number[] {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}

/** The vectors of a response in either encoding, as numbers. */
export function vectorsOf({ json }: PostResult): number[][] {
  return (json.data ?? []).map(({ embedding }) =>
    typeof embedding === 'string' ? decoded(embedding) : [...embedding],
  );
}

/** The numbers rounded to float32. */
export function rounded(vector: readonly number[]): number[] {
  return vector.map((value) => Math.fround(value));
}

/** A list in OpenAI's format, as a server returns it: `values` by their inputs. */
export function listOf(inputs: readonly unknown[], vector: (input: unknown) => unknown, usage: unknown): object {
  const data = inputs.map((input, index) => ({ object: 'embedding', index, embedding: vector(input) }));
  return { object: 'list', data, model: 'its-model', ...(usage !== undefined && { usage }) };
}
