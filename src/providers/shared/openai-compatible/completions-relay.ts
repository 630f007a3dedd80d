import { SettingsError, type SendNative } from '../../contract.ts';
import { overwriteMember } from '../http/request-body.ts';
import type { ServiceClient } from './services/service-client.ts';

/**
 * Relays legacy completions to a server that has them. The option `completions` of a connection overrides what its provider
 * declares: `native` for all models, `chat` for none.
 */
export class CompletionsRelay {
  readonly #serves: (model: string) => boolean;
  readonly #send: SendNative;

  /** @throws SettingsError for another value of the option */
  constructor(client: ServiceClient, declared: boolean | ((model: string) => boolean), option: string | undefined) {
    if (option !== undefined && option !== 'native' && option !== 'chat')
      throw new SettingsError(
        `Provider \`${client.provider}\`: the option \`completions\` must be \`native\` or \`chat\`, not \`${option}\`.`,
      );
    const serves = option === undefined ? declared : option === 'native';
    this.#serves = typeof serves === 'function' ? serves : () => serves;
    this.#send = ({ model, body, headers }, receiver) => {
      const named = overwriteMember(body, 'model', JSON.stringify(model));
      client.upstream.post(client.path('/completions', model), named, receiver, headers);
      return [];
    };
  }

  native(model: string): SendNative | null {
    return this.#serves(model) ? this.#send : null;
  }
}

/** OpenAI's models that have completions: those before chat. Source: platform.openai.com/docs/models. */
export function isCompletionModel(model: string): boolean {
  return /(?:^|:)(?:gpt-3\.5-turbo-instruct|davinci-002|babbage-002)/.test(model);
}
