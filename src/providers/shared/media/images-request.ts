import type { UploadedFile } from '../http/uploaded-file.ts';

/** An input image: a file of the form, or a URL (`https:` or `data:`). */
export type InputImage = UploadedFile | { readonly url: string };

/**
 * OpenAI's image requests as a provider reads them: validated by the gateway before, and never written to.
 * Source: OpenAI's API document, CreateImageRequest, CreateImageEditRequest, CreateImageVariationRequest.
 */
export interface ImagesRequest {
  readonly kind: 'generation' | 'edit' | 'variation';
  /** Missing for variations. */
  readonly prompt?: string | undefined;
  /** Of edits and variations. */
  readonly images: readonly InputImage[];
  readonly mask?: InputImage | undefined;
  readonly n?: number | null | undefined;
  readonly size?: string | null | undefined;
  readonly quality?: string | null | undefined;
  readonly style?: string | null | undefined;
  readonly background?: string | null | undefined;
  readonly input_fidelity?: string | null | undefined;
  readonly moderation?: string | null | undefined;
  readonly output_format?: string | null | undefined;
  readonly output_compression?: number | null | undefined;
  readonly partial_images?: number | null | undefined;
  readonly response_format?: 'url' | 'b64_json' | null | undefined;
  readonly user?: string | null | undefined;
  /** Members that are not named here: provider-specific ones of the client. */
  readonly [member: string]: unknown;
}
