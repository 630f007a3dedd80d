import type { AssistantMessage, ChatMessage, GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import { signsText, type StoreReasoning } from '../../protocols/canonical/reasoning-details.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import { callsWithoutReasoning, lacksReasoning, nameOf } from './call-reasoning.ts';
import type { ReasoningStore } from './reasoning-memory.ts';
import { textKey, textsWithoutSignature } from './text-signatures.ts';

/** The stored signed reasoning of one account. */
export class AccountReasoning {
  readonly #store: ReasoningStore;
  readonly #accountId: string;
  readonly #signsText: boolean;

  constructor(store: ReasoningStore, accountId: string, signs: { readonly text: boolean }) {
    this.#store = store;
    this.#accountId = accountId;
    this.#signsText = signs.text;
  }

  /** Stores that of the response to a request, which is read only where its messages are needed. */
  storeAfter(request: () => GenerationRequest): StoreReasoning {
    return ({ calls, details, text }) => {
      const [first] = calls;
      const stored = first === undefined ? details.filter(signsText) : details;
      if (stored.length === 0 || (first === undefined && text === '')) return;
      const key = first?.id ?? textKey(request().messages.at(-1), text);
      this.#store.store(this.#accountId, key, { name: first?.name ?? '', details: JSON.stringify(stored) });
    };
  }

  /** Adds stored reasoning that the client did not send back. */
  recall(request: GenerationRequest): GenerationRequest {
    const { messages } = request;
    const texts = new Map(this.#signsText ? textsWithoutSignature(messages) : []);
    if (texts.size === 0 && callsWithoutReasoning(messages).length === 0) return request;
    return { ...request, messages: messages.map((message) => this.#recalled(message, texts.get(message))) };
  }

  /** @param key under which the signatures of its text are stored; none for a message with calls */
  #recalled(message: ChatMessage, key: string | undefined): ChatMessage {
    if (key !== undefined && message.role === 'assistant') return this.#withSignatures(message, key);
    if (!lacksReasoning(message)) return message;
    for (const call of message.tool_calls ?? []) {
      const stored = this.#store.find(this.#accountId, call.id);
      if (stored?.name === nameOf(call)) return { ...message, reasoning_details: JSON.parse(stored.details) };
    }
    return message;
  }

  #withSignatures(message: AssistantMessage, key: string): AssistantMessage {
    const stored = this.#store.find(this.#accountId, key);
    if (stored === undefined) return message;
    const own: unknown[] = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
    return { ...message, reasoning_details: [...own, ...JSON.parse(stored.details)] };
  }
}

/** The account's reasoning for a request; null under zero retention, and for a provider that reads none. */
export function reasoningFor(
  store: ReasoningStore | undefined,
  { accountId, zeroRetention }: Pick<KeyRecord, 'accountId' | 'zeroRetention'>,
  target: Pick<Target, 'connection' | 'upstreamModel'>,
): AccountReasoning | null {
  if (store === undefined || zeroRetention === true || !readsReasoning(target)) return null;
  return new AccountReasoning(store, accountId, { text: target.connection.signsText === true });
}

function readsReasoning({ connection, upstreamModel }: Pick<Target, 'connection' | 'upstreamModel'>): boolean {
  return connection.readsReasoning?.(upstreamModel) === true;
}

/**
 * Loads remotely stored reasoning that a chat lacks; undefined where there is none to load.
 * @param messages whose texts may be truncated where they need not be complete
 */
export function loadReasoning(
  store: ReasoningStore | undefined,
  { accountId, zeroRetention }: Pick<KeyRecord, 'accountId' | 'zeroRetention'>,
  { listed, larger }: Pick<ResolvedRoute, 'listed' | 'larger'>,
  messages: (isComplete: boolean) => readonly ChatMessage[],
): Promise<void> | undefined {
  if (store === undefined || zeroRetention === true) return undefined;
  const targets = (larger === null ? listed : [...listed, larger]).filter(readsReasoning);
  if (targets.length === 0) return undefined;
  const signsText = targets.some(({ connection }) => connection.signsText === true);
  const sent = messages(signsText);
  const texts = signsText ? textsWithoutSignature(sent) : [];
  const keys = [...callsWithoutReasoning(sent), ...texts.map(([, key]) => key)];
  return keys.length === 0 ? undefined : store.load(accountId, keys);
}
