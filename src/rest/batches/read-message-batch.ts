import type { Request } from 'express';
import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';
import { inputLineOf } from '../../gateway/batches/input-lines.ts';
import { parseJsonBody, requireParseable } from '../../gateway/capabilities/json-body.ts';
import { MAX_MESSAGE_BATCH_BYTES } from '../../services/batches/limits.ts';
import { MAX_BODY_BYTES } from '../body/read-body.ts';
import { RequestSplitter } from './request-splitter.ts';

/** Source: Anthropic's API reference, Create a Message Batch. */
const MAX_REQUESTS = 100_000;
const customIdForm = /^[a-zA-Z0-9_-]{1,64}$/;
const knownMembers: ReadonlySet<string> = new Set(['requests']);
const requestMembers: ReadonlySet<string> = new Set(['custom_id', 'params']);
const object = z.record(z.string(), z.unknown());

/** Reads the requests of `POST /v1/messages/batches` as they arrive. */
export class MessageBatchBody {
  readonly #ids = new Set<string>();

  /** The number of requests that have been read. */
  get total(): number {
    return this.#ids.size;
  }

  /**
   * The validated requests, a line each.
   * @throws SluiceError of status 400 or 413, naming the member
   */
  async *lines(request: Request): AsyncGenerator<Buffer, void> {
    const splitter = new RequestSplitter('requests', MAX_BODY_BYTES);
    let bytes = 0;
    // The response to an invalid body needs the connection.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      const arrived: Buffer = chunk;
      bytes += arrived.length;
      if (bytes > MAX_MESSAGE_BATCH_BYTES)
        throw new SluiceError('request_too_large', { values: { limit: MAX_MESSAGE_BATCH_BYTES } });
      for (const element of splitter.push(arrived)) yield Buffer.from(this.#lineOf(element));
    }
    requireRequests(splitter.end());
  }

  #lineOf(element: Buffer): string {
    const path = `requests[${this.total}]`;
    if (this.total === MAX_REQUESTS)
      throw new SluiceError('array_above_max_length', { param: 'requests', values: { limit: MAX_REQUESTS } });
    requireParseable(element);
    const request = membersAt(path, parseJsonBody(element));
    for (const name of Object.keys(request))
      if (!requestMembers.has(name)) throw new SluiceError('unknown_parameter', { param: `${path}.${name}` });
    const customId = this.#customIdOf(path, request.custom_id);
    const body = membersAt(`${path}.params`, request.params);
    requireParams(`${path}.params`, body);
    return inputLineOf({ customId, body });
  }

  #customIdOf(path: string, customId: unknown): string {
    const param = `${path}.custom_id`;
    if (customId === undefined) throw new SluiceError('missing_required_parameter', { param });
    if (typeof customId !== 'string' || !customIdForm.test(customId))
      throw invalid(param, 'it must have 1 to 64 letters, digits, hyphens and underscores.');
    if (this.#ids.has(customId)) throw invalid(param, `\`${customId}\` is used by another request of the batch.`);
    this.#ids.add(customId);
    return customId;
  }
}

/** The other members of a request are checked when it is run, like those of any message. */
function requireParams(path: string, params: Readonly<Record<string, unknown>>): void {
  const { model, stream } = params;
  if (model === undefined) throw new SluiceError('missing_required_parameter', { param: `${path}.model` });
  if (typeof model !== 'string' || model === '') throw invalid(`${path}.model`, 'it must be the name of a model.');
  if (stream !== undefined && stream !== false && stream !== null)
    throw invalid(`${path}.stream`, 'requests of a batch cannot be streamed.');
}

/** @param body with a number in place of each request */
function requireRequests(body: unknown): void {
  const members = membersAt('body', body);
  for (const param of Object.keys(members))
    if (!knownMembers.has(param)) throw new SluiceError('unknown_parameter', { param });
  const { requests } = members;
  if (requests === undefined) throw new SluiceError('missing_required_parameter', { param: 'requests' });
  if (!Array.isArray(requests)) throw invalid('requests', 'it must be an array.');
  if (requests.length === 0) throw new SluiceError('empty_array', { param: 'requests', values: { limit: 1 } });
}

function membersAt(param: string, value: unknown): Record<string, unknown> {
  if (value === undefined) throw new SluiceError('missing_required_parameter', { param });
  const read = object.safeParse(value);
  if (!read.success || Array.isArray(value)) throw invalid(param, 'it must be an object.');
  return read.data;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
