import { signsText } from '../../canonical/reasoning-details.ts';
import { partsOf, type GenerationResult } from '../../canonical/generation-result.ts';
import type { ReasoningDetailPart, StreamPart } from '../../canonical/stream-part.ts';

/**
 * The parts of a document: its reasoning with the signatures is before its text, each signature after what it signs. Without
 * reasoning, that of a text follows the text, as in a stream: a client that did not ask for reasoning gets no empty block of it.
 */
export function reasoningFirst(result: GenerationResult): StreamPart[] {
  const parts = partsOf(result);
  const details = parts.filter((part) => part.type === 'reasoning-detail');
  const whole = parts.flatMap((part) => (part.type === 'reasoning' && part.choice === 0 ? [part.text] : [])).join('');
  const texts = details.flatMap(({ choice, detail }) => (choice === 0 ? [signedText(detail)] : []));
  const isSplit = texts.length > 1 && texts.join('') === whole;
  const reasoning = isSplit
    ? details.flatMap((part): StreamPart[] => [
        { type: 'reasoning', choice: part.choice, text: signedText(part.detail) },
        part,
      ])
    : [...parts.filter(({ type }) => type === 'reasoning'), ...details];
  const others = parts.filter(({ type }) => type !== 'reasoning' && type !== 'reasoning-detail');
  if (whole !== '') return [...reasoning, ...others];
  const late = details.filter(({ detail }) => signsText(detail));
  const calls = others.findIndex(({ type }) => type === 'tool-call');
  const at = calls < 0 ? others.length : calls;
  const early = reasoning.filter((part) => part.type !== 'reasoning-detail' || !signsText(part.detail));
  return [...early, ...others.slice(0, at), ...late, ...others.slice(at)];
}

/** The text of one of several blocks, each of which has a signature of its own; else empty. */
function signedText(detail: ReasoningDetailPart['detail']): string {
  return detail.type === 'reasoning.text' && typeof detail.text === 'string' ? detail.text : '';
}
