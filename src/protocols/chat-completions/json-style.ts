/** How a provider formats the JSON of its chunks: strings that are searched for, instead of parsing each event. */
export interface JsonStyle {
  readonly usageNull: string;
  readonly usageObject: string;
  readonly finishReason: string;
  readonly noFinishReason: string;
  /** A short part of `usageObject` and `finishReason`, for a faster search. */
  readonly usageMark: string;
  readonly finishMark: string;
}

const COMPACT: JsonStyle = {
  usageNull: ',"usage":null',
  usageObject: '"usage":{',
  finishReason: '"finish_reason":"',
  noFinishReason: '"finish_reason":null',
  usageMark: 'ge":{"',
  finishMark: 'son":"',
};

const SPACED: JsonStyle = {
  usageNull: ', "usage": null',
  usageObject: '"usage": {',
  finishReason: '"finish_reason": "',
  noFinishReason: '"finish_reason": null',
  usageMark: 'e": {"',
  finishMark: 'n": "',
};

/** The style of a chunk; null where each event has to be parsed. */
export function jsonStyleOf(data: string): JsonStyle | null {
  if (data.includes('"choices":[')) return COMPACT;
  return data.includes('"choices": [') ? SPACED : null;
}

/** The last finish reason of complete events; null for none. */
export function lastFinishReason(text: string, { finishMark, finishReason }: JsonStyle): string | null {
  if (!text.includes(finishMark)) return null;
  const found = text.lastIndexOf(finishReason);
  const start = found + finishReason.length;
  return found < 0 ? null : text.slice(start, text.indexOf('"', start));
}
