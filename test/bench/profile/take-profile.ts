import { WebSocket } from 'ws';

/** As V8 writes it to `.cpuprofile`. */
export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly endTime: number;
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

const SAMPLING_INTERVAL_US = 250;

/** Makes Node listen for an inspector, at a port that the system chooses. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** The address that a process with `INSPECTED` prints. */
export function inspectorOf(output: string): string {
  const [url] = inspectorsOf(output);
  if (url === undefined) throw new Error(`The process did not start its inspector:\n${output}`);
  return url;
}

/** The addresses that a process with `INSPECTED` and its children print: its own first. */
export function inspectorsOf(output: string): readonly string[] {
  return [...output.matchAll(/Debugger listening on (ws:\/\/\S+)/g)].flatMap(([, url]) => url ?? []);
}

/** Profiles the main threads of several processes while `work` runs. */
export async function takeProfiles(
  [first, ...others]: readonly string[],
  work: () => Promise<unknown>,
): Promise<readonly Profile[]> {
  if (first === undefined) {
    await work();
    return [];
  }
  let rest: readonly Profile[] = [];
  const own = await takeProfile(first, async () => (rest = await takeProfiles(others, work)));
  return [own, ...rest];
}

/** Profiles the main thread of a process while `work` runs. */
export async function takeProfile(inspector: string, work: () => Promise<unknown>): Promise<Profile> {
  const socket = new WebSocket(inspector, { perMessageDeflate: false, maxPayload: 1_024 ** 3 });
  await new Promise((resolve, reject) => void socket.once('open', resolve).once('error', reject));
  let sent = 0;
  const call = <T>(method: string, params: object = {}): Promise<T> => {
    const id = ++sent;
    return new Promise((resolve, reject) => {
      const read = (data: Buffer): void => {
        const answer = JSON.parse(data.toString());
        if (answer.id !== id) return;
        socket.off('message', read);
        if (answer.error) reject(new Error(`${method}: ${answer.error.message}`));
        else resolve(answer.result);
      };
      socket.on('message', read);
      socket.once('close', () => reject(new Error(`${method}: the inspector closed the connection`)));
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  try {
    await call('Profiler.enable');
    await call('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
    await call('Profiler.start');
    await work();
    return (await call<{ profile: Profile }>('Profiler.stop')).profile;
  } finally {
    socket.terminate();
  }
}
