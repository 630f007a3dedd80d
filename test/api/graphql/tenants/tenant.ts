import { randomUUID } from 'node:crypto';
import { createClient, type Client } from 'graphql-ws';
import { vi } from 'vitest';
import { WebSocket } from 'ws';
import type { ServerProcess } from '../../../harness/server-process.ts';

export interface Answer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** Of no list or stream: what it is told with tells of a gap at once, and so that it has begun. */
export const UNKNOWN_CURSOR = 'a cursor that nobody gave';

/** Someone with an account of their own, and one of everything in it. */
export class Tenant {
  readonly name: string;
  readonly #server: () => ServerProcess;
  #cookie = '';
  #used = '';
  /** Of all scopes. */
  secret = '';
  /** IDs of what no list tells, the newest first. */
  readonly unlisted: string[] = [];
  /** In the newest conversation. */
  item = '';

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

  /** The first event of a subscription, or its error, or that it ended without one. */
  async listen(query: string, variables: Record<string, unknown>, account?: string): Promise<Answer> {
    const client = this.#socket(account);
    const { first } = subscribed(client, query, variables);
    const answer = await first;
    // Tells once more of a socket that was refused.
    await Promise.resolve(client.dispose()).catch(() => undefined);
    return answer;
  }

  /** All that a subscription tells from its beginning until something else was done, and then a request of this tenant. */
  async hear(
    query: string,
    variables: Record<string, unknown>,
    meanwhile: () => Promise<unknown>,
  ): Promise<readonly Answer[]> {
    await this.signIn();
    const client = this.#socket();
    const own = subscribed(
      client,
      `subscription { liveCompletions(after: "${UNKNOWN_CURSOR}") { requestId event { __typename } } }`,
      {},
    );
    await own.first;
    const { heard, first } = subscribed(client, query, variables);
    await first;
    await meanwhile();
    const requestId = await this.#chatBySession();
    await own.until((told) => told.includes(requestId) && told.includes('CompletionFinished'));
    await client.dispose();
    return heard;
  }

  #socket(account?: string): Client {
    const cookie = this.#cookie;
    return createClient({
      url: `${this.#server().url.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols, { headers: { cookie } });
        }
      },
      connectionParams: account === undefined ? {} : { account },
      retryAttempts: 0,
    });
  }

  async rest(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
    const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    const response = await fetch(`${this.#server().url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.secret}`,
        ...(typeof sent === 'string' && { 'content-type': 'application/json' }),
      },
      ...(sent !== undefined && { body: sent }),
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
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }',
      input({
        name: named('key'),
        budget: { amount: '100', period: 'MONTH' },
      }),
    );
    await this.must(
      'mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { expiresAt } }',
      input({ apiKeyId: Object(made.createApiKey).apiKey.id, scopes: ['INFERENCE'], expiresInSeconds: 3_600 }),
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
      'mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) { id } }',
      input({ name: named('view'), page: 'ANALYTICS', search: '?by=key', isShared: true }),
    );
    await this.must('mutation ($name: String!) { createDataset(name: $name) { id } }', { name: named('dataset') });
    await this.#alerts();
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
    const ofKey = await this.chat();
    await this.rest('POST', '/v1/responses', { model: 'sandbox/chat', input: named('response'), background: true });
    const messages = [{ role: 'user', content: named('completion') }];
    await this.rest('POST', '/v1/chat/completions', { model: 'sandbox/chat', messages, store: true });
    // One of them has a session and a trace.
    for (const requestId of [ofKey, await this.#chatBySession()])
      await this.must(
        'mutation ($input: FeedbackInput!) { submitFeedback(input: $input) { id } }',
        input({ requestId, boolean: true, comment: named('feedback') }),
      );
    await this.#batches(named('batch'));
    await this.#conversation(named('conversation'));
    await this.#upload(named('upload'));
    await this.rest('POST', '/v1/videos', { model: 'sandbox/video', prompt: named('video'), seconds: '4' });
  }

  /** A rule, its channel, and an alert: the test of the channel. */
  async #alerts(): Promise<void> {
    const { data } = await this.ask(
      `mutation ($input: CreateAlertChannelInput!) { createAlertChannel(input: $input) { channel { id } } }`,
      { input: { name: `${this.name} channel`, kind: 'EMAIL', emails: [`${this.name}@example.com`] } },
    );
    const id = Object(data?.createAlertChannel).channel?.id;
    if (id === undefined) return;
    await this.ask('mutation ($input: AlertRuleInput!) { createAlertRule(input: $input) { id } }', {
      input: { name: `${this.name} rule`, condition: { kind: 'SPEND', threshold: 1_000 }, channelIds: [id] },
    });
    await this.must('mutation ($id: ID!) { testAlertChannel(id: $id) { id } }', { id });
  }

