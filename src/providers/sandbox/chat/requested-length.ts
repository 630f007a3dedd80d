/** The response length that the user requested. */
export interface RequestedLength {
  readonly count: number;
  readonly unit: 'token' | 'word' | 'sentence' | 'paragraph';
}

/** Reads `in 200 words`, `500 tokens`, `3 paragraphs`, `a 40-word summary`; the last one applies. */
export function requestedLength(question: string): RequestedLength | null {
  const last = [...question.matchAll(/\b(\d{1,6})[\s-]*(token|word|sentence|paragraph)s?\b/gi)].at(-1);
  const unit = last?.[2]?.toLowerCase();
  if (unit !== 'token' && unit !== 'word' && unit !== 'sentence' && unit !== 'paragraph') return null;
  return { count: Number(last?.[1]), unit };
}
