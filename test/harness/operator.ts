import { createHash } from 'node:crypto';
import { completion, startFakeProvider, type FakeProvider } from './fake-provider.ts';
import { newAccount, type TestAccount } from './shared-server.ts';

/** A shared product that is configured in all ways in which accounts do not notice each other. */
export interface Operator {
  /** The provider of the operator's own key: `openai`. */
  readonly provider: FakeProvider;
  /** What accounts may reach on this machine: providers of their own, and receivers of webhooks. */
  readonly outside: FakeProvider;
  newAccount(): Promise<TestAccount>;
}

export const OPERATORS_KEY = 'sk-operators';

/** A document that is trusted; as code generators write it, its id is its SHA-1. */
export const trusted = {
  query: 'query Viewer { viewer { role currentAccount { name } } }',
  /** What a manifest holds. */
  manifest: (query: string): string =>
    JSON.stringify({
      [createHash('sha1').update(query).digest('hex')]: query,
      short: 'subscription Alerts { budgetAlerts { percent } }',
    }),
};

const configuration = `
models:
  openai/priced: { input: "0", output: "1", max_output_tokens: 100000 }
routes:
  everyones: { targets: [sandbox/chat], retries: 3 }
  watched: { targets: [sandbox/chat], moderation: { model: judge, action: block } }
aliases: { short: everyones, judge: sandbox/moderation }
graphql:
  introspection: true
  allowed_origins: ["https://dashboard.example.com"]
  trusted_documents: documents.json
`;

const files = { 'sluice.yaml': configuration, 'documents.json': trusted.manifest(trusted.query) };

/** Of this worker: its test files come one after the other. */
let providers: Promise<readonly [provider: FakeProvider, outside: FakeProvider]> | undefined;

/** What this worker's operator runs, each provider as new. */
export async function operator(): Promise<Operator> {
  providers ??= Promise.all([startFakeProvider(), startFakeProvider()]);
  const [provider, outside] = await providers;
  for (const each of [provider, outside]) each.answerWith(completion());
  const env = {
    OPENAI_API_KEY: OPERATORS_KEY,
    OPENAI_BASE_URL: provider.url,
    SLUICE_OUTBOUND_ALLOW: new URL(outside.url).host,
  };
  return { provider, outside, newAccount: () => newAccount(env, files) };
}
