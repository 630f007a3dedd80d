import type { ImagesDialect } from '../bridge/services/images.ts';
import { memberIfSet, unsupportedFormats } from '../bridge/services/images-options.ts';

/** Parameters differ by model: these are common. Source: replicate.com/docs/reference/http. */
export const replicateImages: ImagesDialect = {
  maxImagesPerCall: 1,
  kinds: ['generation', 'edit'],
  supportedParams: [
    'output_format',
    'output_compression',
    'guidance_scale',
    'num_inference_steps',
    'negative_prompt',
    'strength',
  ],
  unsupportedParams: unsupportedFormats('png', 'jpeg', 'webp'),
  size: 'pixels',
  maxImages: 8,
  mask: 'white',
  links: 'too',
  options: (request) => ({
    replicate: {
      ...memberIfSet('output_format', request.output_format === 'jpeg' ? 'jpg' : request.output_format),
      ...memberIfSet('output_quality', request.output_compression),
      ...memberIfSet('guidance_scale', request.guidance_scale),
      ...memberIfSet('num_inference_steps', request.num_inference_steps),
      ...memberIfSet('negative_prompt', request.negative_prompt),
      ...memberIfSet('strength', request.strength),
    },
  }),
};
