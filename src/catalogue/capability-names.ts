/** What models can be called for, by the names of the gateway's capabilities: what plans allow, and keys bound. */
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
