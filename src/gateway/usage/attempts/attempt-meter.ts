import type { HeaderMap } from '../../../providers/contract.ts';
import type { SluiceError } from '../../../errors/index.ts';
import type { Call, RequestDependencies } from '../../call.ts';
import type { Target } from '../../routing/target.ts';
import { attemptFailure } from './attempt-failure.ts';
import { attemptLine, type AttemptTrace } from './attempt-line.ts';
import type { RequestOutcome } from '../usage-record.ts';

/** Times the attempts of one request, and describes them for its usage record. */
export class AttemptMeter {
  /** When the current attempt started; 0 where it has failed, or was not sent. */
  sentAt = 0;
  /** The headers of the provider's response to the current attempt. */
  headers: HeaderMap | null = null;
  readonly #clock: RequestDependencies['clock'];
  readonly #call: Call;
  #headAt = 0;
  /** Failed attempts before the current one, as members of a JSON array. */
  #failed = '';

  constructor({ clock }: RequestDependencies, call: Call) {
    this.#clock = clock;
    this.#call = call;
  }

  start(): void {
    this.sentAt = this.#clock.monotonic();
    this.headers = null;
    this.#headAt = 0;
  }

  /** Records the head of a streamed response. */
  markHead(): void {
    this.#headAt = this.#clock.monotonic();
  }

  recordFailure(target: Target, error: SluiceError): void {
    const trace = this.#trace(this.#clock.monotonic());
    const line = attemptLine(target, error.upstreamStatus, this.#failure(target, error), trace);
    this.#failed += this.#failed === '' ? line : `,${line}`;
    this.sentAt = 0;
  }

  /** All attempts, as members of a JSON array. */
  lines(target: Target, { status, error, httpStatus }: RequestOutcome, now: number): string {
    if (this.sentAt === 0) return this.#failed;
    const answered = status === 'succeeded' ? httpStatus : (error?.upstreamStatus ?? null);
    const failure = error === null ? null : this.#failure(target, error);
    const last = attemptLine(target, answered, failure, this.#trace(now));
    return this.#failed === '' ? last : `${this.#failed},${last}`;
  }

  #trace(now: number): AttemptTrace {
    return {
      startedMs: this.sentAt - this.#call.startedAt,
      durationMs: now - this.sentAt,
      headMs: this.#headAt === 0 ? null : this.#headAt - this.sentAt,
      headers: this.headers,
    };
  }

  #failure(target: Target, error: SluiceError): Parameters<typeof attemptLine>[2] {
    const retainsContent = this.#call.key.zeroRetention !== true;
    return { code: error.code, ...attemptFailure(error, target.connection, retainsContent) };
  }
}
