import type { Visitor } from '../harness/chromium.ts';

/** Browser windows that tests reuse. */
export class VisitorPool {
  readonly #idle: Visitor[] = [];
  readonly #waiting: ((visitor: Visitor) => void)[] = [];

  add(visitor: Visitor): void {
    const next = this.#waiting.shift();
    if (next) next(visitor);
    else this.#idle.push(visitor);
  }

  async use(test: (visitor: Visitor) => Promise<void>): Promise<void> {
    const visitor = this.#idle.pop() ?? (await new Promise<Visitor>((resolve) => this.#waiting.push(resolve)));
    try {
      await test(visitor);
    } finally {
      this.add(visitor);
    }
  }
}
