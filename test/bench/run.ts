import { parseArgs } from 'node:util';
import { redisKinds, type RedisKind } from '../harness/cluster/shared-redis.ts';
import { reportContentLogging } from './content-logging.ts';
import { reportContentStall } from './content-stall.ts';
import { reportContentVolume } from './content-volume.ts';
import { reportDashboard } from './dashboard.ts';
import { reportFaults } from './faults.ts';
import { usage } from './help.ts';
import { measureMemory, measureRow, withTargets } from './interleaved.ts';
import { reportMediaMemory } from './media-memory.ts';
import { reportMixedLoad } from './mixed-load.ts';
import { reportOpenStreams } from './open-streams.ts';
import { reportProfile } from './profile/report-profile.ts';
import { reportWorkersProfile } from './profile/report-workers-profile.ts';
import { together, writeReport, type LoadResult, type MemoryResult } from './report.ts';
import { reportRelays } from './relays.ts';
import { selectRows, shortened } from './rows.ts';
import { reportSubscribers } from './subscribers.ts';
import { startUpstream } from './targets.ts';
import { reportTracing } from './tracing.ts';
import { reportUsageKey } from './usage-key.ts';
import { reportUsageVolume } from './usage-volume.ts';
import { reportWorkers } from './workers.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    starts: { type: 'string', default: '1' },
    only: { type: 'string' },
    profile: { type: 'boolean' },
    quick: { type: 'boolean' },
    rows: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    redis: { type: 'string', default: 'standalone' },
    without: { type: 'string' },
    against: { type: 'string' },
    bifrost: { type: 'string' },
    litellm: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const rounds = Number(values.rounds);
const starts = Number(values.starts);

/** Each is false where a figure is not as intended. */
const reports: Readonly<Record<string, () => Promise<boolean | void>>> = {
  media: reportMediaMemory,
  'open-streams': reportOpenStreams,
  subscribers: reportSubscribers,
  mixed: reportMixedLoad,
  dashboard: reportDashboard,
  content: () => reportContentLogging(rounds),
  tracing: () => reportTracing(rounds),
  relays: () => reportRelays(rounds),
  workers: () => (values.profile ? reportWorkersProfile() : reportWorkers(rounds)),
  'content-stall': () => reportContentStall(rounds),
  'content-volume': () => reportContentVolume(Number(values.rows ?? 1_000_000)),
  faults: () => reportFaults(Number(values.minutes), redisKind()),
  usage: () => reportUsageVolume(Number(values.rows ?? 10_000_000)),
  'usage-key': () => reportUsageKey(Number(values.rows ?? 1_000_000)),
};
const report = reports[values.only ?? ''];
if (report !== undefined) process.exit((await report()) === false ? 1 : 0);

const selection = select();
if (values.profile) {
  await reportProfile(selection.rows);
  process.exit(0);
}
await measure();

function redisKind(): RedisKind {
  const kind = redisKinds.find((each) => each === values.redis);
  if (kind !== undefined) return kind;
  process.stderr.write(`--redis is ${redisKinds.join(' or ')}.\n`);
  return process.exit(2);
}

function select(): ReturnType<typeof selectRows> {
  try {
    const selected = selectRows(values.only);
    return values.quick ? shortened(selected) : selected;
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)} Reports: ${Object.keys(reports).join(', ')}.\n`,
    );
    process.exit(2);
  }
}

async function measure(): Promise<void> {
  process.stderr.write('Starting the upstream …\n');
  const upstream = await startUpstream();
  const isOfPeers = selection.memory || selection.rows.some((row) => row.isOfPeers);
  const { bifrost, litellm } = values;
  const peers = { portkey: values.without !== 'portkey', bifrost, litellm };
  const targets = {
    upstream: upstream.origin,
    against: values.against,
    peers: isOfPeers ? peers : undefined,
  };
  // On processes of their own: what 1,000 streams leave behind would be in every figure that follows.
  const memory: MemoryResult[] = [];
  if (selection.memory)
    await withTargets(targets, async (started) => {
      for (const target of started) memory.push(await measureMemory(target));
    });
  const measured: LoadResult[][] = [];
  for (let begun = 1; begun <= starts && selection.rows.length > 0; begun++) {
    if (starts > 1) process.stderr.write(`Start ${begun} of ${starts}\n`);
    const results: LoadResult[] = [];
    await withTargets(targets, async (started) => {
      for (const [at, row] of selection.rows.entries())
        results.push(await measureRow(row, started, rounds, `${at + 1}/${selection.rows.length}`));
    });
    measured.push(results);
  }
  await upstream.stop();
  const isWhole = values.without === undefined && values.against === undefined;
  writeReport({
    results: together(measured),
    memory,
    rounds: rounds * starts,
    command: values.only === undefined ? 'npm run bench' : `npm run bench -- --only ${values.only}`,
    file: isWhole ? selection.report : null,
  });
}
