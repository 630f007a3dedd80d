/** Why an audio file cannot be used, with a message for the client. */
export class AudioFault extends Error {}
