import { TargetHealth } from './target-health.ts';
import { setBounded } from '../set-bounded.ts';
import { systemClock, type Clock } from '../../../calendar/clock.ts';

const MAX_TARGETS = 20_000;
/** The health of all targets, retained across configuration changes. */
export class HealthBook {
  readonly #byTarget = new Map<string, TargetHealth>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Undefined where it was never used. */
  known(connectionId: string, model: string): TargetHealth | undefined {
    return this.#byTarget.get(nameOf(connectionId, model));
  }

  of(connectionId: string, model: string): TargetHealth {
    const name = nameOf(connectionId, model);
    let health = this.#byTarget.get(name);
    if (health === undefined) {
      // Names of uncatalogued models are client text.
      health = new TargetHealth(this.#clock);
      setBounded(this.#byTarget, MAX_TARGETS, name, health);
    }
    return health;
  }
}

function nameOf(connectionId: string, model: string): string {
  return `${connectionId}\n${model}`;
}
