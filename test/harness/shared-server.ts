import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { startServerForAccounts } from './server-process.ts';
import { shared } from './shared-resources.ts';

/** An account of one's own on a product that test files share. */
export interface TestAccount {
  readonly url: string;
  /** Of every scope. */
  readonly apiKey: string;
  /** Of the account's owner. */
  readonly email: string;
  readonly password: string;
  /** A session of the owner's, as a `cookie` header. */
  readonly cookie: string;
  /** What the product writes to a folder, it writes here: mails, for one. */
  readonly dataDir: string;
  /** For whom ends what it opened: the product goes on. */
  dispose(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * A new account on the product of this worker, which is started when the first file asks for it and serves those
 * after it. Files that ask for the same environment share it. Nothing else is fresh: whoever changes what all
 * accounts share starts a server of its own.
 */
export async function newAccount(env: Environment = {}): Promise<TestAccount> {
  const { url, dataDir, dispose } = await sharedServer(env);
  const email = `${randomUUID()}@example.com`;
  const password = 'correct horse battery';
  const ask = async (query: string, variables: object, cookie = ''): Promise<{ data: unknown; cookie: string }> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    if (errors !== undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`);
    return { data, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie };
  };
  const { cookie } = await ask('mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }', {
    input: { email, password, name: 'Owner' },
  });
  const made = await ask(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }',
    { input: { name: 'First key', scopes: ['INFERENCE', 'READ', 'MANAGE'], role: 'OWNER' } },
    cookie,
  );
  const { createApiKey } = createdSchema.parse(made.data);
  return { url, apiKey: createApiKey.secret, email, password, cookie, dataDir, dispose };
}

const answerSchema = z.object({ data: z.unknown(), errors: z.array(z.unknown()).optional() });
const createdSchema = z.object({ createApiKey: z.object({ secret: z.string() }) });

async function sharedServer(env: Environment): Promise<{ url: string; dataDir: string; dispose(): Promise<void> }> {
  // What a process ran is known at its end alone: where coverage is recorded, nothing is shared.
  if (process.env.NODE_V8_COVERAGE) return startServerForAccounts(shared, env);
  const worker = process.env.VITEST_POOL_ID ?? '';
  const { url, dataDir } = await shared('server', JSON.stringify({ worker, env }));
  return { url, dataDir, dispose: async () => undefined };
}
