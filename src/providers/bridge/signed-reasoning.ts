import type { LanguageModelV4ReasoningPart, SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { readReasoningDetails, type ReasoningDetail } from '../../protocols/canonical/reasoning-details.ts';
import type { SignedReasoning } from './chat-dialect.ts';

/** The provider-specific data of one reasoning part. */
export type Metadata = SharedV4ProviderMetadata | undefined;

/** The parts of a reasoning block that must be sent back: none where it is not signed. */
export function blockDetails(reasoning: SignedReasoning, text: string, metadata: Metadata): ReasoningDetail[] {
  const { format } = reasoning;
  const signature = member(reasoning, metadata, reasoning.signature);
  const sealed = reasoning.sealed.flatMap((name): ReasoningDetail[] => {
    const data = member(reasoning, metadata, name);
    return data === null ? [] : [{ type: 'reasoning.encrypted', format, data: sealedData(reasoning, name, data) }];
  });
  return signature === null ? sealed : [{ type: 'reasoning.text', format, text, signature }, ...sealed];
}

/** The signature of a tool call, where the provider signs calls. */
export function callDetails(reasoning: SignedReasoning, callId: string, metadata: Metadata): ReasoningDetail[] {
  const data = member(reasoning, metadata, reasoning.signature);
  return data === null ? [] : [{ type: 'reasoning.encrypted', format: reasoning.format, id: callId, data }];
}

/** The reasoning of an earlier message, as it is sent back to its provider. */
export interface Recalled {
  readonly parts: readonly LanguageModelV4ReasoningPart[];
  /** By call id. */
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

/** The data contains its member's name, where the provider has several. */
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
