import type { LanguageModelV4ReasoningPart, SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { readReasoningDetails, type ReasoningDetail } from '../../protocols/canonical/reasoning-details.ts';
import type { SignedReasoning } from './chat-dialect.ts';

/** What a package tells of one piece of reasoning beside its text. */
export type Metadata = SharedV4ProviderMetadata | undefined;

/** What of one block of reasoning must be shown again: nothing where it is not signed. */
export function blockDetails(reasoning: SignedReasoning, text: string, metadata: Metadata): ReasoningDetail[] {
  const { format } = reasoning;
  const signature = member(reasoning, metadata, reasoning.signature);
  const sealed = reasoning.sealed.flatMap((name): ReasoningDetail[] => {
    const data = member(reasoning, metadata, name);
    return data === null ? [] : [{ type: 'reasoning.encrypted', format, data: sealedData(reasoning, name, data) }];
  });
  return signature === null ? sealed : [{ type: 'reasoning.text', format, text, signature }, ...sealed];
}

/** What signs a tool call, where the provider signs those. */
export function callDetails(reasoning: SignedReasoning, callId: string, metadata: Metadata): ReasoningDetail[] {
  const data = member(reasoning, metadata, reasoning.signature);
  return data === null ? [] : [{ type: 'reasoning.encrypted', format: reasoning.format, id: callId, data }];
}

/** An earlier answer's reasoning, as its provider is shown it again. */
export interface Recalled {
  readonly parts: readonly LanguageModelV4ReasoningPart[];
  /** By the id of the call. */
  readonly calls: ReadonlyMap<string, SharedV4ProviderOptions>;
}

export function recall(reasoning: SignedReasoning | null, details: unknown): Recalled {
  const parts: LanguageModelV4ReasoningPart[] = [];
  const calls = new Map<string, SharedV4ProviderOptions>();
  if (reasoning === null) return { parts, calls };
  for (const detail of readReasoningDetails(details, reasoning.format)) {
    if (detail.type === 'reasoning.text' && detail.signature !== undefined)
      parts.push(part(reasoning, detail.text, reasoning.signature, detail.signature));
    if (detail.type !== 'reasoning.encrypted') continue;
    if (detail.id !== undefined) calls.set(detail.id, options(reasoning, reasoning.signature, detail.data));
    else {
      const opened = openSealed(reasoning, detail.data);
      if (opened) parts.push(part(reasoning, '', opened.name, opened.data));
    }
  }
  return { parts, calls };
}

/** The data names its member, where the provider has several. */
function sealedData({ sealed }: SignedReasoning, name: string, data: string): string {
  return sealed.length > 1 ? `${name}:${data}` : data;
}

function openSealed(
  { sealed }: SignedReasoning,
  data: string,
): { readonly name: string; readonly data: string } | null {
  const [only] = sealed;
  if (sealed.length === 1 && only !== undefined) return { name: only, data };
  const name = sealed.find((each) => data.startsWith(`${each}:`));
  return name === undefined ? null : { name, data: data.slice(name.length + 1) };
}

function part(reasoning: SignedReasoning, text: string, name: string, value: string): LanguageModelV4ReasoningPart {
  return { type: 'reasoning', text, providerOptions: options(reasoning, name, value) };
}

function options({ namespace }: SignedReasoning, name: string, value: string): SharedV4ProviderOptions {
  return { [namespace]: { [name]: value } };
}

function member({ namespace }: SignedReasoning, metadata: Metadata, name: string): string | null {
  const value = metadata?.[namespace]?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
