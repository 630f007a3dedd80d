interface Limits {
  readonly count: number;
  readonly bytes: number;
}

/** Of one turn. A response is in memory several times while it is delivered. */
const DEFAULT_LIMITS: Limits = { count: 4, bytes: 16 * 1024 * 1024 };

interface Waiting {
  readonly bytes: number;
  readonly start: () => void;
}

/** Bounds how many responses are in memory at once; one that is larger than all may be is there alone. */
export class DeliveryLimiter {
  readonly #limits: Limits;
  readonly #waiting: Waiting[] = [];
  #count = 0;
  #bytes = 0;

  constructor(limits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Runs it once there is room, in the order of the calls. @param bytes length of the response */
  async run<Value>(bytes: number, run: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((start) => {
      this.#waiting.push({ bytes, start });
      this.#startWaiting();
    });
    try {
      return await run();
    } finally {
      this.#count--;
      this.#bytes -= bytes;
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#hasRoom(next); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#count++;
      this.#bytes += next.bytes;
      next.start();
    }
  }

  #hasRoom({ bytes }: Waiting): boolean {
    const { count, bytes: maxBytes } = this.#limits;
    return this.#count === 0 || (this.#count < count && this.#bytes + bytes <= maxBytes);
  }
}
