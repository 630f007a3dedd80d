import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { mapDatabaseErrors } from '../database-availability.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STATUS_DAYS = 90;
const CACHED_MS = 30_000;
/** Fewer failures say little about a provider. */
const MIN_FAILURES = 3;
const DEGRADED_SHARE = 0.05;
const DOWN_SHARE = 0.5;

/** `unknown` without recent attempts: a provider that serves nothing is not degraded. */
export type StatusState = 'operational' | 'degraded' | 'down' | 'unknown';

export interface StatusEntry {
  readonly name: string;
  readonly state: StatusState;
  /** Share of the attempts of 90 days, 0 to 1; null without any. */
  readonly uptime: number | null;
  /** The last 90 UTC days, today last; null for a day without attempts. */
  readonly days: readonly (number | null)[];
}

export interface InstanceStatus {
  readonly updatedAt: Date;
  /** The first of the days. */
  readonly since: string;
  readonly state: StatusState;
  readonly providers: readonly StatusEntry[];
  readonly capabilities: readonly StatusEntry[];
}

interface Row {
  readonly kind: 'provider' | 'capability';
  readonly name: string;
  /** Null for the last hour. */
  readonly day: string | null;
  readonly successes: string;
  readonly failures: string;
}

/** Today's attempts are summed now, earlier days by a job. */
const rows = `
select kind, name, day::text as day, successes, failures from status_days where day > $1::date and day < $2::date
union all
select kind, case kind when 'provider' then provider else capability end, since.day, sum(successes), sum(failures)
from (values ($2::date::text, $2::date::timestamp at time zone 'UTC'), (null, $3::timestamptz)) as since(day, start)
cross join (values ('provider'), ('capability')) as kinds(kind) join attempt_rollups on bucket >= since.start
where not own_connection group by 1, 2, 3`;

/** The state of the operator's providers, and of capabilities at them. Contains nothing of an account. */
export class InstanceStatusService {
  readonly #database: Pick<Database, 'query'>;
  readonly #providers: () => readonly string[];
  readonly #clock: Clock;
  #cached: { readonly at: number; readonly status: Promise<InstanceStatus> } | null = null;

  /** @param providers the providers that the operator connected now */
  constructor(database: Pick<Database, 'query'>, providers: () => readonly string[], clock: Clock = systemClock) {
    this.#database = database;
    this.#providers = providers;
    this.#clock = clock;
  }

  /** Read at most every 30 seconds, whoever asks. @throws SluiceError database_unavailable */
  async read(): Promise<InstanceStatus> {
    const now = this.#clock.now();
    if (this.#cached !== null && now - this.#cached.at < CACHED_MS) return this.#cached.status;
    const status = this.#read(now);
    this.#cached = { at: now, status };
    status.catch(() => (this.#cached = null));
    return status;
  }

  async #read(now: number): Promise<InstanceStatus> {
    const since = dayOf(now - (STATUS_DAYS - 1) * DAY_MS);
    const recent = new Date(Math.floor((now - HOUR_MS) / HOUR_MS) * HOUR_MS);
    const found = await mapDatabaseErrors(() =>
      this.#database.query<Row>(rows, [dayOf(now - STATUS_DAYS * DAY_MS), dayOf(now), recent]),
    );
    const days = Array.from({ length: STATUS_DAYS }, (_, index) => dayOf(now - (STATUS_DAYS - 1 - index) * DAY_MS));
    const entry = (kind: Row['kind'], name: string): StatusEntry =>
      entryOf(
        name,
        found.filter((row) => row.kind === kind && row.name === name),
        days,
      );
    const providers = [...new Set(this.#providers())].toSorted().map((name) => entry('provider', name));
    const capabilities = [...new Set(found.filter(({ kind }) => kind === 'capability').map(({ name }) => name))]
      .toSorted()
      .map((name) => entry('capability', name));
    return { updatedAt: new Date(now), since, state: worstOf(providers), providers, capabilities };
  }
}

function entryOf(name: string, found: readonly Row[], days: readonly string[]): StatusEntry {
  const byDay = new Map(found.filter(({ day }) => day !== null).map((row) => [row.day, row]));
  return {
    name,
    state: stateOf(found.find(({ day }) => day === null)),
    uptime: shareOf([...byDay.values()]),
    days: days.map((day) => {
      const row = byDay.get(day);
      return row === undefined ? null : shareOf([row]);
    }),
  };
}

function stateOf(recent: Row | undefined): StatusState {
  const failures = Number(recent?.failures ?? 0);
  const all = failures + Number(recent?.successes ?? 0);
  if (all === 0) return 'unknown';
  if (failures < MIN_FAILURES) return 'operational';
  if (failures / all >= DOWN_SHARE) return 'down';
  return failures / all >= DEGRADED_SHARE ? 'degraded' : 'operational';
}

function worstOf(entries: readonly StatusEntry[]): StatusState {
  const states: readonly StatusState[] = ['down', 'degraded', 'operational'];
  return states.find((state) => entries.some((entry) => entry.state === state)) ?? 'unknown';
}

function shareOf(found: readonly Row[]): number | null {
  const successes = found.reduce((sum, row) => sum + Number(row.successes), 0);
  const all = found.reduce((sum, row) => sum + Number(row.failures), successes);
  return all === 0 ? null : successes / all;
}

/** `YYYY-MM-DD`, UTC. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
