import { partsOf, type GenerationResult } from '../../canonical/generation-result.ts';
import type { StreamPart } from '../../canonical/stream-part.ts';

/** The parts of a document: its reasoning with the signatures is before its text. */
export function reasoningFirst(result: GenerationResult): StreamPart[] {
  const parts = partsOf(result);
  return [...parts.filter(isReasoning), ...parts.filter((part) => !isReasoning(part))];
}

function isReasoning({ type }: StreamPart): boolean {
  return type === 'reasoning' || type === 'reasoning-detail';
}