  /** One of each API, and a file. */
  async #batches(content: string): Promise<void> {
    const body = { model: 'sandbox/chat', max_tokens: 10, messages: [{ role: 'user', content }] };
    await this.rest('POST', '/v1/messages/batches', { requests: [{ custom_id: 'one', params: body }] });
    const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob([JSON.stringify(line)]), 'requests.jsonl');
    const { id } = Object((await this.rest('POST', '/v1/files', form)).body);
    const created = { input_file_id: id, endpoint: line.url, completion_window: '24h' };
    await this.rest('POST', '/v1/batches', created);
  }

  async #conversation(content: string): Promise<void> {
    const { body } = await this.rest('POST', '/v1/conversations', { items: [{ role: 'user', content }] });
    const { id } = Object(body);
    this.unlisted.unshift(id);
    this.item = Object((await this.rest('GET', `/v1/conversations/${id}/items`)).body).first_id;
  }

  async #upload(filename: string): Promise<void> {
    const asked = { filename, purpose: 'batch', bytes: 10, mime_type: 'application/jsonl' };
    this.unlisted.unshift(Object((await this.rest('POST', '/v1/uploads', asked)).body).id);
  }

  /** A request by its newest key. @returns its id */
  async chat(): Promise<string> {
    const response = await fetch(`${this.#server().url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#used}`,
        'content-type': 'application/json',
        'x-sluice-session-id': randomUUID(),
        traceparent: `00-${randomUUID().replaceAll('-', '')}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: `${this.name} prompt` }] }),
    });
    await response.text();
    return response.headers.get('x-request-id') ?? '';
  }

  /** A request as the dashboard makes it. @returns its id */
  async #chatBySession(): Promise<string> {
    const response = await fetch(`${this.#server().url}/v1/chat/completions`, {
      method: 'POST',
      headers: { cookie: this.#cookie, 'x-sluice-session': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    if (!response.ok) throw new Error(`${this.name} cannot chat: ${await response.text()}`);
    await response.arrayBuffer();
    return response.headers.get('x-request-id') ?? '';
  }

  /** Waits until what is done now is stored: the usage log is written by and by. */
  async settled(): Promise<void> {
    const requestId = await this.#chatBySession();
    const query = 'query ($requestId: String) { usageLogs(filter: { requestId: $requestId }) { nodes { id } } }';
    await vi.waitUntil(async () => JSON.stringify(await this.must(query, { requestId })).includes('"id"'), 120_000);
  }

  /** Whether what was begun for it has ended. */
  async isAtRest(): Promise<boolean> {
    const begun = await this.must(
      '{ videos { nodes { status } } responses { nodes { status } } comparisons { nodes { isRunning } } }',
    );
    return !/QUEUED|IN_PROGRESS|"isRunning":true/.test(JSON.stringify(begun));
  }

  /** A completion over WebSocket with a request id of the caller's choosing. @returns all that was told of it */
  async complete(clientRequestId: string, maxTokens: number): Promise<string> {
    const query = `subscription ($input: CompletionInput!) { completion(input: $input) { __typename
      ... on CompletionDelta { text } ... on CompletionFailed { code } } }`;
    const client = this.#socket();
    const messages = [{ role: 'user', content: 'Hello' }];
    const input = { clientRequestId, model: 'sandbox/chat', messages, parameters: { max_tokens: maxTokens } };
    const told: unknown[] = [];
    for await (const event of client.iterate({ query, variables: { input } })) told.push(event);
    await client.dispose();
    return JSON.stringify(told);
  }
}

export const freshUuid = (): string => randomUUID();

interface Subscribed {
  readonly heard: readonly Answer[];
  readonly first: Promise<Answer>;
  /** Waits until something is told. */
  until(found: (told: string) => boolean): Promise<void>;
}

function subscribed(client: Client, query: string, variables: Record<string, unknown>): Subscribed {
  const heard: Answer[] = [];
  const waiting = new Set<() => void>();
  const { promise: first, resolve } = Promise.withResolvers<Answer>();
  const hear = (answer: unknown): void => {
    const told: Answer = JSON.parse(JSON.stringify(answer));
    heard.push(told);
    resolve(told);
    for (const look of waiting) look();
  };
  client.subscribe(
    { query, variables },
    {
      next: hear,
      error: (error) => hear({ errors: Array.isArray(error) ? error : [{ message: closing(error) }] }),
      complete: () => resolve({ data: null }),
    },
  );
  const until: Subscribed['until'] = (found) =>
    new Promise((done) => {
      const look = (): void => {
        if (!heard.some((answer) => found(JSON.stringify(answer)))) return;
        waiting.delete(look);
        done();
      };
      waiting.add(look);
      look();
    });
  return { heard, first, until };
}

function closing(error: unknown): string {
  const reason = typeof error === 'object' && error !== null && 'reason' in error ? error.reason : error;
  return String(reason);
}
