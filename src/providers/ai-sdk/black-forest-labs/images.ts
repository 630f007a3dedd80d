import type { ImagesDialect } from '../images.ts';
import { given, otherFormats } from '../images-options.ts';

/** Source: docs.bfl.ai, API reference. */
export const blackForestLabsImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  takes: ['output_format', 'steps', 'guidance', 'safety_tolerance', 'prompt_upsampling'],
  unsupportedParams: otherFormats('png', 'jpeg'),
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
