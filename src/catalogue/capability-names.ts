/** The capabilities of models, by the names of the gateway's capabilities, as plans and key limits use them. */
export const capabilityNames = [
  'chat',
  'embeddings',
  'images',
  'moderation',
  'rerank',
  'speech',
  'transcription',
  'video',
] as const;
