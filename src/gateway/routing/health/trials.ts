/** Maximum concurrent requests that fell back to a target before it is known to work. */
const MAX_TRIALS = 3;

/** Called with whether the target worked for the earlier trials. */
export type TrialWaiter = (works: boolean) => void;

/** The first requests at a target that is not known to work, and those that wait for their results. */
export class Trials {
  /** The number of trials without an outcome. */
  running = 0;
  waiting: TrialWaiter[] = [];

  request(waiter: TrialWaiter): 'trial' | 'wait' {
    if (this.running >= MAX_TRIALS) {
      this.waiting.push(waiter);
      return 'wait';
    }
    this.running++;
    return 'trial';
  }

  end(): void {
    this.running--;
  }

  notify(works: boolean): void {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    for (const waiter of waiting) waiter(works);
  }
}
