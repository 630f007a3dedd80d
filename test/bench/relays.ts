import { closeConnections, loads, send, type Target } from './load.ts';
import { cpuMicroseconds, keepApart } from './processes.ts';
import { median } from './report.ts';
import { startProxy, startSluice, startUpstream } from './targets.ts';

const protocols = ['stream', 'responses', 'messages', 'gemini'] as const;
const WARM_UP = 60_000;
const WARM_UP_TURNS = 50;
/** Of each protocol in a turn. */
const REQUESTS = 160;
const TURNS = 40;
/** What is intended of the median, with what the same server differs by from run to run. */
const MAX_RATIO = 1.02;

type Protocol = (typeof protocols)[number];
type Costs = Readonly<Record<Protocol, number>>;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Sends streams of all protocols that are relayed to one server, in turns of some 20 ms: what a relay costs next to that of Chat
 * Completions differs by less than two processes do. A proxy that does nothing shows what their different bytes cost.
 * @returns whether each costs what the relay of Chat Completions does, bytes apart
 */
export async function reportRelays(rounds: number): Promise<boolean> {
  const upstream = await startUpstream();
  const targets = [await startProxy(upstream.origin), await startSluice(upstream.origin)] as const;
  try {
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    for (let turn = 0; turn < WARM_UP_TURNS; turn++)
      for (const target of targets)
        for (const protocol of protocols) await send(target, loads[protocol], WARM_UP / WARM_UP_TURNS);
    const measured: { readonly proxy: Costs; readonly sluice: Costs }[] = [];
    for (let round = 1; round <= rounds; round++) {
      const [proxy, sluice] = [await costsOf(targets[0], round), await costsOf(targets[1], round)];
      measured.push({ proxy, sluice });
      say(
        `round ${round} of ${rounds}: ${protocols.map((each) => `${each} ${sluice[each].toFixed(1)} µs`).join(', ')}`,
      );
    }
    const ratio = (of: 'proxy' | 'sluice', protocol: Protocol): number =>
      median(measured.map((round) => round[of][protocol] / round[of].stream));
    for (const protocol of protocols) {
      const micros = median(measured.map(({ sluice }) => sluice[protocol]));
      process.stdout.write(
        `${loads[protocol].title}: ${micros.toFixed(1)} µs of CPU, ${ratio('sluice', protocol).toFixed(3)} times that of Chat Completions; the bytes alone ${ratio('proxy', protocol).toFixed(3)} times\n`,
      );
    }
    return protocols.every((each) => ratio('sluice', each) <= MAX_RATIO * Math.max(1, ratio('proxy', each)));
  } finally {
    await closeConnections();
    for (const target of targets) await target.stop();
    await upstream.stop();
  }
}

/** @returns microseconds a request. What a request leaves to do later counts for those of the turn's other protocols alike. */
async function costsOf(target: Target, round: number): Promise<Costs> {
  const costs: Record<Protocol, number> = { stream: 0, responses: 0, messages: 0, gemini: 0 };
  for (let turn = 0; turn < TURNS; turn++)
    for (let place = 0; place < protocols.length; place++) {
      // Each follows each of the others as often.
      const step = (round + turn) % 2 === 0 ? place : protocols.length - 1 - place;
      const protocol = protocols[(turn + step) % protocols.length] ?? 'stream';
      const before = cpuMicroseconds(target.pid);
      await send(target, loads[protocol], REQUESTS);
      costs[protocol] += (cpuMicroseconds(target.pid) - before) / REQUESTS / TURNS;
    }
  return costs;
}
