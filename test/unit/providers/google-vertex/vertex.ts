import { generateKeyPairSync } from 'node:crypto';
import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import type { ConnectionSettings } from '../../../../src/providers/contract.ts';
import { json, startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** Verifies what the service account signed. */
export { publicKey };

export const account = {
  project: 'my-project',
  location: 'europe-west1',
  client_email: 'sluice@my-project.iam.gserviceaccount.com',
  // As an environment variable contains it.
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', '\\n'),
};

export interface VertexGateway {
  readonly upstream: FakeProvider;
  readonly gateway: TestGateway;
  /** Answers requests for tokens. */
  tokensWith(script: Script): void;
  /** Requests to Vertex AI, without those for tokens. */
  calls(): FakeProvider['requests'];
  answerWith(script: Script): void;
  close(): Promise<void>;
}

/** A gateway whose sockets to Google, also those for tokens, lead to a fake provider. */
export async function startVertex(
  settings: Partial<ConnectionSettings> = {},
  options: GatewayOptions = {},
): Promise<VertexGateway> {
  const usual = json(200, { access_token: 'the-token', expires_in: 3_600, token_type: 'Bearer' });
  let tokens = usual;
  let current: Script = () => undefined;
  const upstream = await startFakeProvider((request, response) =>
    (request.path === '/token' ? tokens : current)(request, response),
  );
  const dial: buildConnector.connector = (_options, callback) => {
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
  };
  const connection = { apiKey: undefined, baseUrl: undefined, options: account, dial, ...settings };
  const providers = { ...options.providers, 'google-vertex': connection };
  const gateway = await startGateway({ ...options, providers });
  return {
    upstream,
    gateway,
    tokensWith: (script) => {
      tokens = script;
    },
    calls: () => upstream.requests.filter(({ path }) => path !== '/token'),
    answerWith: (script) => {
      current = script;
    },
    close: async () => {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** Pieces of any size. The sizes repeat: a failure can be repeated. */
export function cut(bytes: Buffer, seed: number): Buffer[] {
  const parts: Buffer[] = [];
  let random = seed;
  for (let at = 0; at < bytes.length;) {
    random = (random * 48_271) % 2_147_483_647;
    const size = 1 + (random % 1_500);
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}
