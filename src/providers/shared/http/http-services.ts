import type { Connection, ConnectionSettings, Services } from '../../contract.ts';
import type { HttpUpstream } from './http-upstream.ts';
import { noChat } from '../chat/no-chat.ts';

/** A provider without chat that has its own HTTP API. */
export class HttpServicesConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed: boolean;
  readonly chat: Connection['chat'];
  readonly services: Services;
  readonly #upstream: HttpUpstream;

  constructor(provider: string, { id, billed = true }: ConnectionSettings, upstream: HttpUpstream, services: Services) {
    this.id = id;
    this.billed = billed;
    this.provider = provider;
    this.chat = noChat(provider);
    this.services = services;
    this.#upstream = upstream;
  }

  /** It has no endpoint that lists its models. */
  listModels(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
