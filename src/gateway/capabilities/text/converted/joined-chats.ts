import { toSluiceError, type SluiceError } from '../../../../errors/index.ts';
import type { GenerationResult, ResultChoice } from '../../../../protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import { sumOfUsage, type Usage } from '../../../../protocols/canonical/usage.ts';
import {
  STREAM_PARTS,
  type ChatReceiver,
  type HeaderMap,
  type Upstream,
  type UsedSoFar,
} from '../../../../providers/contract.ts';
import { JoinedCall } from './joined-call.ts';

/** More concurrent requests exceed the rate limits of some providers. */
const MAX_CONCURRENT = 4;

export interface JoinedRequest {
  readonly provider: string;
  readonly stream: boolean;
  /** The number of chats. */
  readonly count: number;
  /** The choices of each. */
  readonly choices: number;
  /** An estimate of one chat's input. */
  inputTokens(index: number): number;
  /** As `Capability.send`, of one chat. The result of one that is not streamed is delivered by `onResult`. */
  send(index: number, receiver: ChatReceiver): readonly string[];
}

/**
 * Sends several chats to one provider, a few concurrently, and joins their responses: the choices of one follow those of the one
 * before it. The first failure ends all. `used` tells what is billed then.
 */
export class JoinedChats implements Upstream {
  readonly #request: JoinedRequest;
  readonly #receiver: ChatReceiver;
  readonly #calls: JoinedCall[] = [];
  #isOver = false;
  #isPaused = false;
  #hasHead = false;
  #hasStart = false;

  constructor(request: JoinedRequest, receiver: ChatReceiver) {
    this.#request = request;
    this.#receiver = receiver;
  }

  /**
   * @returns the names of the dropped parameters
   * @throws SluiceError of status 400 for unsupported values, before anything is sent
   */
  start(): readonly string[] {
    this.#receiver.onConnecting(this);
    const dropped = this.#startNext();
    this.#startMore();
    return dropped;
  }

  get isSent(): boolean {
    return this.#calls.some(({ upstream }) => upstream !== null && upstream.isSent !== false);
  }

  get responseHeaders(): HeaderMap | null {
    return this.#calls.find(({ upstream }) => upstream?.responseHeaders)?.upstream?.responseHeaders ?? null;
  }

  pause(): void {
    this.#isPaused = true;
    for (const call of this.#calls) call.upstream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const call of this.#calls) call.upstream?.resume();
  }

  abort(): void {
    this.#isOver = true;
    for (const call of this.#calls) call.abort();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  used(isDisconnected: boolean): UsedSoFar | null {
    const used = this.#calls.flatMap(
      (call, index) => call.used(() => this.#request.inputTokens(index), isDisconnected) ?? [],
    );
    if (used.length === 0) return null;
    const reported = this.#calls.filter((call) => call.reported !== null);
    return {
      usage: sumOfUsage(used),
      isEstimated: reported.length < used.length,
      hasResponse: this.#calls.some(({ isComplete }) => isComplete),
      model: this.#calls.find(({ model }) => model !== null)?.model ?? null,
    };
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    if (this.#hasHead || this.#isOver) return;
    this.#hasHead = true;
    this.#receiver.onHead(status, this.#request.stream ? { ...headers, 'content-type': STREAM_PARTS } : headers);
  }

  /** @param offset of the call's first choice */
  onParts(parts: readonly StreamPart[], offset: number): void {
    if (this.#isOver) return;
    const joined = parts.flatMap((part) => this.#joinedPart(part, offset));
    if (joined.length > 0) this.#receiver.onParts(joined);
  }

  onCompleted(): void {
    if (this.#isOver) return;
    const { count, stream } = this.#request;
    if (this.#calls.length < count || this.#calls.some(({ isOver }) => !isOver)) return this.#startMore();
    this.#isOver = true;
    const usage = this.#usage();
    if (stream)
      this.#receiver.onParts([...(usage === null ? [] : [{ type: 'usage' as const, usage }]), { type: 'end' }]);
    else this.#receiver.onResult(this.#result(usage));
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const call of this.#calls) call.abort();
    this.#receiver.onFailure(error);
  }

  #startMore(): void {
    const { count } = this.#request;
    const running = (): number => this.#calls.filter(({ isOver }) => !isOver).length;
    try {
      while (!this.#isOver && this.#calls.length < count && running() < MAX_CONCURRENT) this.#startNext();
    } catch (error) {
      this.onFailure(toSluiceError(error));
    }
  }

  #startNext(): readonly string[] {
    const { provider, stream, choices } = this.#request;
    const index = this.#calls.length;
    const call = new JoinedCall(this, { provider, stream, offset: index * choices });
    this.#calls.push(call);
    return this.#request.send(index, call);
  }

  /** A part of the joined response; none for one that each response has. */
  #joinedPart(part: StreamPart, offset: number): readonly StreamPart[] {
    if ('choice' in part) return part.choice < this.#request.choices ? [{ ...part, choice: offset + part.choice }] : [];
    if (part.type !== 'start' || this.#hasStart) return [];
    this.#hasStart = true;
    return [part];
  }

  /** Null where a response reports none: it is estimated for all then. */
  #usage(): Usage | null {
    const reported = this.#calls.flatMap((call) => call.reported ?? []);
    return reported.length === this.#calls.length ? sumOfUsage(reported) : null;
  }

  /** What has arrived. */
  #result(usage: Usage | null): GenerationResult {
    const results = this.#calls.flatMap(({ result, offset }) => (result === null ? [] : [{ result, offset }]));
    const [first] = results;
    if (first === undefined) throw new Error('a result without responses');
    const choices: ResultChoice[] = [];
    for (const { result, offset } of results)
      for (const [at, choice] of result.choices.entries())
        if (choice !== undefined && at < this.#request.choices) choices[offset + at] = choice;
    return { start: first.result.start, choices, usage };
  }
}
