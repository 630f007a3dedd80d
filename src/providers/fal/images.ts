import type { ImagesDialect } from '../bridge/services/images.ts';
import { memberIfSet, unsupportedFormats } from '../bridge/services/images-options.ts';

/** Source: docs.fal.ai, model APIs for text to image and for image editing. */
export const falImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  supportedParams: [
    'output_format',
    'guidance_scale',
    'num_inference_steps',
    'enable_safety_checker',
    'strength',
    'acceleration',
  ],
  unsupportedParams: unsupportedFormats('png', 'jpeg'),
  size: 'pixels',
  maxImages: 16,
  mask: 'white',
  links: 'too',
  options: (request) => ({
    fal: {
      ...memberIfSet('outputFormat', request.output_format),
      ...memberIfSet('guidanceScale', request.guidance_scale),
      ...memberIfSet('numInferenceSteps', request.num_inference_steps),
      ...memberIfSet('enableSafetyChecker', request.enable_safety_checker),
      ...memberIfSet('strength', request.strength),
      ...memberIfSet('acceleration', request.acceleration),
      ...(request.images.length > 1 && { useMultipleImages: true }),
    },
  }),
};
