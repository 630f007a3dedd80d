import { afterEach, describe, expect, it } from 'vitest';
import { ExportQueue, type Exporter } from '../../../src/telemetry/export-queue.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

type Done = Parameters<Exporter<number>['export']>[1];

/** An exporter that answers when it is told to. */
class SlowExporter implements Exporter<number> {
  readonly batches: number[][] = [];
  isShutDown = false;
  #done: Done | null = null;

  export(items: number[], done: Done): void {
    this.batches.push(items);
    this.#done = done;
  }

  shutdown(): Promise<void> {
    this.isShutDown = true;
    return Promise.resolve();
  }

  /** Ends the current export. @returns once its result is processed */
  async end(error?: Error): Promise<void> {
    this.#done?.(error === undefined ? { code: 0 } : { code: 1, error });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const exporter = { current: new SlowExporter() };

function queueOf(): { queue: ExportQueue<number>; clock: FakeClock; warnings: [object, string][] } {
  exporter.current = new SlowExporter();
  const clock = new FakeClock();
  const warnings: [object, string][] = [];
  const log = { warn: (fields: object, message: string) => void warnings.push([fields, message]) };
  return { queue: new ExportQueue(exporter.current, { items: 'spans', clock, log }), clock, warnings };
}

function push(queue: ExportQueue<number>, count: number): void {
  for (let item = 0; item < count; item++) queue.push(item);
}

afterEach(() => exporter.current.end());

describe('the queue of an exporter', () => {
  it('exports a batch once it is large enough, or its first item has waited', () => {
    const { queue, clock } = queueOf();
    push(queue, 3);
    expect(exporter.current.batches).toEqual([]);
    clock.advance(2_000);
    expect(exporter.current.batches).toEqual([[0, 1, 2]]);
    const { queue: other } = queueOf();
    push(other, 128);
    expect(exporter.current.batches).toHaveLength(1);
  });

  it('drops what has no room while the collector is slow, counts it, and logs it once', async () => {
    const { queue, warnings } = queueOf();
    push(queue, 128);
    push(queue, 2_048 + 10);
    expect(queue.droppedCount).toBe(10);
    expect(warnings).toEqual([[{ reason: 'the collector is too slow' }, expect.stringContaining('spans')]]);
    await exporter.current.end();
    expect(exporter.current.batches.map(({ length }) => length)).toEqual([128, 512]);
  });

  it('drops a batch that the collector refuses, and logs it again after a success', async () => {
    const { queue, clock, warnings } = queueOf();
    const fail = async (): Promise<void> => {
      push(queue, 5);
      clock.advance(2_000);
      await exporter.current.end(new TypeError('the response of the collector'));
    };
    await fail();
    await fail();
    expect(queue.droppedCount).toBe(10);
    expect(warnings).toEqual([[{ reason: 'TypeError' }, expect.any(String)]]);
    push(queue, 5);
    clock.advance(2_000);
    await exporter.current.end();
    await fail();
    expect(warnings).toHaveLength(2);
  });

  it('exports what is left when it is closed', async () => {
    const { queue } = queueOf();
    push(queue, 5);
    const closed = queue.close(1_000);
    await exporter.current.end();
    await closed;
    expect(exporter.current.batches).toEqual([[0, 1, 2, 3, 4]]);
    expect(exporter.current.isShutDown).toBe(true);
    push(queue, 200);
    expect(exporter.current.batches).toHaveLength(1);
  });

  it('does not wait longer than it may for a collector that does not respond', async () => {
    const { queue, clock } = queueOf();
    push(queue, 128 + 20);
    const closed = queue.close(1_000);
    clock.advance(1_000);
    await closed;
    expect(queue.droppedCount).toBe(20);
  });
});
