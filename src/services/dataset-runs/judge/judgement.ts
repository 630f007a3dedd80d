import { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import type { ChatMessage } from '../../datasets/dataset-document.ts';
import { textOfMessage } from '../../datasets/message-text.ts';
import type { OutputDocument, RunOutput } from '../run-output.ts';
import { answerForm } from './judge-request.ts';
import type { JudgeScale } from './judge-settings.ts';

/** What a judge answered. */
export interface Judgement {
  /** From 0 to 1. */
  readonly score: number;
  readonly reason: string;
}

const MAX_REASON_CHARACTERS = 4_000;

const passFail = z.strictObject({ reason: z.string(), pass: z.boolean() });
const zeroToOne = z.strictObject({ reason: z.string(), score: z.number().min(0).max(1) });

/** Null where the answer has another form: it says nothing about the output. */
function judgementOf(message: ChatMessage | null, scale: JudgeScale): Judgement | null {
  const answer = message === null ? undefined : jsonOf(textOfMessage(message));
  const read = (): Judgement | undefined => {
    if (scale === 'ZERO_TO_ONE') return zeroToOne.safeParse(answer).data;
    const given = passFail.safeParse(answer).data;
    return given && { score: Number(given.pass), reason: given.reason };
  };
  const judgement = read();
  if (judgement === undefined) return null;
  const { score, reason } = judgement;
  return { score, reason: reason.slice(0, MAX_REASON_CHARACTERS).toWellFormed() };
}

/** The result of a judge's request, with the score of the output that it judges. */
export interface JudgeOutput extends RunOutput {
  /** Null where the request failed, or its answer is no score. */
  readonly score: number | null;
}

/** Reads the answer of a judge strictly. One of another form is an error of the score, not a score of 0. */
export function readJudgement(output: RunOutput, scale: JudgeScale): JudgeOutput {
  const { message, errorCode } = output;
  if (errorCode !== null) return { ...output, score: null };
  const judgement = judgementOf(message, scale);
  if (judgement !== null) return { ...output, score: judgement.score, document: documentOf(null, null, judgement) };
  const error = new SluiceError('judge_output_invalid', { values: { form: answerForm(scale) } });
  return { ...output, errorCode: error.code, score: null, document: documentOf(message, error.message, null) };
}

function documentOf(message: ChatMessage | null, errorMessage: string | null, judgement: Judgement | null): Buffer {
  return Buffer.from(JSON.stringify({ message, errorMessage, judgement } satisfies OutputDocument));
}

/** Undefined for text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
