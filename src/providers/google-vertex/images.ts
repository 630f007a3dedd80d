import type { ImagesDialect } from '../bridge/services/images.ts';

/** The Gemini image models. Source: docs.cloud.google.com/vertex-ai, Gemini image generation. */
export const vertexImages: ImagesDialect = {
  serves: (model) => /(?:^|\/)gemini-/.test(model),
  kinds: ['generation', 'edit'],
  supportedParams: [],
  size: ['1:1', '3:2', '2:3', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'],
  maxImages: 14,
};
