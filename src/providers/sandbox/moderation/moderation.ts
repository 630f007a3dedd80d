import { hash } from 'node:crypto';
import type { Clock } from '../../../calendar/clock.ts';
import type { Send } from '../../contract.ts';
import { answerPromise } from '../../shared/http/answer-promise.ts';
import type { ModerationRequest } from '../../shared/moderation/moderation-request.ts';
import {
  moderationCategories,
  type ModerationDocument,
  type ModerationResult,
} from '../../shared/moderation/moderation-result.ts';
import { nextTurn, yieldPeriodically, type YieldIfDue } from '../../shared/jobs/yield-periodically.ts';
import { requireModel } from '../models.ts';
import { harmfulWords } from './moderation-words.ts';

export const SANDBOX_MODERATION_MODEL = 'moderation';

/** Patterns match within a sentence: a text is searched in pieces, so that the cost is linear in its length. */
const PIECE_CHARACTERS = 2_000;
const OVERLAP_CHARACTERS = 200;
const BASELINE_SCORE = 0.0001;

/** Moderates texts by lists of words, deterministically. Images are accepted, not inspected, and never flagged. */
export function sandboxModeration(clock: Clock): Send<ModerationRequest> {
  return ({ request, model, requestId }, receiver) => {
    requireModel(model, SANDBOX_MODERATION_MODEL);
    const inputs = inputsOf(request.input);
    answerPromise(receiver, async (signal) => {
      await nextTurn();
      const turn = yieldPeriodically(clock, signal);
      const results: ModerationResult[] = [];
      for (const input of inputs) results.push(await moderate(input, turn));
      const document: ModerationDocument = { id: `modr-${hash('sha256', requestId).slice(0, 32)}`, model, results };
      return { contentType: 'application/json', body: JSON.stringify(document) };
    });
    return [];
  };
}

interface Input {
  readonly text: string;
  readonly kinds: readonly ('text' | 'image')[];
}

function inputsOf(input: ModerationRequest['input']): Input[] {
  if (typeof input === 'string') return [{ text: input, kinds: ['text'] }];
  const texts: string[] = [];
  const kinds = new Set<'text' | 'image'>();
  const inputs: Input[] = [];
  for (const item of input) {
    if (typeof item === 'string') inputs.push({ text: item, kinds: ['text'] });
    else if (item.type === 'text') texts.push(item.text);
    if (typeof item !== 'string') kinds.add(item.type === 'text' ? 'text' : 'image');
  }
  // Parts form one input.
  if (kinds.size > 0) inputs.push({ text: texts.join('\n'), kinds: [...kinds] });
  return inputs;
}

async function moderate({ text, kinds }: Input, turn: YieldIfDue): Promise<ModerationResult> {
  const found = new Set<RegExp>();
  for (const piece of piecesOf(text)) {
    await turn();
    for (const category of moderationCategories)
      for (const pattern of harmfulWords[category]) if (!found.has(pattern) && pattern.test(piece)) found.add(pattern);
  }
  const scores = moderationCategories.map((category) => {
    const hits = harmfulWords[category].filter((pattern) => found.has(pattern)).length;
    return [category, hits === 0 ? BASELINE_SCORE : Number((1 - 0.1 ** hits).toFixed(4))] as const;
  });
  return {
    flagged: scores.some(([, score]) => score >= 0.5),
    categories: Object.fromEntries(scores.map(([category, score]) => [category, score >= 0.5])),
    category_scores: Object.fromEntries(scores),
    category_applied_input_types: Object.fromEntries(scores.map(([category]) => [category, kinds])),
  };
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at === 0 || at < text.length; at += PIECE_CHARACTERS)
    yield text.slice(Math.max(0, at - OVERLAP_CHARACTERS), at + PIECE_CHARACTERS).replaceAll('’', "'");
}
