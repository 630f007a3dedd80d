import type { ImagesDialect } from '../images.ts';
import { given, otherFormats } from '../images-options.ts';

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
  unsupportedParams: otherFormats('png', 'jpeg'),
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
