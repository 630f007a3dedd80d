import type { ChatRequestContext, Upstream, UpstreamReceiver } from '../../../../src/providers/contract.ts';
import { createSandboxConnection } from '../../../../src/providers/sandbox/sandbox-connection.ts';

export interface CollectedAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export function contextFor(request: Readonly<Record<string, unknown>>): ChatRequestContext {
  return {
    model: typeof request.model === 'string' ? request.model : 'chat',
    body: Buffer.from(JSON.stringify(request)),
    request: { messages: [], ...request },
    stream: request.stream === true,
    wantsUsage: false,
    requestId: 'req_0123456789abcdef',
    parameters: 'drop',
  };
}

/** Records what a connection sends; `ended` resolves at its end. */
export class RecordingReceiver implements UpstreamReceiver {
  readonly slices: Buffer[] = [];
  readonly calls: string[] = [];
  upstream: Upstream | undefined;
  status = 0;
  contentType = '';
  readonly ended: Promise<void>;
  #settle: () => void = () => {};
  #refuse: (error: Error) => void = () => {};

  constructor() {
    this.ended = new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#refuse = reject;
    });
  }

  onConnecting(upstream: Upstream): void {
    this.calls.push('connecting');
    this.upstream = upstream;
  }

  onHead(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    this.calls.push('head');
    this.status = status;
    this.contentType = String(headers['content-type']);
  }

  onData(bytes: Buffer): void {
    this.calls.push('data');
    this.slices.push(bytes);
  }

  onParts(): void {
    this.calls.push('parts');
  }

  onResult(): void {
    this.calls.push('result');
  }

  onEnd(): void {
    this.calls.push('end');
    this.#settle();
  }

  onFailure(error: Error): void {
    this.calls.push('failure');
    this.#refuse(error);
  }

  get body(): string {
    return Buffer.concat(this.slices).toString('utf8');
  }
}

/** Calls the sandbox without a pace, and waits for the complete response. */
export async function ask(request: Readonly<Record<string, unknown>>): Promise<CollectedAnswer> {
  const receiver = new RecordingReceiver();
  createSandboxConnection({ tokensPerSecond: 0 }).chat(contextFor(request), receiver);
  await receiver.ended;
  return { status: receiver.status, contentType: receiver.contentType, body: receiver.body };
}

/** The official SDK with the sandbox: its requests are handled by the connection instead of a socket. */
export async function sandboxFetch(_url: unknown, init?: { body?: unknown }): Promise<Response> {
  const answer = await ask(JSON.parse(String(init?.body)));
  return new Response(answer.body, { status: answer.status, headers: { 'content-type': answer.contentType } });
}

export function user(content: string): readonly [{ readonly role: 'user'; readonly content: string }] {
  return [{ role: 'user', content }];
}
