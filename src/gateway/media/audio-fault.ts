/** Why a file is no audio that can be worked with, in words for the caller. */
export class AudioFault extends Error {}
