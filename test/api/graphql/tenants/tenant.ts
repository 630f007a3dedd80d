import { randomUUID } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { ServerProcess } from '../../../harness/server-process.ts';

export interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

const EVENT_WITHIN_MS = 400;

/** Someone with an account of their own, and one of everything in it. */
export class Tenant {
  readonly name: string;
  readonly #server: () => ServerProcess;
  #cookie = '';
  #used = '';
  /** Of all scopes. */
  secret = '';

  constructor(name: string, server: () => ServerProcess) {
    this.name = name;
    this.#server = server;
  }

  async signUp(): Promise<void> {
    const input = { email: `${this.name}@example.com`, password: 'correct horse battery', name: this.name };
    await this.ask('mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }', { input });
    const made = await this.must('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', {
      input: { name: `${this.name} all`, scopes: ['INFERENCE', 'READ', 'MANAGE'] },
    });
    this.secret = String(Object(made.createApiKey).secret);
  }

  async ask(query: string, variables: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.#server().url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: this.#cookie, ...headers },
      body: JSON.stringify({ query, variables }),
    });
    this.#cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? this.#cookie;
    const answer: Answer = JSON.parse(await response.text());
    return answer;
  }

  async must(query: string, variables: object = {}): Promise<Record<string, unknown>> {
    const { data, errors } = await this.ask(query, variables);
    if (errors !== undefined || !data) throw new Error(`${query}: ${JSON.stringify(errors)}`);
    return data;
  }

  /** The first event of a subscription, or its error; nothing where none comes soon. */
  async listen(query: string, variables: Record<string, unknown>, account?: string): Promise<Answer> {
    const cookie = this.#cookie;
    const client = createClient({
      url: `${this.#server().url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols, { headers: { cookie } });
        }
      },
      connectionParams: account === undefined ? {} : { account },
      retryAttempts: 0,
    });
    try {
      return await new Promise<Answer>((resolve) => {
        const timer = setTimeout(() => resolve({ data: null }), EVENT_WITHIN_MS);
        const done = (answer: unknown): void => {
          clearTimeout(timer);
          resolve(JSON.parse(JSON.stringify(answer)));
        };
        client.subscribe(
          { query, variables },
          {
            next: done,
            error: (error) => done({ errors: Array.isArray(error) ? error : [{ message: closing(error) }] }),
            complete: () => done({ data: null }),
          },
        );
      });
    } finally {
      // Tells once more of a socket that was refused.
      await Promise.resolve(client.dispose()).catch(() => undefined);
    }
  }

  async rest(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.#server().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.secret}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) };
    } catch {
      return { status: response.status, body: text };
    }
  }

  /** Where the session was ended. */
  async signIn(): Promise<void> {
    const { errors } = await this.ask('{ viewer { __typename } }');
    if (errors === undefined) return;
    const input = { email: `${this.name}@example.com`, password: 'correct horse battery' };
    await this.must('mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }', { input });
  }

  /** One of everything that an account may hold. What is there already may be refused. */
  async fill(): Promise<void> {
    const named = (what: string): string => `${this.name} ${what}`;
    const input = (fields: object): object => ({ input: fields });
    await this.signIn();
    const made = await this.must(
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }',
      input({
        name: named('key'),
        budget: { amount: '100', period: 'MONTH' },
      }),
    );
    await this.must(
      'mutation ($input: SetBudgetInput!) { setBudget(input: $input) { id } }',
      input({
        budget: { amount: '100', period: 'MONTH' },
      }),
    );
    await this.ask(
      'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }',
      input({
        provider: 'openai',
        apiKey: 'sk-not-a-key',
        baseUrl: 'http://127.0.0.1:9/v1',
      }),
    );
    await this.must(
      'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }',
      input({
        name: `${this.name}-route`,
        targets: [{ model: 'sandbox/chat' }],
      }),
    );
    await this.ask(
      'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }',
      input({
        url: `https://example.com/${this.name}`,
        // Of which none comes: nobody is to be called.
        events: ['API_KEY_EXPIRING'],
      }),
    );
    await this.must(
      'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }',
      input({ prompt: named('comparison'), models: ['sandbox/chat'] }),
    );
    await this.must(
      'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }',
      input({ email: `guest-of-${this.name}@example.com`, role: 'VIEWER' }),
    );
    // The newest key is the one that is found first: it is to have been used.
    this.#used = String(Object(made.createApiKey).secret);
    await this.chat();
    await this.rest('POST', '/v1/responses', { model: 'sandbox/chat', input: named('response'), background: true });
    await this.rest('POST', '/v1/videos', { model: 'sandbox/video', prompt: named('video'), seconds: '4' });
  }

  /** A request by its newest key. */
  async chat(): Promise<void> {
    const response = await fetch(`${this.#server().url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#used}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: `${this.name} prompt` }] }),
    });
    await response.text();
  }

  /** Whether what was begun for it has ended. */
  async isAtRest(): Promise<boolean> {
    const begun = await this.must('{ videos { nodes { status } } responses { nodes { status } } }');
    return !/QUEUED|IN_PROGRESS/.test(JSON.stringify(begun));
  }

  /** A completion over WebSocket with a request id of the caller's choosing. @returns all that was told of it */
  async complete(clientRequestId: string, maxTokens: number): Promise<string> {
    const query = `subscription ($input: CompletionInput!) { completion(input: $input) { __typename
      ... on CompletionDelta { text } ... on CompletionFailed { code } } }`;
    const cookie = this.#cookie;
    const client = createClient({
      url: `${this.#server().url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols, { headers: { cookie } });
        }
      },
      retryAttempts: 0,
    });
    const messages = [{ role: 'user', content: 'Hello' }];
    const input = { clientRequestId, model: 'sandbox/chat', messages, parameters: { max_tokens: maxTokens } };
    const told: unknown[] = [];
    for await (const event of client.iterate({ query, variables: { input } })) told.push(event);
    await client.dispose();
    return JSON.stringify(told);
  }
}

export const freshUuid = (): string => randomUUID();

function closing(error: unknown): string {
  const reason = typeof error === 'object' && error !== null && 'reason' in error ? error.reason : error;
  return String(reason);
}
