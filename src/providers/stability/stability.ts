import {
  SettingsError,
  type Connection,
  type ConnectionSettings,
  type ProviderDeclaration,
  type Services,
} from '../contract.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import { noChat } from '../shared/chat/no-chat.ts';
import { membersOf } from '../../protocols/canonical/json-members.ts';
import type { ReadError } from '../shared/http/upstream-error.ts';
import { stabilityImages } from './images.ts';

const id = 'stability';
const BASE_URL = 'https://api.stability.ai';

/** The models of its reference, because its API does not list them. */
const models = ['ultra', 'core', 'sd3.5-large', 'sd3.5-large-turbo', 'sd3.5-medium', 'inpaint'];

export const stability: ProviderDeclaration = {
  id,
  providerAliases: ['stability-ai', 'stabilityai'],
  name: 'Stability AI',
  documentation: 'https://platform.stability.ai/docs/api-reference',
  catalogueSources: { mediaPrices: 'stability-ai' },
  baseUrl: BASE_URL,
  needsKey: true,
  open: (settings) => {
    // A configured base URL leads to another server, which may not require a key.
    if (settings.apiKey === undefined && settings.baseUrl === undefined)
      throw new SettingsError(`Provider \`${id}\` needs an API key.`);
    return new StabilityConnection(settings);
  },
};

/** `{"id": ..., "name": "bad_request", "errors": [...]}` */
const readError: ReadError = (body) => {
  try {
    const { name, errors } = parsed(JSON.parse(body));
    const reasons = Array.isArray(errors) ? errors.filter((reason) => typeof reason === 'string') : [];
    if (reasons.length === 0) return null;
    return { message: reasons.join(' '), type: null, code: typeof name === 'string' ? name : null, param: null };
  } catch {
    return null;
  }
};

function parsed(body: unknown): Readonly<Record<string, unknown>> {
  return membersOf(body);
}

class StabilityConnection implements Connection {
  readonly id: string;
  readonly provider = id;
  readonly billed: boolean;
  readonly services: Services;
  readonly chat = noChat(id);
  readonly #upstream: HttpUpstream;

  constructor({ id: own, billed = true, apiKey, baseUrl, connectTimeoutMs, dial }: ConnectionSettings) {
    this.id = own;
    this.billed = billed;
    this.#upstream = new HttpUpstream({
      provider: id,
      baseUrl: baseUrl ?? BASE_URL,
      headers: apiKey === undefined ? [] : ['authorization', `Bearer ${apiKey}`],
      connectTimeoutMs,
      dial,
      readError,
    });
    this.services = { images: stabilityImages(id, this.#upstream) };
  }

  listModels(): Promise<readonly string[]> {
    return Promise.resolve(models);
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }
}
