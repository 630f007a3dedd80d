import type { Upstream } from '../../../providers/contract.ts';
import type { StreamRelay, StreamRelayOptions } from '../../capabilities/capability.ts';
import type { GateOutput } from '../../moderation/gate-output.ts';
import { writeOutput, type RelayedOutput } from '../../relayed-output.ts';
import type { Target } from '../../routing/target.ts';
import type { AdmittedRequest } from '../admitted-request.ts';
import type { RequestContext } from '../request-context.ts';
import { named, sendHead } from '../respond.ts';
import type { AttemptSummary } from './attempt-summary.ts';

/** Relays the output of one attempt to the client: after moderation where the request has it, at the client's pace. */
export class Relay<Request, Summary> implements GateOutput {
  /** Whether the provider is paused. */
  isPaused = false;
  /** Null before the provider is connected, and once the attempt is over. */
  upstream: Upstream | null = null;
  readonly #context: RequestContext<Request, Summary>;
  readonly #request: AdmittedRequest<Summary>;
  readonly #attempt: AttemptSummary;
  #hasOutput = false;

  constructor(context: RequestContext<Request, Summary>, request: AdmittedRequest<Summary>, attempt: AttemptSummary) {
    this.#context = context;
    this.#request = request;
    this.#attempt = attempt;
  }

  /** @returns null where the provider's response is not a stream that can be relayed */
  start(contentType: string): StreamRelay | null {
    this.#request.metering.attempts.markHead();
    return this.#context.capability.relayStream(streamOptions(this.#request, this.#attempt.target, contentType));
  }

  /** Complete events for the client. */
  relay(output: RelayedOutput): void {
    const { gate, streamReservation } = this.#request;
    this.onFirstOutput();
    if (gate === null) this.show(output);
    else gate.relayed(output);
    streamReservation?.ensure(this.#attempt.stream, this.#context);
  }

  /** Measures the time to the first token. Later calls have no effect. */
  onFirstOutput(): void {
    if (this.#hasOutput) return;
    this.#hasOutput = true;
    const { health } = this.#attempt.target;
    health.onAnswering();
    health.recordFirstToken(this.#request.metering.markFirstToken());
  }

  /** Sends output to the client. @returns false when the client reads slowly */
  show(output: RelayedOutput): boolean {
    const { body, call, isHeadSent } = this.#context;
    if (!isHeadSent) {
      body.release();
      const contentType = this.#attempt.stream?.contentType;
      sendHead(this.#context, this.#request, this.#attempt, { contentType, contentLength: null, costNano: null });
    }
    this.#request.metering.times.markOutput();
    if (writeOutput(call.response, named(this.#request.recording, output, true))) return true;
    this.pause(this.#request.route.timeouts.client);
    return false;
  }

  /** Pauses the provider until `resume`. */
  pause(withinMs = Infinity): void {
    this.isPaused = true;
    this.#context.deadline.expect('', withinMs);
    this.upstream?.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    const { deadline } = this.#context;
    if (this.upstream === null) return deadline.clear();
    deadline.expect('further data', this.#request.route.timeouts.betweenChunks);
    this.upstream.resume();
  }
}

function streamOptions<Summary>(
  { summary, wantsUsage, metering, publisher, gate }: AdmittedRequest<Summary>,
  target: Target,
  contentType: string,
): StreamRelayOptions<Summary> {
  return {
    provider: target.connection.provider,
    contentType,
    summary,
    wantsUsage,
    pricing: metering,
    watched: () => gate?.moderatesOutput === true || publisher.isWatched,
    watch: (update) => (gate === null ? publisher.publish(update) : gate.onUpdate(update, publisher)),
  };
}
