import type { ImagesDialect } from '../bridge/services/images.ts';

/** Luma fetches input images itself. Source: docs.lumalabs.ai, image generation. */
export const lumaImages: ImagesDialect = {
  kinds: ['generation', 'edit'],
  supportedParams: [],
  unsupportedParams: ({ seed }) => (seed == null ? [] : ['seed']),
  size: ['1:1', '3:4', '4:3', '9:16', '16:9', '9:21', '21:9'],
  maxImages: 4,
  links: 'only',
};
