import type { ImagesRequest } from '../shared/images-request.ts';
import type { ImagesDialect } from './images.ts';

/** Formats that a provider does not make. */
function otherFormats(...made: readonly string[]): NonNullable<ImagesDialect['takesNot']> {
  return ({ output_format: format }) => (format == null || made.includes(format) ? [] : ['output_format']);
}

/** Source: docs.fal.ai, model APIs of text to image, and of editing. */
export const falImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  takes: [
    'output_format',
    'guidance_scale',
    'num_inference_steps',
    'enable_safety_checker',
    'strength',
    'acceleration',
  ],
  takesNot: otherFormats('png', 'jpeg'),
  size: 'pixels',
  mostImages: 16,
  mask: 'white',
  links: 'too',
  options: (request) => ({
    fal: {
      ...given('outputFormat', request.output_format),
      ...given('guidanceScale', request.guidance_scale),
      ...given('numInferenceSteps', request.num_inference_steps),
      ...given('enableSafetyChecker', request.enable_safety_checker),
      ...given('strength', request.strength),
      ...given('acceleration', request.acceleration),
      ...(request.images.length > 1 && { useMultipleImages: true }),
    },
  }),
};

/** Source: docs.bfl.ai, API reference. */
export const blackForestLabsImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  takes: ['output_format', 'steps', 'guidance', 'safety_tolerance', 'prompt_upsampling'],
  takesNot: otherFormats('png', 'jpeg'),
  size: 'pixels',
  mostImages: 10,
  mask: 'white',
  links: 'too',
  options: (request) => ({
    blackForestLabs: {
      ...given('outputFormat', request.output_format),
      ...given('steps', request.steps),
      ...given('guidance', request.guidance),
      ...given('safetyTolerance', request.safety_tolerance),
      ...given('promptUpsampling', request.prompt_upsampling),
    },
  }),
};

/** What a model takes is its own: these are in common use. Source: replicate.com/docs/reference/http. */
export const replicateImages: ImagesDialect = {
  mostPerCall: 1,
  kinds: ['generation', 'edit'],
  takes: [
    'output_format',
    'output_compression',
    'guidance_scale',
    'num_inference_steps',
    'negative_prompt',
    'strength',
  ],
  takesNot: otherFormats('png', 'jpeg', 'webp'),
  size: 'pixels',
  mostImages: 8,
  mask: 'white',
  links: 'too',
  options: (request) => ({
    replicate: {
      ...given('output_format', request.output_format === 'jpeg' ? 'jpg' : request.output_format),
      ...given('output_quality', request.output_compression),
      ...given('guidance_scale', request.guidance_scale),
      ...given('num_inference_steps', request.num_inference_steps),
      ...given('negative_prompt', request.negative_prompt),
      ...given('strength', request.strength),
    },
  }),
};

/** It fetches the pictures that it is given. Source: docs.lumalabs.ai, image generation. */
export const lumaImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  takes: [],
  takesNot: ({ seed }) => (seed == null ? [] : ['seed']),
  size: ['1:1', '3:4', '4:3', '9:16', '16:9', '9:21', '21:9'],
  mostImages: 4,
  links: 'only',
};

/** The models of Gemini's family. Source: docs.cloud.google.com/vertex-ai, Gemini image generation. */
export const vertexImages: ImagesDialect = {
  serves: (model) => /(?:^|\/)gemini-/.test(model),
  kinds: ['generation', 'edit'],
  takes: [],
  size: ['1:1', '3:2', '2:3', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
  mostImages: 14,
};

/** Amazon's own models. Source: docs.aws.amazon.com/nova, image generation request and response. */
export const bedrockImages: ImagesDialect = {
  serves: (model) => /(?:^|\.)amazon\.(?:nova-canvas|titan-image)/.test(model),
  kinds: ['generation', 'edit', 'variation'],
  takes: ['quality', 'negative_prompt', 'cfg_scale'],
  takesNot: ({ quality }) => (quality == null || qualityOf(quality) !== null ? [] : ['quality']),
  size: 'pixels',
  mostImages: 5,
  mask: 'black',
  options: (request) => ({
    amazonBedrock: {
      ...given('quality', qualityOf(request.quality)),
      ...given('negativeText', request.negative_prompt),
      ...given('cfgScale', request.cfg_scale),
    },
  }),
};

function qualityOf(quality: ImagesRequest['quality']): string | null {
  return quality === 'standard' ? 'standard' : quality === 'hd' || quality === 'high' ? 'premium' : null;
}

/** A member, where there is something to say. */
function given(name: string, value: unknown): Record<string, string | number | boolean> {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {};
}
