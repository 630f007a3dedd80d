import type { ImagesRequest } from '../../../providers/shared/media/images-request.ts';
import type { MediaStore } from '../../media/media-store.ts';
import { notSupported, type Capability } from '../capability.ts';
import { ImageStream, usageWithoutResponse } from './image-stream.ts';
import { parseImagesResponse } from './images-answer.ts';
import { specificValue, type ImagesSummary } from './images-usage.ts';
import { imagesMembers, parseImages, type ImagesKind } from './parse.ts';
import { ImageDelivery } from './image-delivery.ts';
import { ImageHandling } from './image-handling.ts';
import { namedOrDefaultModel, type DefaultModels } from '../default-model.ts';
import { estimateTokens } from '../../request-input.ts';

const gptImage = { capability: 'images', defaults: ['gpt-image-1.5', 'openai/gpt-image-1.5'] };
/** Source: OpenAI's API document, CreateImageRequest, CreateImageEditRequest, CreateImageVariationRequest. */
const defaultModels: Readonly<Record<ImagesKind, DefaultModels>> = {
  generation: gptImage,
  edit: gptImage,
  variation: { capability: 'images', defaults: ['dall-e-2', 'openai/dall-e-2'] },
};
const retainedLink = { what: 'A link to an image', next: 'Request `b64_json` instead.', param: 'response_format' };

/** Images: OpenAI's `POST /v1/images/generations`, `/edits` and `/variations`. */
export function images(kind: ImagesKind, store: MediaStore): Capability<ImagesRequest, ImagesSummary> {
  return {
    name: 'images',
    members: imagesMembers[kind],
    modelName: (value, models, requester) => namedOrDefaultModel(value, defaultModels[kind], models, requester),
    parse: (value) => parseImages(kind, value),
    summarize: ({ n, size, quality }) => ({
      kind,
      n: n ?? 1,
      size: specificValue(size),
      quality: specificValue(quality),
    }),
    streamed,
    wantsUsage: () => true,
    // From the prompt alone: an image in the JSON is as long as a book.
    inputTokens: ({ prompt = '' }) => estimateTokens(Buffer.byteLength(prompt)),
    outputReserve: () => 0,
    // A link expires before a cached response would; a file is deleted with its request.
    cacheable: (request) =>
      kind === 'generation' && (request.response_format === 'b64_json' || streamed(request)) ? request : null,
    retained: ({ response_format }) => (response_format === 'url' ? retainedLink : null),
    endUser: ({ user }) => user ?? null,
    send(connection, request, call, receiver) {
      const send = connection.services.images ?? notSupported(connection, 'images');
      const { provider, id: connectionId } = connection;
      const { model, accountId, zeroRetention, publicAddress } = call;
      const stream = streamed(request);
      const delivery = new ImageDelivery(
        {
          provider,
          model,
          kind,
          // A provider's link would be stored, to be fetched from.
          format: request.response_format ?? (zeroRetention ? 'b64_json' : null),
          streamed: stream,
          quality: request.quality ?? null,
          images: new ImageHandling({ source: { provider, connectionId }, store, accountId, publicAddress }),
        },
        receiver,
      );
      return send({ ...call, request, stream }, delivery);
    },
    relayStream: (options) => (options.contentType.startsWith('text/event-stream') ? new ImageStream(options) : null),
    parseResponse: parseImagesResponse,
    usageWithoutResponse,
  };
}

function streamed(request: ImagesRequest): boolean {
  return request.stream === true;
}
