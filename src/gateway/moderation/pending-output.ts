import { joinOutput, outputSize, type RelayedOutput } from '../relayed-output.ts';
import type { GateOutput } from './gate-output.ts';

/** Above this the provider is paused until the pending output is moderated. */
const MAX_PENDING_BYTES = 1024 * 1024;

/** Numbers of outputs and updates, from the first. */
interface Count {
  readonly outputs: number;
  readonly updates: number;
}

/** The output of one attempt, and its updates, that the client and live subscribers do not have yet. */
export class PendingOutput {
  readonly #receiver: GateOutput | null;
  #outputs: { readonly output: RelayedOutput; readonly bytes: number }[] = [];
  #bytes = 0;
  #updates: (() => void)[] = [];
  #isPaused = false;

  /** @param receiver null until an attempt starts */
  constructor(receiver: GateOutput | null) {
    this.#receiver = receiver;
  }

  get count(): Count {
    return { outputs: this.#outputs.length, updates: this.#updates.length };
  }

  add(output: RelayedOutput): void {
    const bytes = outputSize(output);
    this.#outputs.push({ output, bytes });
    this.#bytes += bytes;
  }

  /** @param publish called once the update may be published */
  addUpdate(publish: () => void): void {
    this.#updates.push(publish);
  }

  pauseIfFull(): void {
    if (this.#bytes <= MAX_PENDING_BYTES) return;
    this.#isPaused = true;
    this.#receiver?.pause();
  }

  show({ outputs, updates }: Count): void {
    for (const publish of this.#updates.splice(0, updates)) publish();
    const released = this.#outputs.splice(0, outputs);
    for (const { bytes } of released) this.#bytes -= bytes;
    const output = joinOutput(released.map((each) => each.output));
    const isAccepted = output === null || this.#receiver?.show(output) === true;
    if (!this.#isPaused || this.#bytes > MAX_PENDING_BYTES) return;
    this.#isPaused = false;
    if (isAccepted) this.#receiver?.resume();
  }

  showAll(): void {
    if (this.#outputs.length > 0) this.show(this.count);
  }

  /** Publishes all updates. @returns the output that is not shown yet; null for none */
  take(): RelayedOutput | null {
    for (const publish of this.#updates.splice(0)) publish();
    return joinOutput(this.#outputs.splice(0).map(({ output }) => output));
  }

  clear(): void {
    this.#outputs = [];
    this.#updates = [];
  }
}
