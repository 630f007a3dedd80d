export { catalogue, type CatalogueEntry, type ErrorCode } from './catalogue.ts';
export {
  SluiceError,
  renderOpenAiError,
  toSluiceError,
  type RefusedKey,
  type ReportedFailure,
  type SluiceErrorOptions,
  type UpstreamAnswer,
} from './sluice-error.ts';
export { messageWithKeyAdvice } from './key-advice.ts';
export { redactSecrets } from './redact-secrets.ts';
