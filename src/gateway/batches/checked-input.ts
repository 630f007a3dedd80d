import { isObject } from '../../protocols/canonical/json-members.ts';
import { parseJsonBody, requireParseable } from '../capabilities/json-body.ts';
import type { BatchEndpoint, BatchProblem, CheckedFile } from './batch.ts';
import { inputLineOf, inputLines, LineTooLong } from './input-lines.ts';

/** Source: OpenAI's guide to its Batch API. */
const MAX_REQUESTS = 50_000;
const MAX_CUSTOM_ID_LENGTH = 512;
/** As of a request's body. */
const MAX_LINE_BYTES = 50 * 1024 * 1024;
/** Further ones are not reported. */
const MAX_PROBLEMS = 50;

type Problem = Omit<BatchProblem, 'line'>;

/** Members of a body that a request without a connected client cannot have, with the values that have no effect. */
const refused: Readonly<Record<string, string>> = {
  stream: 'Requests of a batch cannot be streamed.',
  background: 'Requests of a batch run in the background already.',
};

/** Checks the lines of an input file as they are read. */
export class CheckedInput implements CheckedFile {
  readonly lines: AsyncIterable<Uint8Array>;
  readonly problems: BatchProblem[] = [];
  readonly #endpoint: BatchEndpoint;
  readonly #ids = new Set<string>();

  constructor(file: AsyncIterable<Uint8Array>, endpoint: BatchEndpoint) {
    this.#endpoint = endpoint;
    this.lines = this.#check(file);
  }

  get total(): number {
    return this.#ids.size;
  }

  async *#check(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
    let line = 0;
    try {
      for await (const { bytes } of inputLines(file, 0, MAX_LINE_BYTES)) {
        line++;
        if (isBlank(bytes)) continue;
        const checked = this.#ids.size === MAX_REQUESTS ? tooMany : this.#checkLine(bytes);
        if (typeof checked === 'string') yield Buffer.from(checked);
        else this.problems.push({ ...checked, line });
        if (checked === tooMany || this.problems.length === MAX_PROBLEMS) return;
      }
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error;
      const message = `A request is larger than ${MAX_LINE_BYTES} bytes.`;
      this.problems.push({ code: 'request_too_large', message, param: null, line: line + 1 });
    }
    if (this.total === 0 && this.problems.length === 0)
      this.problems.push({ code: 'empty_file', message: 'The input file has no requests.', param: null, line: null });
  }

  /** @returns the line of the input, or what is wrong */
  #checkLine(bytes: Buffer): string | Problem {
    const request = read(bytes);
    if (!isObject(request)) return problem('invalid_json_line', 'This line is not a JSON object.', null);
    const { custom_id: customId, method, url, body } = request;
    if (customId === undefined) return missing('custom_id');
    if (typeof customId !== 'string' || customId === '' || customId.length > MAX_CUSTOM_ID_LENGTH)
      return problem('invalid_custom_id', `It must be a text of 1 to ${MAX_CUSTOM_ID_LENGTH} characters.`, 'custom_id');
    if (this.#ids.has(customId))
      return problem('duplicate_custom_id', 'Another line has the same `custom_id`.', 'custom_id');
    if (method !== 'POST') return problem('invalid_method', 'It must be `POST`.', 'method');
    if (url !== this.#endpoint && this.#endpoint !== `/v1${String(url)}`)
      return problem('invalid_url', `It must be the endpoint of the batch, \`${this.#endpoint}\`.`, 'url');
    if (!isObject(body)) return problem('invalid_body', 'It must be an object.', 'body');
    const wrong = this.#problemOf(body);
    if (wrong !== null) return wrong;
    this.#ids.add(customId);
    return inputLineOf({ customId, body });
  }

  /** The other members are checked when the request is run. */
  #problemOf(body: Readonly<Record<string, unknown>>): Problem | null {
    // Moderations have a default.
    const hasDefault = this.#endpoint === '/v1/moderations' && body.model === undefined;
    if (!hasDefault && (typeof body.model !== 'string' || body.model === '')) return missing('body.model');
    for (const [name, reason] of Object.entries(refused))
      if (body[name] !== undefined && body[name] !== null && body[name] !== false)
        return problem('unsupported_value', reason, `body.${name}`);
    return null;
  }
}

const tooMany = problem('too_many_requests', `A batch has at most ${MAX_REQUESTS} requests.`, null);

function problem(code: string, message: string, param: string | null): Problem {
  return { code, message, param };
}

function missing(param: string): Problem {
  return problem('missing_required_parameter', `Missing required parameter: '${param}'.`, param);
}

/** Undefined for what cannot be parsed. */
function read(bytes: Buffer): unknown {
  try {
    requireParseable(bytes);
    return parseJsonBody(bytes);
  } catch {
    return undefined;
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length < 256 && bytes.toString('latin1').trim() === '';
}
