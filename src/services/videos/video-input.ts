import { SluiceError } from '../../errors/index.ts';
import { readVideoId } from './video-id.ts';

/** @throws SluiceError not_found */
export function videoIdOf(publicId: string): string {
  return readVideoId(publicId) ?? noVideo();
}

/** Another account's video is not found. */
export function noVideo(): never {
  throw new SluiceError('not_found', { values: { what: 'video' } });
}
