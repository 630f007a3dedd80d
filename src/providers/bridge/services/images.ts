import type { ImageModelV4, ImageModelV4CallOptions, ImageModelV4File } from '@ai-sdk/provider';
import { SluiceError } from '../../../errors/index.ts';
import type { Send } from '../../contract.ts';
import { answerPromise } from '../../shared/http/answer-promise.ts';
import {
  bytesOf,
  imagesAnswer,
  inCalls,
  opaqueMask,
  ratioOf,
  rejectMask,
  requireBytes,
  requireImageCount,
  requireKind,
  requestedSize,
  unsupportedImageParameters,
  type ImageTokenCounts,
} from '../../shared/media/images-translation.ts';
import type { InputImage, ImagesRequest } from '../../shared/media/images-request.ts';
import { countOf } from '../../../protocols/canonical/json-members.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import { packageCall, type PackageCallContext } from '../package/package-call.ts';

/** The dialect of a provider's images. */
export interface ImagesDialect {
  /** False for a name that is not an image model; all are if absent. */
  readonly serves?: (model: string) => boolean;
  /** Generations only if absent. */
  readonly kinds?: readonly ImagesRequest['kind'][];
  /** Parameters that `options` converts, other than `size`. */
  readonly supportedParams: readonly string[];
  /** Unsupported values of those parameters. */
  readonly unsupportedParams?: (request: ImagesRequest) => readonly string[];
  /** In pixels, or as one of these aspect ratios. */
  readonly size: 'pixels' | readonly string[];
  /** Input images of an edit; 1 if absent. */
  readonly maxImages?: number;
  /** The colour of a mask where the image may change; absent where masks are not supported. */
  readonly mask?: 'white' | 'black';
  /** Images per call, where the package does not declare it. */
  readonly maxImagesPerCall?: number;
  /** Whether it accepts the URLs of images, or only those. */
  readonly links?: 'too' | 'only';
  readonly options?: (request: ImagesRequest) => ImageModelV4CallOptions['providerOptions'];
}

/** Images through a package, in as many calls as needed. Fails if one of them fails. */
export function packageImages(context: PackageCallContext, dialect: ImagesDialect): Send<ImagesRequest> {
  const { provider } = context;
  return ({ request, model, parameters }, receiver) => {
    if (dialect.serves?.(model) === false) throw new SluiceError('model_not_found', { values: { model } });
    requireKind(provider, request, ...(dialect.kinds ?? ['generation']));
    if (dialect.mask === undefined) rejectMask(provider, request);
    requireImageCount(request, dialect.maxImages ?? 1);
    const size = requestedSize(request);
    const ratio = dialect.size === 'pixels' ? null : ratioOf(size, dialect.size);
    const isSizeSupported = size === null || dialect.size === 'pixels' || ratio !== null;
    const supported = [...dialect.supportedParams, 'seed', ...(isSizeSupported ? ['size'] : [])];
    const unsupported = dialect.unsupportedParams?.(request) ?? [];
    const dropped = refuseOrDrop(
      provider,
      [...unsupportedImageParameters(request, supported), ...unsupported],
      parameters,
    );
    const sent: ImagesRequest = { ...request, ...cleared(unsupported) };
    const options = {
      prompt: request.prompt,
      size: dialect.size === 'pixels' && size !== null ? (`${size.width}x${size.height}` as const) : undefined,
      aspectRatio: ratio === null ? undefined : asRatio(ratio),
      seed: typeof sent.seed === 'number' ? sent.seed : undefined,
      providerOptions: dialect.options?.(sent) ?? {},
    };
    answerPromise(receiver, async (signal) => {
      const { image } = await context.models();
      if (image === undefined) throw new SluiceError('model_not_found', { values: { model } });
      const imageModel = image(model);
      const files = await Promise.all(request.images.map((input) => asFile(provider, input, dialect)));
      const { mask: over } = request;
      const mask = over && dialect.mask && asData(await opaqueMask(provider, over, dialect.mask));
      const answers = await inCalls(
        request.n ?? 1,
        dialect.maxImagesPerCall ?? (await maxImagesPerCallOf(imageModel, model)),
        signal,
        (n, ending) =>
          packageCall(context, ending, 'prompt', (abortSignal) =>
            imageModel.doGenerate({ ...options, n, files: files.length === 0 ? undefined : files, mask, abortSignal }),
          ),
      );
      const images = answers.flatMap((answer) => [...answer.images].map(asBase64));
      return imagesAnswer(provider, images, answers.map(tokensOf));
    });
    return dropped;
  };
}

function cleared(names: readonly string[]): Record<string, undefined> {
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Where a package declares no limit, one per call always works. */
async function maxImagesPerCallOf(imageModel: ImageModelV4, modelId: string): Promise<number> {
  const { maxImagesPerCall: max } = imageModel;
  return (typeof max === 'function' ? await max({ modelId }) : max) ?? 1;
}

function asRatio(ratio: string): `${number}:${number}` {
  const [across, down] = ratio.split(':').map(Number);
  return `${across ?? 1}:${down ?? 1}`;
}

async function asFile(provider: string, image: InputImage, { links }: ImagesDialect): Promise<ImageModelV4File> {
  const bytes = await bytesOf(image);
  if (links === 'only' && (bytes !== null || !('url' in image)))
    throw new SluiceError('unsupported_value', {
      param: 'image',
      values: { reason: `must be an https: URL, which provider ${provider} fetches.` },
    });
  if (bytes === null && links !== undefined && 'url' in image) return { type: 'url', url: image.url };
  return asData(bytes ?? (await requireBytes(provider, image)));
}

function asData({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }): ImageModelV4File {
  return { type: 'file', mediaType, data: base64 };
}

function asBase64(image: string | Uint8Array): string {
  return typeof image === 'string' ? image : Buffer.from(image).toString('base64');
}

function tokensOf({ usage }: Awaited<ReturnType<ImageModelV4['doGenerate']>>): ImageTokenCounts | null {
  const input = countOf(usage?.inputTokens);
  const output = countOf(usage?.outputTokens);
  return input === null || output === null ? null : { input, output, imageInput: 0, imageOutput: null };
}
