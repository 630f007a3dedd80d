import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';

/** A list that grows while a test runs. */
export class Arrivals<T> extends Array<T> {
  readonly #emitter = new EventEmitter();

  override push(...items: T[]): number {
    const length = super.push(...items);
    this.#emitter.emit('push');
    return length;
  }

  /** Resolves once it has so many items. */
  async whenLength(length: number): Promise<void> {
    while (this.length < length) await once(this.#emitter, 'push');
  }

  /** Reads now and after each arrival. @returns the first result that is not null */
  async whenResult<R>(read: () => Promise<R | null>): Promise<R> {
    for (;;) {
      const { length } = this;
      const result = await read();
      if (result !== null) return result;
      await this.whenLength(length + 1);
    }
  }

  /** Resolves once one of its items equals this. */
  async whenIncludes(item: T): Promise<void> {
    while (!this.some((each) => isDeepStrictEqual(each, item))) await once(this.#emitter, 'push');
  }
}
