import { oneOf, nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export const capabilities = ['chat', 'images', 'speech', 'transcription', 'embeddings', 'moderation', 'video'] as const;
export type Capability = (typeof capabilities)[number];

export const capabilityTitles: Readonly<Record<Capability, string>> = {
  chat: 'Chat',
  images: 'Images',
  speech: 'Speech',
  transcription: 'Transcription',
  embeddings: 'Embeddings',
  moderation: 'Moderation',
  video: 'Video',
};

export interface PlaygroundSearch {
  readonly capability?: Capability;
  readonly model?: string;
  /** The logged request that fills the chat: ID of a `UsageLog`. */
  readonly replay?: string;
}

export function playgroundSearch(input: UntrustedSearch): PlaygroundSearch {
  return {
    capability: oneOf(capabilities, input.capability),
    model: nonEmptyText(input.model),
    replay: nonEmptyText(input.replay),
  };
}

/** A form field for one request parameter. */
export interface Parameter {
  readonly name: string;
  readonly label: string;
  readonly kind: 'number' | 'text';
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | 'any';
  readonly choices?: readonly string[];
  readonly placeholder?: string;
}

const positiveInteger = { kind: 'number', min: 1, step: 1 } as const;

/** Parameters besides the prompt. Empty fields are not sent, so that the model's defaults apply. */
export const parametersOf: Readonly<Record<Capability, readonly Parameter[]>> = {
  chat: [
    { name: 'temperature', label: 'Temperature', kind: 'number', min: 0, max: 2, step: 'any', placeholder: '0 to 2' },
    { name: 'top_p', label: 'Top P', kind: 'number', min: 0, max: 1, step: 'any', placeholder: '0 to 1' },
    { name: 'max_completion_tokens', label: 'Max tokens', ...positiveInteger },
    { name: 'seed', label: 'Seed', kind: 'number', step: 1 },
    { name: 'stop', label: 'Stop sequences', kind: 'text' },
    {
      name: 'reasoning_effort',
      label: 'Reasoning effort',
      kind: 'text',
      choices: ['none', 'minimal', 'low', 'medium', 'high'],
    },
  ],
  images: [
    {
      name: 'size',
      label: 'Size',
      kind: 'text',
      choices: ['auto', '1024x1024', '1536x1024', '1024x1536', '512x512', '256x256'],
    },
    { name: 'n', label: 'Number of images (n)', ...positiveInteger, max: 10 },
    { name: 'quality', label: 'Quality', kind: 'text', choices: ['auto', 'low', 'medium', 'high', 'standard', 'hd'] },
    { name: 'background', label: 'Background', kind: 'text', choices: ['auto', 'transparent', 'opaque'] },
  ],
  speech: [
    { name: 'voice', label: 'Voice', kind: 'text', placeholder: 'alloy' },
    { name: 'response_format', label: 'Format', kind: 'text', choices: ['mp3', 'wav', 'opus', 'aac', 'flac'] },
    { name: 'speed', label: 'Speed', kind: 'number', min: 0.25, max: 4, step: 'any', placeholder: '0.25 to 4' },
    { name: 'instructions', label: 'Instructions', kind: 'text' },
  ],
  transcription: [
    { name: 'language', label: 'Language', kind: 'text', placeholder: 'en' },
    { name: 'prompt', label: 'Prompt (names and terms)', kind: 'text' },
    {
      name: 'response_format',
      label: 'Format',
      kind: 'text',
      choices: ['json', 'verbose_json', 'text', 'srt', 'vtt'],
    },
  ],
  embeddings: [{ name: 'dimensions', label: 'Dimensions', ...positiveInteger }],
  moderation: [],
  video: [
    { name: 'seconds', label: 'Seconds', kind: 'text', choices: ['4', '8', '12'] },
    { name: 'size', label: 'Size', kind: 'text', choices: ['1280x720', '720x1280', '1792x1024', '1024x1792'] },
  ],
};
