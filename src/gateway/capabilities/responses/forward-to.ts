import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { Connection, HeaderMap, ObjectRequest, Upstream, UpstreamReceiver } from '../../../providers/contract.ts';
import { defaultTimeouts } from '../../routing/timeouts.ts';

/** Receives a provider's response about an object that it holds. */
export interface ObjectSink {
  head(status: number, contentType: string): void;
  /** @returns false where the sink is full for now */
  write(bytes: Buffer): boolean;
  end(): void;
  fail(error: SluiceError): void;
  /** Closes the connection of a client that does not read. */
  destroy(): void;
}

/** A request that is being forwarded. */
export type ForwardedRequest = Pick<Upstream, 'resume' | 'abort'>;

/** Forwards a request about an object to the connection that holds it. */
export function forwardTo(
  connection: Connection,
  request: ObjectRequest,
  sink: ObjectSink,
  clock: Clock = systemClock,
): ForwardedRequest {
  const receiver = new ForwardingReceiver(connection.provider, sink, clock);
  connection.sendObject?.(request, receiver);
  return receiver;
}

/** The provider has as long as for a request of its own, and the client as long to read. */
class ForwardingReceiver implements UpstreamReceiver, ForwardedRequest {
  readonly #provider: string;
  readonly #sink: ObjectSink;
  readonly #clock: Clock;
  #upstream: Upstream | null = null;
  #timer: Timer | null = null;
  #isOver = false;

  constructor(provider: string, sink: ObjectSink, clock: Clock) {
    this.#provider = provider;
    this.#sink = sink;
    this.#clock = clock;
  }

  resume(): void {
    if (this.#isOver) return;
    this.#expect('data', defaultTimeouts.firstToken);
    this.#upstream?.resume();
  }

  abort(): void {
    this.#end();
    this.#upstream?.abort();
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#expect('response headers', defaultTimeouts.headers);
  }

  onHead(status: number, headers: HeaderMap): void {
    if (this.#isOver) return;
    // Of a response that is resumed: a model may reason for minutes between two events.
    this.#expect('data', defaultTimeouts.firstToken);
    this.#sink.head(status, String(headers['content-type'] ?? 'application/json'));
  }

  onData(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#sink.write(bytes)) return this.#expect('data', defaultTimeouts.firstToken);
    this.#upstream?.pause();
    this.#restart(defaultTimeouts.client, () => {
      this.abort();
      this.#sink.destroy();
    });
  }

  onEnd(): void {
    if (this.#end()) this.#sink.end();
  }

  onFailure(error: SluiceError): void {
    if (this.#end()) this.#sink.fail(error);
  }

  #expect(stage: string, ms: number): void {
    const values = { provider: this.#provider, stage, seconds: ms / 1_000 };
    this.#restart(ms, () => this.#fail(new SluiceError('provider_timeout', { values })));
  }

  #restart(ms: number, run: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimeout(run, ms).unref();
  }

  #fail(error: SluiceError): void {
    if (!this.#end()) return;
    this.#upstream?.abort();
    this.#sink.fail(error);
  }

  /** @returns false where it had ended before */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#timer?.cancel();
    return true;
  }
}
