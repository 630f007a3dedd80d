import { createHash } from 'node:crypto';

const PUBLIC_ID = /^video_([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/;

/** A video's public id: `video_` and the 32 hex digits of the UUID. */
export function publicVideoId(id: string): string {
  return `video_${id.replaceAll('-', '')}`;
}

/** Null if the text is not a video id. */
export function readVideoId(publicId: string): string | null {
  return PUBLIC_ID.exec(publicId)?.slice(1).join('-') ?? null;
}

/**
 * The id of the event that bills a video: deterministic, so that it is stored once. A UUIDv7 with the video's time and random
 * bits derived from the video's.
 */
export function billEventIdOf(id: string): string {
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  createHash('sha256').update('sluice/video-bill').update(bytes).digest().copy(bytes, 6, 0, 10);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
