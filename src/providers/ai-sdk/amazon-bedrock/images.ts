import type { ImagesRequest } from '../../shared/images-request.ts';
import type { ImagesDialect } from '../images.ts';
import { given } from '../images-options.ts';

/** Amazon's own models. Source: docs.aws.amazon.com/nova, image generation request and response. */
export const bedrockImages: ImagesDialect = {
  serves: (model) => /(?:^|\.)amazon\.(?:nova-canvas|titan-image)/.test(model),
  kinds: ['generation', 'edit', 'variation'],
  takes: ['quality', 'negative_prompt', 'cfg_scale'],
  unsupportedParams: ({ quality }) => (quality == null || qualityOf(quality) !== null ? [] : ['quality']),
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
