import type {
  AssistantMessage,
  ChatMessage,
  GenerationRequest,
  ToolCall,
} from '../../protocols/canonical/generation-request.ts';
import type { CalledReasoning } from '../../protocols/canonical/reasoning-details.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { ResolvedRoute } from '../routing/resolved-route.ts';
import type { Target } from '../routing/target.ts';
import type { ReasoningStore } from './reasoning-memory.ts';

/** Maximum calls per request whose reasoning is looked up. */
const MAX_CALLS = 256;

/** The stored signed reasoning of one account. */
export class AccountReasoning {
  readonly #store: ReasoningStore;
  readonly #accountId: string;

  constructor(store: ReasoningStore, accountId: string) {
    this.#store = store;
    this.#accountId = accountId;
  }

  readonly store = ({ calls, details }: CalledReasoning): void => {
    const [first] = calls;
    if (first === undefined) return;
    this.#store.store(this.#accountId, first.id, { name: first.name, details: JSON.stringify(details) });
  };

  /** Adds stored reasoning that the client did not send back. */
  recall(request: GenerationRequest): GenerationRequest {
    if (callsWithoutReasoning(request.messages).length === 0) return request;
    return { ...request, messages: request.messages.map((message) => this.#recalled(message)) };
  }

  #recalled(message: ChatMessage): ChatMessage {
    if (!lacksReasoning(message)) return message;
    for (const call of message.tool_calls ?? []) {
      const stored = this.#store.find(this.#accountId, call.id);
      if (stored?.name === nameOf(call)) return { ...message, reasoning_details: JSON.parse(stored.details) };
    }
    return message;
  }
}

/** The account's reasoning for a request; null under zero retention, and for a provider that reads none. */
export function reasoningFor(
  store: ReasoningStore | undefined,
  { accountId, zeroRetention }: Pick<KeyRecord, 'accountId' | 'zeroRetention'>,
  target: Pick<Target, 'connection' | 'upstreamModel'>,
): AccountReasoning | null {
  if (store === undefined || zeroRetention === true || !readsReasoning(target)) return null;
  return new AccountReasoning(store, accountId);
}

function readsReasoning({ connection, upstreamModel }: Pick<Target, 'connection' | 'upstreamModel'>): boolean {
  return connection.readsReasoning?.(upstreamModel) === true;
}

/** Loads remotely stored reasoning that a chat's calls lack; undefined where there is none to load. */
export function loadReasoning(
  store: ReasoningStore | undefined,
  { accountId, zeroRetention }: Pick<KeyRecord, 'accountId' | 'zeroRetention'>,
  { listed, larger }: Pick<ResolvedRoute, 'listed' | 'larger'>,
  callIds: () => readonly string[],
): Promise<void> | undefined {
  if (store === undefined || zeroRetention === true) return undefined;
  if (!listed.some(readsReasoning) && (larger === null || !readsReasoning(larger))) return undefined;
  const ids = callIds();
  return ids.length === 0 ? undefined : store.load(accountId, ids);
}

/** Their ids: the last ones where there are many. */
export function callsWithoutReasoning(messages: readonly ChatMessage[]): readonly string[] {
  const ids = messages.flatMap((message) =>
    lacksReasoning(message) ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  );
  return ids.slice(-MAX_CALLS);
}

function lacksReasoning(message: ChatMessage): message is AssistantMessage {
  return message.role === 'assistant' && Boolean(message.tool_calls?.length) && !message.reasoning_details;
}

function nameOf(call: ToolCall): string {
  return call.type === 'custom' ? call.custom.name : call.function.name;
}
