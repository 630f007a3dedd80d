import type { AudioPart } from './audio-part.ts';
import { opusPackets } from './fragments.ts';
import type { Utterance } from './synthesis.ts';

/** Opus counts samples at 48 kHz, whatever the input was. */
const RATE = 48_000;
const PACKET_BYTES = 40;
const PACKET_SAMPLES = 960;
/** The encoder's delay, which players skip. */
const PRE_SKIP = 312;
const PACKETS_ON_A_PAGE = 10;
const SERIAL = 0x534c4349;
const [FIRST_PAGE, LAST_PAGE] = [0x02, 0x04];

/**
 * Opus in Ogg: the fragment, repeated for the duration of the text, to the sample. Source: RFC 3533, 6; RFC 7845, 4 and
 * 5.
 */
export function* oggOpus(utterance: Utterance): Generator<AudioPart> {
  const known = Math.floor(opusPackets.length / PACKET_BYTES);
  const end = PRE_SKIP + Math.round(utterance.seconds * RATE);
  const count = Math.ceil(end / PACKET_SAMPLES);
  yield { bytes: Buffer.concat([page([head()], FIRST_PAGE, 0, 0), page([tags()], 0, 0, 1)]), seconds: 0 };
  for (let sent = 0, number = 2; sent < count; number++) {
    const packets: Buffer[] = [];
    for (; packets.length < PACKETS_ON_A_PAGE && sent < count; sent++) {
      const at = (sent % known) * PACKET_BYTES;
      packets.push(opusPackets.subarray(at, at + PACKET_BYTES));
    }
    const isLast = sent === count;
    const bytes = page(packets, isLast ? LAST_PAGE : 0, isLast ? end : sent * PACKET_SAMPLES, number);
    yield { bytes, seconds: (packets.length * PACKET_SAMPLES) / RATE };
  }
}

function head(): Buffer {
  const packet = Buffer.alloc(19);
  packet.write('OpusHead', 0, 'latin1');
  packet[8] = 1;
  packet[9] = 1;
  packet.writeUInt16LE(PRE_SKIP, 10);
  packet.writeUInt32LE(24_000, 12);
  return packet;
}

function tags(): Buffer {
  const vendor = Buffer.from('sandbox');
  const packet = Buffer.alloc(16 + vendor.length);
  packet.write('OpusTags', 0, 'latin1');
  packet.writeUInt32LE(vendor.length, 8);
  vendor.copy(packet, 12);
  return packet;
}

/** For packets below 255 bytes. */
function page(packets: readonly Buffer[], flags: number, granule: number, number: number): Buffer {
  const header = Buffer.alloc(27 + packets.length);
  header.write('OggS', 0, 'latin1');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(granule), 6);
  header.writeUInt32LE(SERIAL, 14);
  header.writeUInt32LE(number, 18);
  header[26] = packets.length;
  packets.forEach((packet, at) => (header[27 + at] = packet.length));
  const whole = Buffer.concat([header, ...packets]);
  whole.writeUInt32LE(crc32(whole), 22);
  return whole;
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
  return value;
});

/** Ogg's CRC: highest bit first, from 0, and not inverted. */
function crc32(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) value = (value << 8) ^ (table[((value >>> 24) ^ byte) & 0xff] ?? 0);
  return value >>> 0;
}
