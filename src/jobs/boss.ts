import { types } from 'pg';
import { PgBoss, type Clock as BossClock, type Db } from 'pg-boss';
import type { Clock, Timer } from '../calendar/clock.ts';
import type { Database } from '../database/database.ts';

/** pg-boss on the application's pool and clock. @param scheduleSeconds half the maximum delay of a scheduled job */
export function newBoss(database: Database, clock: Clock, scheduleSeconds: number): PgBoss {
  return new PgBoss({
    db: sharedPool(database),
    backend: database.kind === 'embedded' ? 'pglite' : 'postgres',
    clock: bossClock(clock),
    // Maintenance loads an otherwise idle database: it runs as rarely as the library allows.
    superviseIntervalSeconds: 60,
    monitorIntervalSeconds: 3_600,
    maintenanceIntervalSeconds: 3_600,
    queueCacheIntervalSeconds: 3_600,
    bamIntervalSeconds: 3_600,
    flowIntervalSeconds: 3_600,
    cronMonitorIntervalSeconds: scheduleSeconds,
    cronWorkerIntervalSeconds: scheduleSeconds,
    monitorVacuum: false,
    reindex: database.kind === 'server',
  });
}

/**
 * Statements run on the application's own pool: the queue opens no connection and needs no LISTEN and no session of its own. A
 * failed statement closes its connection, which ends a transaction that was begun in its text.
 */
function sharedPool(database: Database): Db {
  return {
    executeSql: async (text, values) => {
      const pool = await database.orm.em.getConnection().getNativeClient();
      // The ORM's pool returns dates and numbers as text; the queue expects the driver's types.
      return pool.query({ text, values, types });
    },
  };
}

/** The queue's timers do not keep the process alive. */
function bossClock(clock: Clock): BossClock {
  const cancel = (handle: unknown): void => {
    if (isTimer(handle)) handle.cancel();
  };
  return {
    now: () => clock.now(),
    setTimeout: (run, ms) => clock.setTimeout(run, ms).unref(),
    clearTimeout: cancel,
    setInterval: (run, ms) => clock.setInterval(run, ms).unref(),
    clearInterval: cancel,
  };
}

function isTimer(handle: unknown): handle is Timer {
  return typeof handle === 'object' && handle !== null && 'cancel' in handle;
}
