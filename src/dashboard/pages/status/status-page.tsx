import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { Badge, type Tone } from '../../design/badge.tsx';
import { buttonClass } from '../../design/button.tsx';
import { calendarDate, words } from '../../design/format.ts';
import { Page, Section } from '../../design/page.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import { Activity } from 'lucide-react';
import { readStatus, type Status, type StatusEntry } from './read-status.ts';

const REFRESH_MS = 60_000;
const tones: Readonly<Record<StatusEntry['state'], readonly [Tone, string]>> = {
  operational: ['good', 'Operational'],
  degraded: ['warn', 'Degraded'],
  down: ['bad', 'Down'],
  unknown: ['neutral', 'No recent requests'],
};

/** The state of this server's providers. Contains nothing of an account. */
export function StatusPage(): ReactNode {
  const [result, setResult] = useState<Awaited<ReturnType<typeof readStatus>> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const read = (): void =>
      void readStatus().then((next) => {
        if (isCurrent) setResult(next);
      });
    read();
    const timer = setInterval(read, REFRESH_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, []);
  return (
    <main>
      <Page
        title="Status"
        lead="Providers and capabilities of this server, measured by its own requests over 90 days (UTC)."
      >
        {result === null ? <SkeletonRows rows={6} /> : null}
        {result?.kind === 'signed_out' ? (
          <Empty
            icon={<Activity size={24} />}
            title="Sign in to see the status"
            action={
              <Link to="/sign-in" search={{ next: '/status' }} className={buttonClass('primary')}>
                Sign in
              </Link>
            }
          >
            The operator of this server shows its status to signed-in users only.
          </Empty>
        ) : null}
        {result?.kind === 'failed' ? <Failed failure={result.failure} /> : null}
        {result?.kind === 'read' ? <Entries status={result.status} /> : null}
      </Page>
    </main>
  );
}

function Entries({ status }: { readonly status: Status }): ReactNode {
  const [tone, text] = tones[status.state];
  return (
    <>
      <p role="status" className="flex flex-wrap items-center gap-1">
        <Badge tone={tone}>{text}</Badge>
        <span className="text-soft">
          Updated <Time at={new Date(status.updated_at * 1_000).toISOString()} />
        </span>
      </p>
      <Section title="Providers">
        <List entries={status.providers} since={status.since} />
      </Section>
      <Section title="Capabilities">
        <List entries={status.capabilities} since={status.since} />
      </Section>
    </>
  );
}

function List({ entries, since }: { readonly entries: readonly StatusEntry[]; readonly since: string }): ReactNode {
  if (entries.length === 0) return <p className="text-soft">None yet.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {entries.map((entry) => {
        const [tone, text] = tones[entry.state];
        return (
          <li key={entry.name} className="flex flex-col gap-0.5 border-t border-line pt-1">
            <div className="flex flex-wrap items-center gap-1">
              <span className="min-w-0 font-strong wrap-anywhere">{words(entry.name)}</span>
              <Badge tone={tone}>{text}</Badge>
              <span className="figures ml-auto text-soft">
                {entry.uptime_90d === null ? 'No requests in 90 days' : `${percentText(entry.uptime_90d)} uptime`}
              </span>
            </div>
            <Days entry={entry} since={since} />
          </li>
        );
      })}
    </ul>
  );
}

function Days({ entry: { name, days }, since }: { readonly entry: StatusEntry; readonly since: string }): ReactNode {
  const known = days.filter((day) => day !== null);
  const worst = known.length === 0 ? null : Math.min(...known);
  return (
    <>
      <div
        role="img"
        aria-label={
          worst === null
            ? `${name}: no requests in 90 days`
            : `${name}: ${known.length} days with requests, lowest uptime of a day ${percentText(worst)}`
        }
        className="flex h-3 gap-px"
      >
        {days.map((day, index) => (
          <span
            key={index}
            title={`${calendarDate(dayAfter(since, index))}: ${day === null ? 'no requests' : percentText(day)}`}
            className={`min-w-0 flex-1 ${colourOf(day)}`}
          />
        ))}
      </div>
      <div className="flex justify-between text-small text-soft">
        <span>90 days ago</span>
        <span>Today</span>
      </div>
    </>
  );
}

function colourOf(day: number | null): string {
  if (day === null) return 'bg-hover';
  if (day >= 0.99) return 'bg-good';
  return day >= 0.95 ? 'bg-warn' : 'bg-bad';
}

function dayAfter(since: string, days: number): string {
  return new Date(Date.parse(since) + days * 86_400_000).toISOString();
}

/** Rounded down: 100% only without a failure. */
function percentText(value: number): string {
  return `${Math.floor(value * 10_000) / 100}%`;
}
