import { randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { OpenDatabaseOptions } from '../../src/database/database.ts';
import { startServerForAccounts } from './server-process.ts';
import { shared } from './shared-resources.ts';

/** Somebody who is signed in. */
export interface Person {
  readonly email: string;
  readonly password: string;
  /** Their session, as a `cookie` header. */
  readonly cookie: string;
}

/** An account of one's own on a product that test files share. */
export interface TestAccount extends Person {
  readonly url: string;
  /** Of every scope. */
  readonly apiKey: string;
  /** What the product writes to a folder, it writes here: mails, for one. */
  readonly dataDir: string;
  /** As of a server process: for `queryRunning`. */
  readonly database: OpenDatabaseOptions;
  /** For whom ends what it opened: the product goes on. */
  dispose(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * A new account on the product of this worker, which is started when the first file asks for it and serves those
 * after it. Files that ask for the same environment and files share it. Nothing else is fresh: whoever changes what
 * all accounts share starts a server of its own.
 * @param files as of `startServerForAccounts`
 */
export async function newAccount(
  env: Environment = {},
  files: Readonly<Record<string, string>> = {},
): Promise<TestAccount> {
  const { url, database, dispose } = await sharedServer({ ...usualEnvironment, ...env }, files);
  const person = await signUp(url);
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
  const input = { name: 'First key', scopes: ['INFERENCE', 'READ', 'MANAGE'], role: 'OWNER' };
  const { data } = await ask(url, query, { input }, { cookie: person.cookie });
  const { createApiKey } = createdSchema.parse(data);
  return { ...person, url, apiKey: createApiKey.secret, dataDir: database.dataDir, database, dispose };
}

/** A client says where it comes from, as a proxy would: see `signUp`. */
const usualEnvironment: Environment = { TRUST_PROXY_HOPS: '1' };

interface NewPerson {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly invitation?: string | undefined;
}

/** Signs somebody up, on a shared product as often as tests like: sign-ups are bounded by address, and each has its own of this machine. */
export async function signUp(url: string, { email, name, invitation }: NewPerson = {}): Promise<Person> {
  const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { ... on SignUpFailure { code } } }';
  const input = { email: email ?? newEmail(), password: 'correct horse battery', name: name ?? 'Owner', invitation };
  const address = ['127', ...Array.from({ length: 3 }, () => randomInt(256))].join('.');
  const { data, cookie } = await ask(url, query, { input }, { 'x-forwarded-for': address });
  const { code } = signedUpSchema.parse(data).signUp;
  if (code !== undefined) throw new Error(`${input.email} cannot sign up: ${code}`);
  return { email: input.email, password: input.password, cookie };
}

/** Nobody else's on a shared product. */
export function newEmail(): string {
  return `${randomUUID()}@example.com`;
}

async function ask(
  url: string,
  query: string,
  variables: object,
  headers: Readonly<Record<string, string>>,
): Promise<{ data: unknown; cookie: string }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  if (errors !== undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return { data, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

const answerSchema = z.object({ data: z.unknown(), errors: z.array(z.unknown()).optional() });
const createdSchema = z.object({ createApiKey: z.object({ secret: z.string() }) });
const signedUpSchema = z.object({ signUp: z.object({ code: z.string().optional() }) });

interface SharedServer {
  readonly url: string;
  readonly database: OpenDatabaseOptions;
  dispose(): Promise<void>;
}

async function sharedServer(env: Environment, files: Readonly<Record<string, string>>): Promise<SharedServer> {
  if (process.env.NODE_V8_COVERAGE) return serverOfFile(env, files);
  const worker = process.env.VITEST_POOL_ID ?? '';
  const { url, database } = await shared('server', JSON.stringify({ worker, env, files }));
  return { url, database, dispose: async () => undefined };
}

const serversOfFile = new Map<string, { readonly starting: Promise<SharedServer>; users: number }>();

/** What a process ran is known at its end alone: where coverage is recorded, a server ends with the file that uses it. */
async function serverOfFile(env: Environment, files: Readonly<Record<string, string>>): Promise<SharedServer> {
  const key = JSON.stringify({ env, files });
  const server = serversOfFile.get(key) ?? { starting: startServerForAccounts(shared, env, files), users: 0 };
  serversOfFile.set(key, server);
  server.users++;
  const { url, database, dispose } = await server.starting;
  const leave = async (): Promise<void> => {
    if (--server.users > 0) return;
    serversOfFile.delete(key);
    await dispose();
  };
  return { url, database, dispose: leave };
}
