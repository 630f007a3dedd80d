import type { Cluster } from './cluster.ts';
import { MAX_TOKENS, PRICED_MODEL } from './priced-provider.ts';
import { CompletionWatcher, type WatchedCompletion } from './watch-completions.ts';

/** Of the last request: no two have one name. */
let number = 0;

/** A completion that one process ran, as its client and the subscriber at each process saw it. */
export interface FollowedCompletion {
  /** The place of the process that ran it. */
  readonly at: number;
  readonly clientText: string;
  /** By the places of the processes. */
  readonly watched: readonly WatchedCompletion[];
}

/**
 * Has each process run a completion that a subscriber at each process watches.
 * @param kind `watched`, or `clock` for a stream of times
 * @returns the completions, and the number of gaps that subscribers were told of
 */
export async function watchEverywhere(
  cluster: Cluster,
  kind: 'watched' | 'clock',
): Promise<{ readonly completions: readonly FollowedCompletion[]; readonly gaps: number }> {
  const watchers = cluster.processes.map(({ url }) => new CompletionWatcher(url, cluster.apiKey));
  try {
    // Nobody is told when a subscription stands: until each has seen one of each process, completions are run again.
    for (const { url } of cluster.processes) {
      const probes: string[] = [];
      const isSeen = (requestId: string): boolean => watchers.every((watcher) => watcher.hasEnded(requestId));
      while (!probes.some(isSeen)) probes.push((await complete(cluster, url, `watched-${++number}`)).requestId);
    }
    const before = watchers.reduce((sum, { gaps }) => sum + gaps, 0);
    const completions: FollowedCompletion[] = [];
    for (const [at, { url }] of cluster.processes.entries()) {
      const { requestId, text } = await complete(cluster, url, `${kind}-${++number}`);
      const watched = await Promise.all(watchers.map((watcher) => watcher.whenEnded(requestId)));
      completions.push({ at, clientText: text, watched });
    }
    return { completions, gaps: watchers.reduce((sum, { gaps }) => sum + gaps, 0) - before };
  } finally {
    await Promise.all(watchers.map((watcher) => watcher.close()));
  }
}

async function complete(
  { apiKey }: Cluster,
  url: string,
  name: string,
): Promise<{ readonly requestId: string; readonly text: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: PRICED_MODEL,
      user: name,
      max_tokens: MAX_TOKENS,
      stream: true,
      messages: [{ role: 'user', content: name }],
    }),
  });
  const body = await response.text();
  const deltas = body
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content ?? '');
  return { requestId: response.headers.get('x-request-id') ?? '', text: deltas.join('') };
}
