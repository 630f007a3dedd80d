import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { systemClock, type Clock } from '../../src/calendar/clock.ts';

/** Below the limit of tests and hooks: that ends them without what the process printed. */
export const START_PATIENCE_MS = 240_000;

/** What a process prints on its piped streams. */
export class ProcessOutput {
  readonly #child: ChildProcess;
  readonly #arrivals = new EventEmitter();
  #text = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => {
        this.#text += bytes.toString();
        this.#arrivals.emit('text');
      });
  }

  get text(): string {
    return this.#text;
  }

  /**
   * Waits until a starting program has printed what `read` looks for. One that takes too long is killed.
   * @param read its result is null until then
   * @throws Error with the output, where the program ends before or takes too long
   */
  whenStarted<T>(name: string, read: (text: string) => T | null, clock: Clock = systemClock): Promise<T> {
    const child = this.#child;
    const started = Promise.withResolvers<T>();
    const fail = (what: string): void => started.reject(new Error(`${name} ${what}:\n${this.#text}`));
    // Once all is read that it printed.
    const ended = (code: number | null, signal: NodeJS.Signals | null): void => fail(`ended with ${code ?? signal}`);
    const look = (): void => {
      const result = read(this.#text);
      if (result !== null) started.resolve(result);
    };
    const timer = clock.setTimeout(() => {
      fail(`did not start within ${START_PATIENCE_MS / 1_000} s`);
      child.kill('SIGKILL');
    }, START_PATIENCE_MS);
    this.#arrivals.on('text', look);
    child.once('close', ended).once('error', started.reject);
    look();
    return started.promise.finally(() => {
      timer.cancel();
      this.#arrivals.off('text', look);
      child.off('close', ended).off('error', started.reject);
    });
  }
}
