import type { ImagesDialect } from '../images.ts';
import { given, otherFormats } from '../images-options.ts';

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
  unsupportedParams: otherFormats('png', 'jpeg', 'webp'),
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
