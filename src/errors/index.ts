export { catalogue, type ErrorCode } from './catalogue.ts';
export {
  SluiceError,
  renderOpenAiError,
  resourcesExhausted,
  toSluiceError,
  type RefusedKey,
  type UpstreamAnswer,
} from './sluice-error.ts';
export { messageWithKeyAdvice } from './key-advice.ts';
export { unreachable } from './unreachable.ts';
export { redactSecrets } from './redact-secrets.ts';
