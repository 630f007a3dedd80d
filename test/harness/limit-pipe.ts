import type { Clock } from '../../src/calendar/clock.ts';
import { LimitServer } from '../../src/gateway/limits/shared/limit-server.ts';
import type { LimitSession } from '../../src/gateway/limits/shared/limit-session.ts';
import type { LimitMessages, LimitNotice, Operation } from '../../src/gateway/limits/shared/operations.ts';
import { WorkerLimitStore } from '../../src/gateway/limits/shared/worker-limit-store.ts';

const log = {
  error: ({ err }: { err?: unknown }) => {
    throw err;
  },
};

/** A worker whose messages to a supervisor in the same process are JSON that arrives later, in order. */
export interface PipedWorker {
  readonly store: WorkerLimitStore;
  readonly session: LimitSession;
  /** Messages to the supervisor so far, and operations in them. */
  readonly sent: { messages: number; operations: number };
  /** Ends it as `kill -9` does: what it has not sent is lost. */
  kill(): void;
  /** Stops it as `SIGSTOP` does. */
  pause(): void;
}

export function startLimitServer(clock: Clock): LimitServer {
  return new LimitServer(log, clock);
}

export function pipedWorker(server: LimitServer, slot: number, clock: Clock): PipedWorker {
  const listeners: ((notice: LimitNotice) => void)[] = [];
  const sent = { messages: 0, operations: 0 };
  let isDead = false;
  let isPaused = false;
  const session = server.join(slot, (notice) => {
    void later().then(() => !isDead && !isPaused && listeners.forEach((listener) => listener(copy(notice))));
  });
  const deliver = async (operations: readonly Operation[]): Promise<readonly unknown[]> => {
    if (isDead) throw new Error('the supervisor is gone');
    sent.messages++;
    sent.operations += operations.length;
    const message = copy(operations);
    await later();
    const replies = copy(await session.handle(message));
    await later();
    if (isDead) throw new Error('the supervisor is gone');
    return replies;
  };
  const messages: LimitMessages = {
    request: deliver,
    post: (operations) => void deliver(operations).catch(() => undefined),
    onNotice: (listener) => void listeners.push(listener),
  };
  const store = new WorkerLimitStore(messages, clock);
  return {
    store,
    session,
    sent,
    kill: () => {
      isDead = true;
      server.leave(session);
    },
    pause: () => void (isPaused = true),
  };
}

function copy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

function later(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
