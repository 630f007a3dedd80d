import type { ImagesRequest } from '../shared/media/images-request.ts';
import type { ImagesDialect } from '../bridge/services/images.ts';
import { memberIfSet } from '../bridge/services/images-options.ts';

/** Amazon's own models. Source: docs.aws.amazon.com/nova, image generation request and response. */
export const bedrockImages: ImagesDialect = {
  serves: (model) => /(?:^|\.)amazon\.(?:nova-canvas|titan-image)/.test(model),
  kinds: ['generation', 'edit', 'variation'],
  supportedParams: ['quality', 'negative_prompt', 'cfg_scale'],
  unsupportedParams: ({ quality }) => (quality == null || qualityOf(quality) !== null ? [] : ['quality']),
  size: 'pixels',
  maxImages: 5,
  mask: 'black',
  options: (request) => ({
    amazonBedrock: {
      ...memberIfSet('quality', qualityOf(request.quality)),
      ...memberIfSet('negativeText', request.negative_prompt),
      ...memberIfSet('cfgScale', request.cfg_scale),
    },
  }),
};

function qualityOf(quality: ImagesRequest['quality']): string | null {
  return quality === 'standard' ? 'standard' : quality === 'hd' || quality === 'high' ? 'premium' : null;
}
