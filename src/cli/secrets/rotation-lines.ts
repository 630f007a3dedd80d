import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { RotationProgress } from '../../services/master-keys/rotation.ts';

const INTERVAL_MS = 2_000;

/** Shows progress from time to time, as one line where the output is a terminal. */
export class RotationLines {
  readonly #clock: Pick<Clock, 'now'>;
  #shownAt: number;

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock;
    this.#shownAt = clock.now();
  }

  show({ name, resealed, failed }: RotationProgress): void {
    const now = this.#clock.now();
    if (now - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = now;
    const text = `${name}: ${resealed} encrypted again${failed > 0 ? `, ${failed} failed` : ''}`;
    process.stderr.write(process.stderr.isTTY ? `\u001b[K${text}\r` : `${text}\n`);
  }
}
