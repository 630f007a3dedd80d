import { geminiVersion, type ModelTraits, type Thinking } from '../../protocols/gemini/model-traits.ts';

/**
 * The traits of a model, by its name. A Gemini name without a version, such as `gemini-flash-latest`, is treated like
 * the newest. Source: ai.google.dev, "Gemini thinking" and "Thought signatures"; for the levels also the model pages;
 * for billing "Grounding with Google Search", Pricing.
 */
export function modelTraits(model: string): ModelTraits {
  const name = model.toLowerCase().replace(/^.*\//, '');
  const version = geminiVersion(name);
  return {
    thinking: thinkingOf(name, version),
    requiresSignatures: version >= 3,
    supportsPenalties: Math.floor(version * 10) !== 25,
    instructedByUser: name.startsWith('gemma-'),
    mixesTools: version >= 3,
    billsEachSearch: version >= 3,
  };
}

function thinkingOf(name: string, version: number): Thinking {
  if (version < 2.5 || name.includes('-tts') || name.startsWith('gemini-3-pro-image')) return null;
  if (version >= 3)
    return {
      by: 'level',
      min: leastLevel(name, version),
      max: name.startsWith('gemini-4-hydrogen') ? 'xhigh' : 'high',
    };
  if (name.includes('-image')) return null;
  return name.includes('-pro') ? { by: 'budget', min: 128, max: 32_768 } : { by: 'budget', min: 0, max: 24_576 };
}

/** Pro models and the later Flash models have no `minimal`. */
function leastLevel(name: string, version: number): 'minimal' | 'low' {
  const lite = name.includes('-flash-lite');
  const laterFlash = name.includes('-flash') && !lite && version >= 3.7;
  return laterFlash || name.includes('-pro') || name.startsWith('gemini-4-hydrogen') ? 'low' : 'minimal';
}
