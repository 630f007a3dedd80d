import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { Balancer, isRefused } from './balancer.ts';
import type { Cluster } from './cluster.ts';
import { MAX_TOKENS, PRICED_MODEL, textOf } from './priced-provider.ts';

/** `keyed` has an idempotency key and is sent again until it is answered; `budget` is of a key whose budget runs out. */
export type Kind = 'plain' | 'stream' | 'keyed' | 'budget' | 'file';

/** One request, as its client saw it. */
export interface Outcome {
  /** `<kind>-<number>`; those that are sent again with one idempotency key have the same. */
  readonly name: string;
  readonly kind: Kind;
  /** What happened when it was sent. */
  readonly phase: string;
  /** Null where its connection broke before the response. */
  readonly status: number | null;
  /** The whole response arrived, and it is that of this request. */
  readonly isWhole: boolean;
  /** Why it failed; null where it did not. */
  readonly failure: string | null;
  readonly requestId: string | null;
  readonly isReplay: boolean;
  readonly firstByteMs: number;
}

export interface LoadOptions {
  /** Of requests at a time. */
  readonly workers: Readonly<Record<Kind, number>>;
  /** Between two requests of a worker, at most. */
  readonly pauseMs: number;
}

const ATTEMPTS = 5;
/** Of the last request: no two loads of one cluster share a name. */
let number = 0;

/** Clients of a cluster behind a load balancer. Each request has a name of its own, by which provider and usage log know it. */
export class Load {
  readonly outcomes: Outcome[] = [];
  readonly balancer: Balancer;
  /** Files whose upload was answered: id and content. */
  readonly files = new Map<string, string>();
  phase = 'baseline';
  budgetKey: string | null = null;
  readonly #cluster: Cluster;
  readonly #pauseMs: number;
  readonly #arrivals = new EventEmitter();
  readonly #workers: readonly Promise<void>[];
  #isOver = false;

  constructor(cluster: Cluster, { workers, pauseMs }: LoadOptions) {
    this.#cluster = cluster;
    this.#pauseMs = pauseMs;
    this.#arrivals.setMaxListeners(0);
    this.balancer = new Balancer(cluster.processes.map(({ url }) => url));
    const kinds: readonly Kind[] = ['plain', 'stream', 'keyed', 'budget', 'file'];
    this.#workers = kinds.flatMap((kind) => Array.from({ length: workers[kind] }, () => this.#work(kind)));
  }

  /** Resolves after so many further requests have ended, however they did. */
  async whenEnded(count: number): Promise<void> {
    const until = this.outcomes.length + count;
    while (this.outcomes.length < until) await once(this.#arrivals, 'outcome');
  }

  /** Spends what is left of the budget: until it refuses a request. */
  async exhaustBudget(clients: number): Promise<void> {
    let isSpent = false;
    const client = async (): Promise<void> => {
      while (!isSpent) {
        const { failure } = await this.#chat('budget', this.#name('budget'), { authorization: this.#budgetKey() });
        if (failure === 'insufficient_quota') isSpent = true;
        else if (failure !== null) await sleep(this.#pauseMs);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** Waits for the requests under way. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
    await this.balancer.close();
  }

  async #work(kind: Kind): Promise<void> {
    while (!this.#isOver) {
      if (kind === 'file') await this.#upload(this.#name(kind));
      else if (kind === 'keyed') await this.#sendUntilAnswered(this.#name(kind));
      else if (kind !== 'budget') await this.#chat(kind, this.#name(kind), {});
      else if (this.budgetKey !== null) await this.#chat(kind, this.#name(kind), { authorization: this.#budgetKey() });
      await sleep(Math.random() * this.#pauseMs);
    }
  }

  #name(kind: Kind): string {
    return `${kind}-${++number}`;
  }

  #budgetKey(): string {
    return `Bearer ${this.budgetKey}`;
  }

  async #sendUntilAnswered(name: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { isWhole, status } = await this.#chat('keyed', name, { 'idempotency-key': name });
      if (isWhole || status === 409) return;
      await sleep(this.#pauseMs);
    }
  }

  #request(name: string, stream: boolean, headers: Readonly<Record<string, string>>) {
    const messages = [{ role: 'user', content: name }];
    const options = stream ? { stream, stream_options: { include_usage: true } } : {};
    return {
      path: '/v1/chat/completions',
      method: 'POST' as const,
      headers: { authorization: `Bearer ${this.#cluster.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: PRICED_MODEL, user: name, max_tokens: MAX_TOKENS, messages, ...options }),
    };
  }

  async #chat(kind: Kind, name: string, headers: Readonly<Record<string, string>>): Promise<Outcome> {
    const request = this.#request(name, kind === 'stream', headers);
    return this.#record(kind, name, request, (body) =>
      kind === 'stream' ? body.endsWith('data: [DONE]\n\n') : body.includes(JSON.stringify(textOf(name))),
    );
  }

  async #upload(name: string): Promise<void> {
    const form = new FormData();
    form.set('purpose', 'user_data');
    form.set('file', new File([textOf(name)], `${name}.txt`));
    const encoded = new Response(form);
    const body = Buffer.from(await encoded.arrayBuffer());
    const headers = {
      authorization: `Bearer ${this.#cluster.apiKey}`,
      'content-type': encoded.headers.get('content-type') ?? '',
    };
    await this.#record('file', name, { path: '/v1/files', method: 'POST', headers, body }, (answer) => {
      const { id } = JSON.parse(answer);
      this.files.set(id, textOf(name));
      return true;
    });
  }

  async #record(
    kind: Kind,
    name: string,
    request: Parameters<Balancer['send']>[0],
    isAnswer: (body: string) => boolean,
  ): Promise<Outcome> {
    const { phase } = this;
    const startedAt = performance.now();
    const outcome = {
      name,
      kind,
      phase,
      status: null,
      isWhole: false,
      failure: null,
      requestId: null,
      isReplay: false,
    };
    let ended: Outcome;
    try {
      const { response } = await this.balancer.send(request);
      const { statusCode: status, headers } = response;
      const firstByteMs = performance.now() - startedAt;
      const seen = {
        ...outcome,
        status,
        firstByteMs,
        requestId: String(headers['x-request-id'] ?? ''),
        isReplay: headers['idempotency-replayed'] === 'true',
      };
      ended = await text(response.body).then(
        (body) =>
          status === 200 && isAnswer(body) ? { ...seen, isWhole: true } : { ...seen, failure: codeOf(status, body) },
        () => ({ ...seen, failure: 'cut' }),
      );
    } catch (error) {
      const failure = isRefused(error) ? 'refused' : 'cut';
      ended = { ...outcome, failure, firstByteMs: performance.now() - startedAt };
    }
    this.outcomes.push(ended);
    this.#arrivals.emit('outcome');
    return ended;
  }
}

function codeOf(status: number, body: string): string {
  return /"code":\s*"(\w+)"/.exec(body)?.[1] ?? String(status);
}
