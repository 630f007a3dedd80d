import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeConnections, send } from '../load.ts';
import { keepApart } from '../processes.ts';
import type { Row } from '../rows.ts';
import { startSluice, startUpstream } from '../targets.ts';
import { renderSummary, summarize } from './summarize.ts';
import { INSPECTED, inspectorOf, takeProfile } from './take-profile.ts';

const WARM_UP_TURNS = 20;

/**
 * Takes a CPU profile of Sluice while it serves each row, after its code is compiled. Samples cost, so that the time of a request is
 * greater than in the other reports: what counts are the shares.
 */
export async function reportProfile(rows: readonly Row[]): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  const upstream = await startUpstream();
  const sluice = await startSluice(upstream.origin, undefined, undefined, INSPECTED);
  try {
    await sluice.settle();
    keepApart([sluice.pid]);
    const inspector = inspectorOf(sluice.output());
    for (const [at, { name, load }] of rows.entries()) {
      say(`[${at + 1}/${rows.length}] ${load.title}: warming up`);
      for (let turn = 0; turn < WARM_UP_TURNS; turn++) await send(sluice, load, Math.ceil(load.warmUp / WARM_UP_TURNS));
      await sluice.settle();
      say(`[${at + 1}/${rows.length}] ${load.title}: profiling ${load.requests} requests`);
      const profile = await takeProfile(inspector, async () => {
        await send(sluice, load, load.requests);
        await sluice.settle();
      });
      const file = join(tmpdir(), `sluice-${name}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
      process.stdout.write(`\n${renderSummary(load.title, load.requests, summarize([profile]))}`);
      say(`The profile, for the developer tools of Chromium: ${file}`);
    }
  } finally {
    await closeConnections();
    await sluice.stop();
    await upstream.stop();
  }
}
