import { Agent, request } from 'node:http';
import { SEED, malformedBodies } from './generate.ts';
import { malformedForms } from './forms.ts';
import type { Envelope, MalformedRoute } from './routes.ts';

const AT_ONCE = 16;
/** Bodies of a fault are longer than this seldom. */
const SHOWN_CHARACTERS = 4_000;

export interface MalformedTarget {
  readonly url: string;
  readonly apiKey: string;
}

export interface Findings {
  /** Each with the seed, the number of the body and the body. */
  readonly faults: readonly string[];
  /** Responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

interface Given {
  readonly contentType: string;
  readonly body: string | Buffer;
}

/**
 * Sends a route so many generated bodies. A fault is a status from 500, an error in another format than the protocol's, one that
 * does not name the member that is wrong, or a stream that ends with an error.
 * @param progress is called after each response
 */
export async function findFaults(
  target: MalformedTarget,
  route: MalformedRoute,
  count: number,
  progress: () => void = () => undefined,
): Promise<Findings> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  const next = bodiesOf(route, count).entries();
  const work = async (): Promise<void> => {
    for (const [index, given] of next) {
      const path = route.paths[index % route.paths.length] ?? '';
      const { status, text } = await send(agent, target, path, given);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const fault = faultOf(route.envelope, status, text);
      if (fault !== null) {
        const shown = given.body.toString().slice(0, SHOWN_CHARACTERS);
        faults.push(`${fault}: ${status} ${text.slice(0, 500)}\nseed ${SEED}, body ${index} of ${path}:\n${shown}`);
      }
      progress();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  return { faults, statuses };
}

function bodiesOf({ templates = [], form }: MalformedRoute, count: number): Given[] {
  if (form !== undefined) return malformedForms(form, count);
  return malformedBodies(templates, count).map((body) => ({ contentType: 'application/json', body }));
}

/** @returns status 0 where the connection broke off */
function send(
  agent: Agent,
  { url, apiKey }: MalformedTarget,
  path: string,
  { contentType, body }: Given,
): Promise<{ status: number; text: string }> {
  const headers = { 'x-api-key': apiKey, 'content-type': contentType };
  return new Promise((resolve) => {
    const broken = (error: Error): void => resolve({ status: 0, text: error.message });
    const sent = request(url + path, { agent, method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', broken);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    sent.once('error', broken).end(body);
  });
}

/** Of a stream: none of the requests makes a provider fail. */
const endsInError = /^(?:event: (?:error|response\.failed)$|data: \{"error":)/m;

function faultOf({ schema, names }: Envelope, status: number, text: string): string | null {
  if (status === 0) return 'no response';
  if (status === 200) return endsInError.test(text) ? 'an error in the stream' : null;
  if (status >= 500 || status < 400) return 'a failure';
  let error: unknown;
  try {
    error = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  if (!schema.safeParse(error).success) return 'another format';
  return names(error) || namesNone.test(text) ? null : 'no member is named';
}

/** Errors about the request as a whole. */
const namesNone =
  /could not parse the (?:JSON body|form)|must provide a model|The model `|request contains more than|more than \d+ fields|Unsupported content type|This upload is/;
