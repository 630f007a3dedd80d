import type { ImagesDialect } from '../bridge/services/images.ts';
import { memberIfSet, unsupportedFormats } from '../bridge/services/images-options.ts';

/** Source: docs.bfl.ai, API reference. */
export const blackForestLabsImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  supportedParams: ['output_format', 'steps', 'guidance', 'safety_tolerance', 'prompt_upsampling'],
  unsupportedParams: unsupportedFormats('png', 'jpeg'),
  size: 'pixels',
  maxImages: 10,
  mask: 'white',
  links: 'too',
  options: (request) => ({
    blackForestLabs: {
      ...memberIfSet('outputFormat', request.output_format),
      ...memberIfSet('steps', request.steps),
      ...memberIfSet('guidance', request.guidance),
      ...memberIfSet('safetyTolerance', request.safety_tolerance),
      ...memberIfSet('promptUpsampling', request.prompt_upsampling),
    },
  }),
};
