import type { UploadedFile } from '../http/uploaded-file.ts';

/** The input image of a video: a file of the form, a URL (`https:` or `data:`), or a file stored at the provider. */
export type VideoReference = UploadedFile | { readonly image_url: string } | { readonly file_id: string };

/**
 * OpenAI's video request as a provider reads it: validated by the gateway before, and never written to. Source:
 * OpenAI's API document, CreateVideoJsonBody, CreateVideoMultipartBody.
 */
export interface VideoRequest {
  readonly prompt: string;
  /** Whole seconds in decimal digits. */
  readonly seconds?: string | null | undefined;
  /** Width and height in pixels: `1280x720`. */
  readonly size?: string | null | undefined;
  readonly input_reference?: VideoReference | null | undefined;
}
