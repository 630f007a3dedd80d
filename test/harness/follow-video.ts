import type OpenAI from 'openai';
import { z } from 'zod';

type Video = OpenAI.Videos.Video;

/** A product, and who asks it. */
interface Caller {
  readonly url: string;
  readonly apiKey: string;
}

/** Asks for a video until it is over, as a client of REST has to: there is no event. @returns all that was told, the last of it completed or failed */
export async function whenOver(client: OpenAI, id: string): Promise<Video[]> {
  const seen: Video[] = [];
  for (;;) {
    const video = await client.videos.retrieve(id);
    seen.push(video);
    if (video.status === 'completed' || video.status === 'failed') return seen;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const logged = z.object({
  requestId: z.string(),
  status: z.string(),
  model: z.string(),
  estimated: z.boolean(),
  units: z.array(z.object({ unit: z.string(), quantity: z.string() })),
  cost: z.object({ amount: z.string() }),
  explanation: z.array(z.object({ label: z.string(), quantity: z.string(), amount: z.object({ amount: z.string() }) })),
});
const answer = z.object({ usageLogs: z.object({ nodes: z.array(logged) }) });
/** Of a caller who has asked for more points than there are in a minute. */
const refused = z.object({ extensions: z.object({ code: z.literal('rate_limited'), retryAfterMs: z.number() }) });
export type LoggedUsage = z.infer<typeof logged>;

/** What the usage log says of videos. */
async function usageOf(caller: Caller): Promise<LoggedUsage[]> {
  const query = `{ usageLogs(first: 100) { nodes {
    requestId status model capability estimated units { unit quantity } cost { amount }
    explanation { label quantity amount { amount } }
  } } }`;
  for (;;) {
    const response = await fetch(`${caller.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const { data, errors } = z
      .object({ data: z.unknown().optional(), errors: z.unknown().optional() })
      .parse(await response.json());
    if (errors === undefined) return answer.parse(data).usageLogs.nodes;
    const [{ extensions }] = z.tuple([refused]).parse(errors);
    await new Promise((resolve) => setTimeout(resolve, extensions.retryAfterMs));
  }
}

/** Waits until the usage log holds what is looked for: rows are stored some time after the answers, of which no event tells. */
export async function usageUntil(
  caller: Caller,
  enough: (rows: readonly LoggedUsage[]) => boolean,
): Promise<LoggedUsage[]> {
  // Each look costs the caller points, of which there are so many a minute.
  for (let pauseMs = 20; ; pauseMs = Math.min(500, pauseMs * 1.5)) {
    const rows = await usageOf(caller);
    if (enough(rows)) return rows;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Those that bill a video. */
export function bills(rows: readonly LoggedUsage[]): LoggedUsage[] {
  return rows.filter(({ units }) => units.some(({ unit }) => unit === 'video_second'));
}
