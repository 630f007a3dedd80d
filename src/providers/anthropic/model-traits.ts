import type { ModelTraits } from '../../protocols/messages/model-traits.ts';

/** The first generations, whose names end in the family: `claude-3-5-sonnet-20241022`. */
const olderName = /claude-(?:instant|v?([1-4])(?:[-.](\d))?)(?![\d])/;
const newerName = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** For an unknown model behind another base URL: only features that every model has. */
const unknown: ModelTraits = {
  maxTokens: 8_192,
  thinking: 'budget',
  canStopThinking: true,
  supportsXhigh: false,
  supportsSampling: true,
  supportsTemperatureWithTopP: true,
  canForceTools: true,
  structuredOutput: false,
  bindsThinking: false,
};

const newest: ModelTraits = {
  maxTokens: 128_000,
  thinking: 'adaptive',
  canStopThinking: true,
  supportsXhigh: true,
  supportsSampling: false,
  supportsTemperatureWithTopP: false,
  canForceTools: true,
  structuredOutput: true,
  bindsThinking: false,
};

/**
 * By the model's name; an unknown Claude model is treated like a new one. Source: platform.claude.com/docs, "Models
 * overview", "Thinking", "Effort", "Structured outputs", "Prefix checks on thinking blocks" and the pages "What's new"
 * of the models.
 */
export function modelTraits(model: string): ModelTraits {
  const [, family, major, minor] = newerName.exec(model) ?? [];
  if (family !== undefined) return byVersion(family, Number(major) * 100 + Number(minor ?? 0));
  const older = olderName.exec(model);
  if (older)
    return byVersion(model.includes('opus') ? 'opus' : 'sonnet', Number(older[1] ?? 1) * 100 + Number(older[2] ?? 0));
  return model.includes('claude') ? { ...newest, maxTokens: 64_000 } : unknown;
}

/** @param version 405 for 4.5 */
function byVersion(family: string, version: number): ModelTraits {
  const neverStops = family === 'fable' || family === 'mythos';
  if (version < 307) return { ...unknown, thinking: 'none', maxTokens: version < 305 ? 4_096 : 8_192 };
  if (version < 405 && family === 'opus')
    return {
      ...unknown,
      maxTokens: 32_000,
      structuredOutput: version >= 401,
      supportsTemperatureWithTopP: version < 401,
    };
  if (version < 405) return { ...unknown, maxTokens: 64_000 };
  if (version < 406)
    return { ...unknown, maxTokens: 64_000, structuredOutput: true, supportsTemperatureWithTopP: false };
  if (version < 407)
    return { ...newest, maxTokens: family === 'opus' ? 128_000 : 64_000, supportsSampling: true, supportsXhigh: false };
  if (version <= 500) return { ...newest, canStopThinking: !neverStops };
  const stops = family === 'haiku';
  return { ...newest, canStopThinking: stops, canForceTools: stops, bindsThinking: true };
}
