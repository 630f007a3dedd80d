import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import type { VideoCall } from '../jobs/video-jobs.ts';
import type { VideoReference } from './video-request.ts';

/** Width and height, in the forms that providers use. */
export interface VideoShape {
  readonly width: number;
  readonly height: number;
  /** In lowest terms: `16:9`. */
  readonly aspectRatio: string;
  /** By the shorter side: `720p`. */
  readonly resolution: string;
}

/** @param size `1280x720` */
export function shapeOf(size: string): VideoShape {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const divisor = commonDivisor(width, height);
  return {
    width,
    height,
    aspectRatio: `${width / divisor}:${height / divisor}`,
    resolution: `${Math.min(width, height)}p`,
  };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** The dropped parameters. @throws SluiceError unsupported_parameter under `strict` */
export function unsupportedVideoParameters(
  provider: string,
  { request, parameters }: VideoCall,
  support: { readonly seconds?: boolean; readonly size?: boolean; readonly reference?: boolean },
): readonly string[] {
  const names = [
    ...(request.seconds && support.seconds === false ? ['seconds'] : []),
    ...(request.size && support.size === false ? ['size'] : []),
    ...(request.input_reference && support.reference === false ? ['input_reference'] : []),
  ];
  return refuseOrDrop(provider, names, parameters);
}

/** An image as a URL: its own, or a `data:` URL. Null for a file stored at the provider. */
export async function referenceUrl(reference: VideoReference): Promise<string | null> {
  if ('image_url' in reference) return reference.image_url;
  if ('file_id' in reference) return null;
  return `data:${reference.contentType};base64,${(await reference.read()).toString('base64')}`;
}

/** Whether an image is sent as bytes: a form's file, or a `data:` URL. */
export function isInline(reference: VideoReference): boolean {
  return 'image_url' in reference ? /^data:[^;,]+;base64,/i.test(reference.image_url) : !('file_id' in reference);
}
