/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Requests to copy into a dataset. */
export type AddToDatasetInput = {
  /** The dataset. */
  datasetId: string | number;
  /** IDs of `UsageLog`s, in the order of the items. Maximum 100. */
  usageLogIds: Array<string | number>;
};

/** The type of an alert channel. */
export type AlertChannelKind =
  /** E-mail to members of the account. */
  | 'EMAIL'
  /** A PagerDuty service with the Events API v2. */
  | 'PAGERDUTY'
  /** A Slack incoming webhook. */
  | 'SLACK'
  /** A Microsoft Teams workflow that starts when a webhook request is received. */
  | 'TEAMS'
  /** A URL that receives signed events, according to Standard Webhooks. */
  | 'WEBHOOK';

/** What is observed, and when the alert fires. */
export type AlertConditionInput = {
  /** Which usage is observed. Default: all usage. */
  filter?: AlertFilterInput | null | undefined;
  /** What is observed. */
  kind: AlertKind;
  /** What is measured. Default: `DURATION`. */
  measure?: AlertMeasure | null | undefined;
  /** The minimum number of requests. Default: 20 for `ERROR_RATE` and `LATENCY`. For `PROVIDER_DOWN` of failed attempts, default 3. For `SPEND_ANOMALY` in USD, default 1. */
  minimum?: number | null | undefined;
  /** 50, 90, 95 or 99. Default 95. */
  percentile?: number | null | undefined;
  /** The value at which it resolves. Default: the threshold; for `PROVIDER_DOWN` 0, which is the first success. */
  resolveThreshold?: number | null | undefined;
  /** The value at which the alert fires, in the unit of the kind. */
  threshold: number;
  /** The window in minutes, a multiple of 15 up to 43,200 (30 days). Default 60. */
  windowMinutes?: number | null | undefined;
};

/** The status of a notification. */
export type AlertDeliveryStatus =
  /** It was accepted. An e-mail is queued for the mail server. */
  | 'DELIVERED'
  /** It is not retried. */
  | 'FAILED'
  /** It is not delivered yet, and is retried. */
  | 'PENDING';

/** Which usage is observed. All conditions must match. */
export type AlertFilterInput = {
  /** ID of an `ApiKey`. */
  apiKeyId?: string | number | null | undefined;
  /** Capability, such as `chat`. */
  capability?: string | null | undefined;
  /** Model: `provider/model`. */
  model?: string | null | undefined;
  /** Provider. */
  provider?: string | null | undefined;
  /** Tag of the requests. */
  tag?: AlertTagInput | null | undefined;
};

/** What an alert rule observes. It determines the unit of the threshold. */
export type AlertKind =
  /** The spent share of a budget in its period, in percent. One alert per budget. */
  | 'BUDGET'
  /** Failed requests within the window, in percent. */
  | 'ERROR_RATE'
  /** Days until an API key expires. One alert per key. */
  | 'KEY_EXPIRING'
  /** A percentile of the requests within the window, in ms. */
  | 'LATENCY'
  /** How long every attempt at a provider has failed, in minutes. One alert per provider. */
  | 'PROVIDER_DOWN'
  /** Spend within the window, in USD. */
  | 'SPEND'
  /** Spend of the last hour as a multiple of the median of the same hour of the four weeks before, by the clock of the account’s time zone. */
  | 'SPEND_ANOMALY';

/** What a latency rule measures. */
export type AlertMeasure =
  /** The complete request. */
  | 'DURATION'
  /** The time to the first token. */
  | 'FIRST_TOKEN';

/** An alert rule. */
export type AlertRuleInput = {
  /** IDs of the `AlertChannel`s that are notified. Maximum 10. Default: none. */
  channelIds?: Array<string | number> | null | undefined;
  /** When the alert fires. */
  condition: AlertConditionInput;
  /** Whether it is evaluated. Default: true. */
  enabled?: boolean | null | undefined;
  /** Name of the rule. */
  name: string;
};

/** A tag of requests. */
export type AlertTagInput = {
  /** Name of the tag. */
  name: string;
  /** Value of the tag. */
  value: string;
};

/** What happened. */
export type AlertTransition =
  /** The value reached the threshold. */
  | 'FIRED'
  /** The value reached the resolve threshold. */
  | 'RESOLVED'
  /** A channel was tested. */
  | 'TEST';

/** Filters API keys. */
export type ApiKeyFilter = {
  /** Includes revoked keys. */
  includeRevoked?: boolean | null | undefined;
  /** Matches keys whose name contains this text, ignoring case. */
  nameContains?: string | null | undefined;
};

/** The type of an actor. */
export type AuditActorKind =
  /** An unauthenticated client. */
  | 'ANONYMOUS'
  /** An API key. */
  | 'API_KEY'
  /** The operator, through the command line. */
  | 'CLI'
  /** A background job of the server. */
  | 'JOB'
  /** The server itself. */
  | 'SERVER'
  /** A signed-in user. */
  | 'USER';

/** Filters audit log entries. All conditions must match. */
export type AuditFilter = {
  /** `api_key.created`, or all actions of a type: `api_key.*`. */
  action?: string | null | undefined;
  /** ID of a user or an API key. For a user, includes actions of their API keys. */
  actor?: string | number | null | undefined;
  /** Start, inclusive. */
  since?: string | null | undefined;
  /** ID of the target object. */
  target?: string | number | null | undefined;
  /** End, exclusive. */
  until?: string | null | undefined;
};

/** Who runs requests of batches. */
export type BatchMode =
  /** The batch API of the first target’s provider, at its batch price, where it has one. */
  | 'PROVIDER'
  /** The server, one by one, at the price of other requests. */
  | 'SLUICE';

/** The status of a batch. */
export type BatchStatus =
  /** The batch was cancelled. */
  | 'CANCELLED'
  /** No more requests are started. */
  | 'CANCELLING'
  /** Every request has a result. */
  | 'COMPLETED'
  /** The batch did not end within 24 hours. */
  | 'EXPIRED'
  /** The input file is invalid. */
  | 'FAILED'
  /** The results are being stored. */
  | 'FINALIZING'
  /** The requests are running. */
  | 'IN_PROGRESS'
  /** The input file is being checked. */
  | 'VALIDATING';

/** The state of the circuit breaker of a model at a connection. */
export type BreakerState =
  /** Requests are sent. */
  | 'CLOSED'
  /** A single trial request is sent to test the target. */
  | 'HALF_OPEN'
  /** Too many requests failed. The target is skipped while another can serve the request. */
  | 'OPEN';

/** An amount per period. */
export type Budget = {
  /** Alert thresholds in percent of the amount, from 1 to 100. Each alerts once per period. If absent, the thresholds do not change; a new budget has 80 and 100. An empty list disables alerts. */
  alertAt?: Array<number> | null | undefined;
  /** Amount in USD, greater than 0, with at most 9 decimal places. */
  amount: string;
  /** Budget period. */
  period: BudgetPeriod;
};

/** The period after which a budget resets, in the account’s time zone. */
export type BudgetPeriod =
  /** One day, starting at midnight. */
  | 'DAY'
  /** One calendar month. */
  | 'MONTH'
  /** Never resets. */
  | 'TOTAL'
  /** One week, starting on Monday. */
  | 'WEEK';

/** The subject of a budget. */
export type BudgetSubject =
  /** The account. */
  | 'ACCOUNT'
  /** One API key. */
  | 'KEY'
  /** One member: the API keys that they created, and their sessions. */
  | 'MEMBER';

/** Limits of a key for one capability. At least one limit is required. */
export type CapabilityLimits = {
  /** `chat`, `embeddings`, `images`, `moderation`, `rerank`, `speech`, `transcription` or `video`. */
  capability: string;
  /** Concurrent requests. */
  concurrency?: number | null | undefined;
  /** Requests per day. */
  requestsPerDay?: number | null | undefined;
  /** Requests per minute. */
  requestsPerMinute?: number | null | undefined;
  /** Input and output tokens per minute. */
  tokensPerMinute?: number | null | undefined;
};

/** A change of e-mail address. */
export type ChangeEmailInput = {
  /** The new address. It takes effect when it is verified. */
  email: string;
  /** The current password. */
  password: string;
};

/** A change of password. */
export type ChangePasswordInput = {
  /** The current password. */
  currentPassword: string;
  /** The new password. 8 to 256 characters. */
  newPassword: string;
};

/** A member and their new role. */
export type ChangeRoleInput = {
  /** The member. */
  memberId: string | number;
  /** The new role. Cannot exceed the caller’s role. */
  role: Role;
};

/** Filters comparisons. All conditions must match. */
export type ComparisonFilter = {
  /** Started at or after this time. */
  from?: string | null | undefined;
  /** Whether a lane is running. */
  isRunning?: boolean | null | undefined;
  /** Whether the comparison has a link. */
  isShared?: boolean | null | undefined;
  /** Whether the comparison has votes. */
  isVoted?: boolean | null | undefined;
  /** What the models generate. */
  kind?: ComparisonKind | null | undefined;
  /** The user who ran the comparison. */
  memberId?: string | number | null | undefined;
  /** A compared model, by its requested name or `provider/model`. */
  model?: string | null | undefined;
  /** Matches comparisons whose name or prompt contains this text. */
  search?: string | null | undefined;
  /** Started before this time. */
  to?: string | null | undefined;
};

/** What the models of a comparison generate. */
export type ComparisonKind =
  /** A response to a prompt or a conversation. */
  | 'CHAT'
  /** The similarity of two texts. */
  | 'EMBEDDINGS'
  /** Images from the prompt. */
  | 'IMAGE'
  /** The prompt as speech. */
  | 'SPEECH';

/** The status of a comparison lane. */
export type ComparisonLaneStatus =
  /** The lane was cancelled. Output received before the cancellation is stored and billed. */
  | 'CANCELLED'
  /** The response is missing or incomplete. `error` contains the reason. */
  | 'FAILED'
  /** The response is complete. */
  | 'FINISHED'
  /** The server stopped before the lane ended. Output saved before that is stored. */
  | 'INTERRUPTED'
  /** The model is generating. */
  | 'RUNNING';

/** A chat completion. */
export type CompletionInput = {
  /** An ID chosen by the client, 1 to 100 characters. The same ID resumes the completion and never runs it again. */
  clientRequestId: string | number;
  /** The conversation in the format of `POST /v1/chat/completions`. */
  messages: unknown;
  /** `provider/model`, an alias, or an unambiguous bare name. */
  model: string;
  /** Additional parameters of the request: `temperature`, `tools`, `max_completion_tokens` … */
  parameters?: unknown;
};

/** The verification link of a sign-up. */
export type ConfirmSignUpInput = {
  /** The password of the sign-up. Required in another browser than the one that signed up. */
  password?: string | null | undefined;
  /** The token in the link. */
  token: string;
};

/** A new provider connection. */
export type ConnectProviderInput = {
  /** Stored encrypted and never shown again. */
  apiKey?: string | null | undefined;
  /** Base URL with its version path: `https://llm.example.com/v1`. Must be a public internet address. */
  baseUrl?: string | null | undefined;
  /** Maximum 100 characters. Default: the provider’s name. */
  name?: string | null | undefined;
  /** Settings that are not secret. */
  options?: Array<ConnectionOptionInput> | null | undefined;
  /** The ID of one of `providers`, or any other name together with the base URL of an OpenAI-compatible server. */
  provider: string;
  /** Region in which the provider processes the requests, in lower-case letters, digits and dashes: `eu`. Null for what the address says. */
  region?: string | null | undefined;
  /** Days for which the provider retains requests and responses, for example by your contract. 0 for zero retention, null for what its documentation says. */
  retentionDays?: number | null | undefined;
  /** Whether to save the connection as inactive if the test fails. */
  saveAnyway?: boolean | null | undefined;
  /** Stored encrypted and never shown again. */
  secretOptions?: Array<ConnectionOptionInput> | null | undefined;
  /** Whether to test the connection first by listing the provider’s models. If the test fails, nothing is saved: `connection_test_failed`. */
  test?: boolean | null | undefined;
  /** Whether the provider trains models with the data of requests, for example by your contract. Null for what its documentation says. */
  trainsOnData?: boolean | null | undefined;
};

/** A provider-specific setting. */
export type ConnectionOptionInput = {
  /** Setting name in lower-case letters, digits and underscores: `region`, `project` … */
  name: string;
  /** Maximum 1,000 characters, or 20,000 for a secret. */
  value: string;
};

/** Which content of a request is stored besides its usage log. */
export type ContentLevel =
  /** The bodies of request and response after redaction. Media is stored as its type, size and hash. */
  | 'FULL'
  /** The shape of request and response without text: roles, sizes, counts, names of tools, and the type, size and hash of media. */
  | 'METADATA'
  /** Nothing. */
  | 'OFF';

/** The properties of an access token. */
export type CreateAccessTokenInput = {
  /** The key that the token acts as, with its limits, budget and models. Default: the calling key. Spending counts toward the member who creates the token. */
  apiKeyId?: string | number | null | undefined;
  /** Lifetime in seconds. Maximum 3,600, default 900. */
  expiresInSeconds?: number | null | undefined;
  /** Scopes of the token, a subset of the key’s scopes. */
  scopes: Array<KeyScope>;
};

/** A new account. */
export type CreateAccountInput = {
  /** 1 to 100 characters. */
  name: string;
  /** IANA time zone name, such as `Europe/Berlin`. Default: `UTC`. */
  timeZone?: string | null | undefined;
};

/** A new alert channel. */
export type CreateAlertChannelInput = {
  /** The addresses for `EMAIL`. Each is that of a member of the account. Maximum 10. */
  emails?: Array<string> | null | undefined;
  /** Type of the channel. */
  kind: AlertChannelKind;
  /** Name of the channel. */
  name: string;
  /** The region for `PAGERDUTY`. Default: `US`. */
  region?: PagerDutyRegion | null | undefined;
  /** The integration key for `PAGERDUTY`: 32 characters. */
  routingKey?: string | null | undefined;
  /** The URL for `WEBHOOK`, `SLACK` and `TEAMS`. It must be public. Redirects are not followed. */
  url?: string | null | undefined;
};

/** A new API key. */
export type CreateApiKeyInput = {
  /** The models that the key can use, by the names used in requests. Default: all models. */
  allowedModels?: Array<string> | null | undefined;
  /** Budget of the key. Default: none. */
  budget?: Budget | null | undefined;
  /** Default: the account’s level. */
  contentLevel?: ContentLevel | null | undefined;
  /** Whether `contentLevel` may exceed the account’s level. Only an owner can turn it on. Default: false. */
  contentMayRaise?: boolean | null | undefined;
  /** When the key expires. Default: never. */
  expiresAt?: string | null | undefined;
  /** The key’s own limits. Default: the plan’s limits. */
  limits?: KeyLimits | null | undefined;
  /** Default: true. */
  liveContent?: boolean | null | undefined;
  /** What the key’s requests get for names that they ask for. Maximum 50. Default: none. */
  modelAliases?: Array<ModelAliasInput> | null | undefined;
  /** Moderation of chats with this key. */
  moderation?: ModerationInput | null | undefined;
  /** 1 to 100 characters. */
  name: string;
  /** Maximum 30 days. Default: responses are not cached. */
  responseCacheSeconds?: number | null | undefined;
  /** The role of a key with the scope `MANAGE`. Cannot exceed the creator’s role. Default: `DEVELOPER`. */
  role?: Role | null | undefined;
  /** Whether to save model names that the provider does not list, such as new and fine-tuned models. Default: false. */
  saveAnyway?: boolean | null | undefined;
  /** Default: `INFERENCE`. */
  scopes?: Array<KeyScope> | null | undefined;
};

/** The dataset and the models. */
export type CreateDatasetRunInput = {
  /** The dataset. Its items may change afterwards; those of the run do not. */
  datasetId: string | number;
  /** The model of the scorer `JUDGE`, which need not be listed in `scorers` then. */
  judge?: DatasetRunJudgeInput | null | undefined;
  /** Max tokens of each output. Default: that of each item. */
  maxTokens?: number | null | undefined;
  /** Up to 8 distinct models of text generation: `provider/model`, an alias, a route, or an unambiguous bare name. */
  models: Array<string>;
  /** Display name. Maximum 200 characters. Default: the models. */
  name?: string | null | undefined;
  /** How outputs are scored. */
  scorers?: Array<DatasetScorer>;
  /** From 0 to 2. Default: that of each item. */
  temperature?: number | null | undefined;
};

/** A new saved view. */
export type CreateSavedViewInput = {
  /** Whether all members of the account see it. Requires the permission `saved_views.share`. Default: false. */
  isShared?: boolean | null | undefined;
  /** Name of the view: 1 to 100 characters. */
  name: string;
  /** The page. */
  page: SavedViewPage;
  /** The query of the page’s URL: `?by=key`. Empty for none. Maximum 2,000 characters. */
  search: string;
};

/** A new webhook. */
export type CreateWebhookInput = {
  /** Filters the items. Default: all items. */
  events?: Array<WebhookEvent> | null | undefined;
  /** A public URL. `https:` is recommended. Redirects are not followed. */
  url: string;
};

/** The scores that a judge gives. */
export type DatasetJudgeScale =
  /** 1 for an output that meets the rubric, otherwise 0. */
  | 'PASS_FAIL'
  /** Any number from 0 to 1. */
  | 'ZERO_TO_ONE';

/** A model that scores each output by a rubric. Its requests count toward the same limits and budgets as those of the models. */
export type DatasetRunJudgeInput = {
  /** A model of text generation, best one that supports structured output. */
  model: string;
  /** What a good output is. Maximum 4,000 characters. Default: it does what the input asks for, and means the same as the expected output, if there is one. */
  rubric?: string | null | undefined;
  /** The scores that it gives. Default: `ZERO_TO_ONE`. */
  scale?: DatasetJudgeScale | null | undefined;
};

/** The status of one request of a dataset run. */
export type DatasetRunOutputStatus =
  /** The run ended before it started. */
  | 'CANCELLED'
  /** It has an output. */
  | 'COMPLETED'
  /** `errorCode` and `errorMessage` say why it failed. */
  | 'FAILED'
  /** It has not ended. */
  | 'PENDING';

/** The status of a dataset run. */
export type DatasetRunStatus =
  /** It was cancelled before every request had run. */
  | 'CANCELLED'
  /** No more requests start; those that are running end. */
  | 'CANCELLING'
  /** Every request has ended. Some may have failed. */
  | 'COMPLETED'
  /** `failureReason` says why it ended before every request had run. */
  | 'FAILED'
  /** No request has started. */
  | 'QUEUED'
  /** Requests are running. */
  | 'RUNNING';

/** How outputs are scored. The expected output is that of the item. */
export type DatasetScorer =
  /** The expected text occurs in the text, apart from whitespace. */
  | 'CONTAINS'
  /** The text is the expected one, apart from whitespace. */
  | 'EXACT_MATCH'
  /** The text is JSON of the same value as the expected one. */
  | 'JSON_MATCH'
  /** The text is JSON. */
  | 'JSON_VALID'
  /** A model scores the output by a rubric. */
  | 'JUDGE'
  /** It calls the same functions with the same arguments, in any order. */
  | 'TOOL_CALLS_MATCH';

/** The account to delete. */
export type DeleteAccountInput = {
  /** The account’s name, as confirmation. */
  confirmName: string;
};

/** What feedback is grouped by. */
export type FeedbackDimension =
  /** The API key of the request. */
  | 'KEY'
  /** The model that served the request. */
  | 'MODEL'
  /** The model or route in the request. */
  | 'ROUTE';

/** Matches feedback for which all conditions hold: any feedback if there are none. */
export type FeedbackFilter = {
  /** The value is above this. Booleans count 0 and 1. */
  above?: number | null | undefined;
  /** The value is below this. Booleans count 0 and 1. */
  below?: number | null | undefined;
  /** The category, exact match. */
  category?: string | null | undefined;
  /** The value is this. Booleans count 0 and 1. */
  equals?: number | null | undefined;
  /** Name of the feedback, exact match. */
  name?: string | null | undefined;
};

/** Feedback on a request or a session, which replaces that of the same name by the same key or user. Give one of `boolean`, `number` and `category`. */
export type FeedbackInput = {
  /** Good or bad. */
  boolean?: boolean | null | undefined;
  /** A category of up to 256 characters. */
  category?: string | null | undefined;
  /** A comment of up to 4,096 bytes. */
  comment?: string | null | undefined;
  /** What is judged. Default: `feedback`. */
  name?: string | null | undefined;
  /** A score. */
  number?: number | null | undefined;
  /** The `requestId` of a request. Either this or `sessionId`. */
  requestId?: string | null | undefined;
  /** The `sessionId` of a session. Either this or `requestId`. */
  sessionId?: string | null | undefined;
};

/** What a file is for. */
export type FilePurpose =
  /** Input of assistants. */
  | 'ASSISTANTS'
  /** The requests of a batch. */
  | 'BATCH'
  /** The results of a batch. */
  | 'BATCH_OUTPUT'
  /** Data of evaluations. */
  | 'EVALS'
  /** Training data. */
  | 'FINE_TUNE'
  /** Any content that requests name. */
  | 'USER_DATA'
  /** An image that requests name. */
  | 'VISION';

/** The two-factor code for a sign-in through an identity provider. */
export type FinishSignInInput = {
  /** A code of the authenticator app, or a recovery code. */
  totp: string;
};

/** A calendar interval in the account’s time zone. */
export type Interval =
  /** One day, starting at midnight. */
  | 'DAY'
  /** One hour, starting at minute 0. */
  | 'HOUR'
  /** One month, starting on its first day. */
  | 'MONTH'
  /** One week, starting on Monday. */
  | 'WEEK';

/** The recipient and the role of an invitation. */
export type InviteMemberInput = {
  /** The recipient’s e-mail address. */
  email: string;
  /** The new member’s role. Cannot exceed the inviter’s role. */
  role: Role;
};

/** The type of an invoice line. */
export type InvoiceLineKind =
  /** Usage that the plan includes. */
  | 'ALLOWANCE'
  /** Wallet balance used. Positive if credit is carried over. */
  | 'CREDIT'
  /** Requests of earlier periods that were stored after their invoice was created. */
  | 'LATE_USAGE'
  /** The plan’s fee for the period. */
  | 'PLAN'
  /** Prorated fees after a change of plan. Negative for a credit. */
  | 'PRORATION'
  /** Rounding of the exact sum to whole cents. */
  | 'ROUNDING'
  /** Requests that started in the period. */
  | 'USAGE';

/** The status of an invoice. */
export type InvoiceStatus =
  /** Awaiting payment. */
  | 'OPEN'
  /** Paid, or nothing was due. */
  | 'PAID'
  /** Cancelled. No payment is due. */
  | 'VOID';

/** An API key’s own limits. An absent limit uses the default. */
export type KeyLimits = {
  /** Concurrent requests. */
  concurrency?: number | null | undefined;
  /** Additional limits per capability. */
  perCapability?: Array<CapabilityLimits> | null | undefined;
  /** Additional limits per model. Maximum 50. */
  perModel?: Array<ModelLimits> | null | undefined;
  /** Requests per day. */
  requestsPerDay?: number | null | undefined;
  /** Requests per minute. */
  requestsPerMinute?: number | null | undefined;
  /** Input and output tokens per minute. */
  tokensPerMinute?: number | null | undefined;
};

/** What an API key grants access to. */
export type KeyScope =
  /** Inference through REST and GraphQL. */
  | 'INFERENCE'
  /** Changes what the key’s role permits, through GraphQL. */
  | 'MANAGE'
  /** Reads usage, models and the account through GraphQL. */
  | 'READ';

/** Credentials for linking another identity. */
export type LinkIdentityInput = {
  /** A code of the authenticator app or a recovery code. Required if two-factor authentication is enabled. */
  code?: string | null | undefined;
  /** The current password. A user without a password must have signed in within the last 10 minutes. */
  password?: string | null | undefined;
  /** ID of an identity provider. */
  provider: string | number;
};

/** What is stored of the content of a request. */
export type LoggedContentLevel =
  /** The redacted bodies of request and response. */
  | 'FULL'
  /** Its shape: roles, sizes, counts, names of tools, and media by reference. */
  | 'METADATA';

/** What became of the content of a request. */
export type LoggedContentState =
  /** A person deleted it. */
  | 'DELETED'
  /** It was not stored, because the store was too slow or failed. */
  | 'DROPPED'
  /** Its retention ended. */
  | 'EXPIRED'
  /** It was to be logged, and the server was killed before it was stored, or could not write to its disk that it was dropped. */
  | 'LOST'
  /** It was not logged: content logging was off for this request. */
  | 'NOT_LOGGED'
  /** It is being stored. Read it again in a few seconds. */
  | 'PENDING'
  /** It can be read. */
  | 'STORED'
  /** Its file is missing, or the secret of the server changed. */
  | 'UNREADABLE';

/** What the requests of a key get for a name that they ask for. */
export type ModelAliasInput = {
  /** A model (`provider/model`, or a bare name), a route, or an alias of the server. */
  model: string;
  /** A name, or a pattern with one `*` at its end: `claude-*`. 1 to 256 characters. */
  name: string;
};

/** Filters models. All conditions must match. */
export type ModelFilter = {
  /** Supports each of these capabilities. Maximum 16. */
  capabilities?: Array<string> | null | undefined;
  /** Such as `chat` or `tools`. */
  capability?: string | null | undefined;
  /** True for models that their provider retires, false for all others. */
  deprecated?: boolean | null | undefined;
  /** Accepts this modality: `text`, `image`, `audio`, `video`, `file`. */
  inputModality?: string | null | undefined;
  /** Text input costs at most this much, in USD per 1,000,000 tokens. Excludes models with prices per other units only, and models without a known price. Models that are not billed match. */
  maxInputPrice?: string | null | undefined;
  /** The same for text output. */
  maxOutputPrice?: string | null | undefined;
  /** The provider retains requests and responses for at most this number of days; 0 for zero retention. Models of an unknown policy do not match. */
  maxRetentionDays?: number | null | undefined;
  /** The context window has at least this number of tokens. */
  minContextWindow?: number | null | undefined;
  /** Returns this modality: `text`, `image`, `audio`, `video` … */
  outputModality?: string | null | undefined;
  /** The prefix of the model’s name. */
  provider?: string | null | undefined;
  /** Served by an endpoint in this region: one of `modelRegions`. Models of unknown regions do not match. */
  region?: string | null | undefined;
  /** Matches models whose ID or name contains each of the words of this text, ignoring case. */
  search?: string | null | undefined;
  /** Whether the provider trains models with the data of requests. Models of an unknown policy match neither value. */
  trainsOnData?: boolean | null | undefined;
};

/** Limits of a key for requests whose first target is this model. At least one limit is required. */
export type ModelLimits = {
  /** Concurrent requests. */
  concurrency?: number | null | undefined;
  /** A model as used in requests (`provider/model` or the bare name), or a route. */
  model: string;
  /** Requests per day. */
  requestsPerDay?: number | null | undefined;
  /** Requests per minute. */
  requestsPerMinute?: number | null | undefined;
  /** Input and output tokens per minute. */
  tokensPerMinute?: number | null | undefined;
};

/** The sort order of models. */
export type ModelOrder =
  /** Largest context window first. */
  | 'CONTEXT_WINDOW'
  /** By ID. */
  | 'ID'
  /** Lowest price of text input first. Models without a price per token are last. */
  | 'INPUT_PRICE'
  /** Latest release first. */
  | 'NEWEST'
  /** Lowest price of text output first. Models without a price per token are last. */
  | 'OUTPUT_PRICE';

/** Additional parameters for one model, such as its voice. */
export type ModelParametersInput = {
  /** A model of the comparison, by its requested name. */
  model: string;
  /** Override the common `parameters`. */
  parameters: unknown;
};

/** What happens to flagged content. */
export type ModerationAction =
  /** Flagged content passes, and the response contains the moderation results. */
  | 'ANNOTATE'
  /** Flagged content is blocked. All content is blocked while the moderation model is unavailable. */
  | 'BLOCK';

/** Which part of a chat is moderated. */
export type ModerationCheck =
  /** The user’s input, before it is sent to the provider. */
  | 'INPUT'
  /** The model’s output, before it is returned. */
  | 'OUTPUT';

/** Moderation of chats by a moderation model. */
export type ModerationInput = {
  /** What happens to flagged content. */
  action: ModerationAction;
  /** Default: both. */
  check?: Array<ModerationCheck> | null | undefined;
  /** The name used in requests. */
  model: string;
};

/** What put the targets of a request in order. */
export type OrderedBy =
  /** The conversation, whose prompt the first target has in its cache. */
  | 'CONVERSATION'
  /** The measured time to the first token, the shortest first. */
  | 'LATENCY'
  /** The order of the route. */
  | 'LISTED'
  /** The estimated cost of the request, the cheapest first. */
  | 'PRICE'
  /** The end user, who stays at one target. */
  | 'STICKY'
  /** The measured tokens per second, the most first. */
  | 'THROUGHPUT'
  /** Chance, by the weights of the route. */
  | 'WEIGHTED';

/** The service region of a PagerDuty account. */
export type PagerDutyRegion =
  /** `events.eu.pagerduty.com` */
  | 'EU'
  /** `events.pagerduty.com` */
  | 'US';

/** What happens to a parameter that a provider does not support. */
export type ParameterPolicy =
  /** The parameter is dropped and listed in `x-sluice-dropped-params`. */
  | 'DROP'
  /** The request is rejected, and the error names the parameter. */
  | 'STRICT';

/** What happens to usage that exceeds the allowance and the balance. */
export type PlanOverage =
  /** The usage is billed on the next invoice. */
  | 'BILL'
  /** Requests are rejected until the next period, a top-up or a change of plan. */
  | 'REFUSE';

/** The billing period of a plan. */
export type PlanPeriod =
  /** A calendar month in the account’s time zone. */
  | 'MONTH'
  /** 30 days, counted from the creation of the account. */
  | 'THIRTY_DAYS';

/** A built-in detector of redaction. What it finds is replaced by its name, such as `[redacted:email]`. */
export type RedactionDetector =
  /** Payment card numbers with a right check digit. */
  | 'CARD'
  /** E-mail addresses. */
  | 'EMAIL'
  /** International bank account numbers with a right checksum. */
  | 'IBAN'
  /** IPv4 and IPv6 addresses. */
  | 'IP'
  /** Telephone numbers in international and common national forms. */
  | 'PHONE'
  /** API keys, tokens, private keys and passwords. */
  | 'SECRET';

/** What is replaced in content before it is stored. */
export type RedactionInput = {
  /** Up to 20 expressions. Default: none. */
  customPatterns?: Array<RedactionPatternInput> | null | undefined;
  /** The built-in detectors to use. Empty for none. */
  detectors: Array<RedactionDetector>;
};

/** An expression of the account. */
export type RedactionPatternInput = {
  /** 1 to 40 lower-case letters, digits and hyphens, unique, and different from the names of detectors. */
  name: string;
  /** Regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), up to 256 characters. It must not match empty text. */
  pattern: string;
};

/** The outcome of a request. */
export type RequestStatus =
  /** The client disconnected. */
  | 'ABORTED'
  /** No provider responded, or the response was interrupted. */
  | 'FAILED'
  /** The server stopped during the request. The usage is estimated. */
  | 'INTERRUPTED'
  /** The request was rejected before it was sent to a provider: because of its key, limits, model or body. */
  | 'REJECTED'
  /** The client received the complete response. */
  | 'SUCCEEDED';

/** A new password with the token in a reset link. */
export type ResetPasswordInput = {
  /** The new password. 8 to 256 characters. */
  password: string;
  /** The token in the link. */
  token: string;
  /** A code of the authenticator app or a recovery code. Required if two-factor authentication is enabled. */
  totp?: string | null | undefined;
};

/** What a user, or an API key with the scope `MANAGE`, can do in an account. `permissions` lists the details. */
export type Role =
  /** Manages members, API keys, provider connections, routes, webhooks and budgets, and reads the audit log. */
  | 'ADMIN'
  /** Manages budgets and reads costs. */
  | 'BILLING'
  /** Manages API keys and runs completions. */
  | 'DEVELOPER'
  /** Full access, including the plan and the deletion of the account. */
  | 'OWNER'
  /** Read-only access. */
  | 'VIEWER';

/** The key whose secret is replaced, and how long the previous secret stays valid. */
export type RotateApiKeyInput = {
  /** ID of an `ApiKey`. */
  id: string | number;
  /** How long the previous secret stays valid, in seconds. 0 ends it immediately. Maximum 2,592,000 (30 days), default 86,400 (one day). Secrets of earlier rotations become invalid immediately. */
  overlapSeconds?: number | null | undefined;
};

/** Properties of a request. Absent properties use defaults. */
export type RoutePreviewInput = {
  /** The end user ID, used for sticky routing. */
  endUser?: string | null | undefined;
  /** Input tokens. Default 1,000. */
  inputTokens?: number | null | undefined;
  /** Output tokens. Default 500. */
  outputTokens?: number | null | undefined;
};

/** A target of a route. */
export type RouteTargetInput = {
  /** An available model: `provider/model`, or a bare name. Cannot be another route. */
  model: string;
  /** Weight from 0 to 1,000,000. Default 1. */
  weight?: number | null | undefined;
};

/** Timeouts for the provider’s response, in seconds. Maximum one day. */
export type RouteTimeoutsInput = {
  /** Until the headers of a response that is not streamed. */
  answerSeconds?: number | null | undefined;
  /** Between two chunks of a streamed response. */
  betweenChunksSeconds?: number | null | undefined;
  /** Until the connection is established. */
  connectSeconds?: number | null | undefined;
  /** Until the first token of a streamed response. */
  firstTokenSeconds?: number | null | undefined;
  /** Until the headers of a streamed response. */
  headersSeconds?: number | null | undefined;
};

/** A complete route. It replaces the route with the same name. For absent settings, the server’s settings apply. */
export type SaveRouteInput = {
  /** Who runs requests of batches. */
  batches?: BatchMode | null | undefined;
  /** How long responses are cached for identical requests, in seconds. Maximum one day. */
  cacheSeconds?: number | null | undefined;
  /** The target for requests whose input is too long for the other targets. */
  larger?: string | null | undefined;
  /** Moderation of chats, in addition to the server’s moderation. */
  moderation?: ModerationInput | null | undefined;
  /** The `model` in requests. 1 to 256 characters. */
  name: string;
  /** Which target is tried first. */
  order?: TargetOrder | null | undefined;
  /** What happens to a parameter that a provider does not support. */
  parameters?: ParameterPolicy | null | undefined;
  /** Number of retries if the route has a single target: 0 to 10. */
  retries?: number | null | undefined;
  /** Whether to save model names that the provider does not list, such as new and fine-tuned models. Default: false. */
  saveAnyway?: boolean | null | undefined;
  /** Whether requests of the same end user use the same target. */
  sticky?: boolean | null | undefined;
  /** 1 to 64 targets. */
  targets: Array<RouteTargetInput>;
  /** Timeouts for the provider’s response. */
  timeouts?: RouteTimeoutsInput | null | undefined;
};

/** A page of the dashboard with saved views. */
export type SavedViewPage =
  /** Analytics. */
  | 'ANALYTICS'
  /** Usage Logs. */
  | 'USAGE_LOGS';

/** Credentials. */
export type SignInInput = {
  /** The e-mail address, case-insensitive. */
  email: string;
  /** The password. */
  password: string;
  /** A code of the authenticator app or a recovery code. Required if two-factor authentication is enabled. */
  totp?: string | null | undefined;
};

/** A new user. Without an invitation, an account is created for them. */
export type SignUpInput = {
  /** The e-mail address to sign in with. */
  email: string;
  /** The token of an invitation. The user joins its account instead of getting a new one. */
  invitation?: string | null | undefined;
  /** Display name, 1 to 100 characters. */
  name: string;
  /** 8 to 256 characters. */
  password: string;
};

/** Who can sign up. */
export type SignUpPolicy =
  /** Only invited users. */
  | 'INVITE'
  /** Nobody. */
  | 'OFF'
  /** Everyone. */
  | 'OPEN';

/** Why a target was skipped. */
export type SkipReason =
  /** It failed or was limited recently: targets without recent failures go first. */
  | 'COOLING_DOWN'
  /** The API key or the plan may not use it, or its price is not known. */
  | 'NOT_ALLOWED';

/** What an account must do before its requests can use the operator’s provider credentials. Its own provider connections and the sandbox models are not restricted. */
export type SpendingRestriction =
  /** The operator of this server must approve the account. */
  | 'APPROVAL'
  /** An owner must verify their e-mail address. */
  | 'VERIFICATION';

/** The request and the models. */
export type StartComparisonInput = {
  /** What the models generate. */
  kind?: ComparisonKind;
  /** A conversation in the format of `POST /v1/chat/completions`. */
  messages?: unknown;
  /** Additional parameters for single models. */
  modelParameters?: Array<ModelParametersInput> | null | undefined;
  /** Up to 8 distinct models: `provider/model`, an alias, a route, or an unambiguous bare name. */
  models: Array<string>;
  /** Display name. Maximum 200 characters. */
  name?: string | null | undefined;
  /** Additional parameters of each request: `temperature`, `max_completion_tokens`, `size`, `voice` … */
  parameters?: unknown;
  /** The prompt of a chat or an image, or the text to speak. A chat requires either `prompt` or `messages`. */
  prompt?: string | null | undefined;
  /** For embeddings: the two texts to compare. */
  texts?: Array<string> | null | undefined;
};

/** The order in which the targets of a route are tried. */
export type TargetOrder =
  /** The shortest measured time to first token first. */
  | 'LATENCY'
  /** In the listed order. */
  | 'LISTED'
  /** The cheapest for the request first. */
  | 'PRICE'
  /** The highest measured throughput first, in tokens per second. */
  | 'THROUGHPUT'
  /** Random, by weight. */
  | 'WEIGHTED';

/** A protocol of text generation. */
export type TextProtocol =
  /** OpenAI’s Chat Completions, and completions of the dashboard. */
  | 'CHAT_COMPLETIONS'
  /** OpenAI’s legacy Completions. */
  | 'COMPLETIONS'
  /** Google’s Gemini API. */
  | 'GEMINI'
  /** Anthropic’s Messages. */
  | 'MESSAGES'
  /** OpenAI’s Responses. */
  | 'RESPONSES';

/** Credentials for a change of two-factor authentication. */
export type TotpConfirmationInput = {
  /** A code of the authenticator app, or a recovery code. */
  code: string;
  /** The current password. */
  password: string;
};

/** The new owner. */
export type TransferOwnershipInput = {
  /** A member of the account. */
  memberId: string | number;
};

/** Changes to the account. An absent field does not change. */
export type UpdateAccountInput = {
  /** Display name, 1 to 100 characters. */
  name?: string | null | undefined;
  /** IANA time zone name, such as `Europe/Berlin`. Days and months start at midnight in this time zone. */
  timeZone?: string | null | undefined;
  /** Whether to turn on zero data retention: request content is not stored after the request completes. Content stored earlier is retained until it is deleted. */
  zeroRetention?: boolean | null | undefined;
};

/** Changes of an alert channel. Absent and null fields are unchanged. Its type cannot change. */
export type UpdateAlertChannelInput = {
  /** The addresses for `EMAIL`. Each is that of a member of the account. Maximum 10. */
  emails?: Array<string> | null | undefined;
  /** Name of the channel. */
  name?: string | null | undefined;
  /** The region for `PAGERDUTY`. */
  region?: PagerDutyRegion | null | undefined;
  /** Whether a `WEBHOOK` gets a new signing secret. The previous one is invalid at once. */
  rotateSecret?: boolean | null | undefined;
  /** The integration key for `PAGERDUTY`: 32 characters. */
  routingKey?: string | null | undefined;
  /** The URL for `WEBHOOK`, `SLACK` and `TEAMS`. It must be public. Redirects are not followed. */
  url?: string | null | undefined;
};

/** Changes to an API key. An absent field does not change; null clears it. */
export type UpdateApiKeyInput = {
  /** The models that the key can use. Null allows all. */
  allowedModels?: Array<string> | null | undefined;
  /** Budget of the key. Null removes it. */
  budget?: Budget | null | undefined;
  /** Which content of the key’s requests is stored. Null for the account’s level. */
  contentLevel?: ContentLevel | null | undefined;
  /** Whether `contentLevel` may exceed the account’s level. Only an owner can turn it on. */
  contentMayRaise?: boolean | null | undefined;
  /** When the key expires. Null for never. */
  expiresAt?: string | null | undefined;
  /** ID of an `ApiKey`. */
  id: string | number;
  /** Replaces all limits of the key. */
  limits?: KeyLimits | null | undefined;
  /** Whether `liveCompletions` includes the content of the key’s completions. */
  liveContent?: boolean | null | undefined;
  /** Replaces all aliases of the key. Maximum 50. */
  modelAliases?: Array<ModelAliasInput> | null | undefined;
  /** Moderation of chats with this key. */
  moderation?: ModerationInput | null | undefined;
  /** 1 to 100 characters. */
  name?: string | null | undefined;
  /** Maximum 30 days. Null disables caching. */
  responseCacheSeconds?: number | null | undefined;
  /** Whether to save model names that the provider does not list, such as new and fine-tuned models. Default: false. */
  saveAnyway?: boolean | null | undefined;
};

/** Changes to a connection. An absent field does not change; null clears it. A change of the base URL or the options requires the credentials again, and removes the stated region and data policy unless they are in the same change. */
export type UpdateConnectionInput = {
  /** Whether requests use the connection. */
  active?: boolean | null | undefined;
  /** Stored encrypted and never shown again. */
  apiKey?: string | null | undefined;
  /** Must be a public internet address. */
  baseUrl?: string | null | undefined;
  /** ID of a `ProviderCredential`. */
  id: string | number;
  /** Maximum 100 characters. */
  name?: string | null | undefined;
  /** Replaces all existing values. */
  options?: Array<ConnectionOptionInput> | null | undefined;
  /** Region in which the provider processes the requests, in lower-case letters, digits and dashes: `eu`. Null for what the address says. */
  region?: string | null | undefined;
  /** Days for which the provider retains requests and responses, for example by your contract. 0 for zero retention, null for what its documentation says. */
  retentionDays?: number | null | undefined;
  /** Replaces all existing values. */
  secretOptions?: Array<ConnectionOptionInput> | null | undefined;
  /** Whether to test the changed connection first. If the test fails, nothing is saved: `connection_test_failed`. */
  test?: boolean | null | undefined;
  /** Whether the provider trains models with the data of requests, for example by your contract. Null for what its documentation says. */
  trainsOnData?: boolean | null | undefined;
};

/** Changes to the content logging of the account. An absent field does not change. */
export type UpdateContentLoggingInput = {
  /** Null for the default of this server. */
  level?: ContentLevel | null | undefined;
  /** Replaces all rules of redaction. */
  redaction?: RedactionInput | null | undefined;
  /** 1 to 3,650. Applies to content that is already stored as well. */
  retentionDays?: number | null | undefined;
  /** Whether to store the words of redacted prompts and answers for search, unencrypted. Applies to requests that begin afterwards. False, and the level `OFF`, delete what was stored for it at once. */
  search?: boolean | null | undefined;
};

/** Changes to the viewer’s profile. */
export type UpdateProfileInput = {
  /** Display name, 1 to 100 characters. */
  name: string;
};

/** Changes of a saved view. Absent fields stay as they are. */
export type UpdateSavedViewInput = {
  /** Whether all members of the account see it. Only the user who created it can change this. */
  isShared?: boolean | null | undefined;
  /** Name of the view: 1 to 100 characters. */
  name?: string | null | undefined;
  /** The query of the page’s URL. Maximum 2,000 characters. */
  search?: string | null | undefined;
};

/** A dimension that usage can be grouped by. */
export type UsageDimension =
  /** The capability of the request. */
  | 'CAPABILITY'
  /** Same as the interval DAY. */
  | 'DAY'
  /** The end user ID that the client sent; null for requests without one. Computed from the request log, as with the filter `endUser`. */
  | 'END_USER'
  /** The error code; null for requests without an error. Computed from the request log, as with the filter `status`. */
  | 'ERROR'
  /** Same as the interval HOUR. */
  | 'HOUR'
  /** The API key. */
  | 'KEY'
  /** The user who owns the API key. */
  | 'MEMBER'
  /** The model that served the request. */
  | 'MODEL'
  /** The provider that served the request. */
  | 'PROVIDER'
  /** The tag. A request counts once for each of its tags, and not at all without a tag. */
  | 'TAG';

/** Filters requests. All conditions must match, as in `UsageLogFilter`. With `status`, `isError`, `errorCode`, `endUser`, `tag`, `sessionId`, `traceId`, `feedback`, `text` or `requestId`, totals are computed from the request log: the query takes longer, and its range is limited by the retention of the log. */
export type UsageFilter = {
  /** ID of an `ApiKey`. */
  apiKeyId?: string | number | null | undefined;
  /** `chat`, `embeddings`, `images` … */
  capability?: string | null | undefined;
  /** The end user ID that the client sent, exact match. */
  endUser?: string | null | undefined;
  /** The error code from the error catalogue, exact match. */
  errorCode?: string | null | undefined;
  /** Only requests with feedback that matches. */
  feedback?: FeedbackFilter | null | undefined;
  /** Whether the request failed, was interrupted or was rejected. */
  isError?: boolean | null | undefined;
  /** ID of a `User`: only requests with API keys that the user owned at the time. */
  memberId?: string | number | null | undefined;
  /** `provider/model`, exact match. */
  model?: string | null | undefined;
  /** Matches requests whose model name contains this text, ignoring case: `gpt`. */
  modelContains?: string | null | undefined;
  /** The prefix of the model’s name. */
  provider?: string | null | undefined;
  /** The `x-request-id` of a response. */
  requestId?: string | null | undefined;
  /** The session that the client named, exact match. */
  sessionId?: string | null | undefined;
  /** Outcome of the request. */
  status?: RequestStatus | null | undefined;
  /** A tag of the request. */
  tag?: UsageTagFilter | null | undefined;
  /** Only requests with a tag of this name, grouped by no other tag. */
  tagName?: string | null | undefined;
  /** Only requests whose logged content has these words, where the account’s content logging has `search`. All must occur; `"…"` finds a phrase, `or` either, `-` excludes. Up to 256 characters. Requires the permission `logged_content.read`. */
  text?: string | null | undefined;
  /** The trace ID of W3C Trace Context, exact match. */
  traceId?: string | null | undefined;
};

/** Filters requests. All conditions must match. */
export type UsageLogFilter = {
  /** ID of an `ApiKey`. */
  apiKeyId?: string | number | null | undefined;
  /** `chat`, `embeddings`, `images` … */
  capability?: string | null | undefined;
  /** The end user ID that the client sent, exact match. */
  endUser?: string | null | undefined;
  /** The error code from the error catalogue, exact match. */
  errorCode?: string | null | undefined;
  /** Only requests with feedback that matches. */
  feedback?: FeedbackFilter | null | undefined;
  /** Start, inclusive. */
  from?: string | null | undefined;
  /** Whether the request failed, was interrupted or was rejected. */
  isError?: boolean | null | undefined;
  /** ID of a `User`: only requests with API keys that the user owned at the time. */
  memberId?: string | number | null | undefined;
  /** `provider/model`, exact match. */
  model?: string | null | undefined;
  /** Matches requests whose model name contains this text, ignoring case: `gpt`. */
  modelContains?: string | null | undefined;
  /** The prefix of the model’s name. */
  provider?: string | null | undefined;
  /** The `x-request-id` of a response. */
  requestId?: string | null | undefined;
  /** The session that the client named, exact match. */
  sessionId?: string | null | undefined;
  /** Outcome of the request. */
  status?: RequestStatus | null | undefined;
  /** A tag of the request. */
  tag?: UsageTagFilter | null | undefined;
  /** Only requests whose logged content has these words, where the account’s content logging has `search`. All must occur; `"…"` finds a phrase, `or` either, `-` excludes. Up to 256 characters. Requires the permission `logged_content.read`. */
  text?: string | null | undefined;
  /** End, exclusive. */
  to?: string | null | undefined;
  /** The trace ID of W3C Trace Context, exact match. */
  traceId?: string | null | undefined;
};

/** The sort order of requests. Time sorts all requests; every other order sorts the latest 10,000 that match the filter. */
export type UsageLogOrder =
  /** Lowest cost first. */
  | 'COST_ASC'
  /** Highest cost first. */
  | 'COST_DESC'
  /** Shortest duration first. */
  | 'DURATION_ASC'
  /** Longest duration first. */
  | 'DURATION_DESC'
  /** Oldest first. */
  | 'TIME_ASC'
  /** Newest first. */
  | 'TIME_DESC'
  /** Fewest input and output tokens first. */
  | 'TOKENS_ASC'
  /** Most input and output tokens first. */
  | 'TOKENS_DESC';

/** A time range. Includes `from`, excludes `to`, and is widened to whole quarters of an hour. */
export type UsageRange = {
  /** Start, inclusive. */
  from: string;
  /** End, exclusive. */
  to: string;
};

/** Matches a tag by its name and, if given, its value. */
export type UsageTagFilter = {
  /** Tag name, exact match. */
  name: string;
  /** Tag value, exact match. Default: any value. */
  value?: string | null | undefined;
};

/** The status of a video. */
export type VideoStatus =
  /** The content is available at `GET /v1/videos/{videoId}/content`. */
  | 'COMPLETED'
  /** The generation failed or timed out. Nothing is billed. */
  | 'FAILED'
  /** The provider is generating the video. */
  | 'IN_PROGRESS'
  /** The provider has accepted the job but not started it. */
  | 'QUEUED';

/** The type of a webhook event. */
export type WebhookEvent =
  /** `api_key.expiring`: an API key expires within 7 days, or within 1 day. Each is sent once. */
  | 'API_KEY_EXPIRING'
  /** `budget.alert`: a budget reached one of its thresholds. Sent once per threshold and period. */
  | 'BUDGET_ALERT'
  /** `video.completed`: the content of a video is available. */
  | 'VIDEO_COMPLETED'
  /** `video.failed`: the generation of a video failed or timed out. Nothing is billed. */
  | 'VIDEO_FAILED';

export type MemberNamesQueryVariables = Exact<{
  users: Array<string | number> | string | number;
}>;


export type MemberNamesQuery = { account: { id: string, members: { nodes: Array<{ id: string, user: { id: string, name: string, email: string } }> } } };

export type AlertRulePartsFragment = { id: string, name: string, kind: AlertKind, threshold: number, resolveThreshold: number, minimum: number, windowMinutes: number, percentile: number, measure: AlertMeasure, channelIds: Array<string>, mutedUntil: string | null, enabled: boolean, createdAt: string, filter: { model: string | null, provider: string | null, apiKeyId: string | null, capability: string | null, tag: { name: string, value: string } | null }, states: Array<{ subject: string, firing: boolean, value: number | null, evaluatedAt: string, changedAt: string }> };

export type AlertChannelPartsFragment = { id: string, name: string, kind: AlertChannelKind, hint: string, emails: Array<string>, createdAt: string };

export type AlertPartsFragment = { id: string, ruleId: string | null, ruleName: string, kind: AlertKind | null, transition: AlertTransition, subject: string, value: number | null, threshold: number | null, summary: string, path: string, createdAt: string, deliveries: Array<{ channelName: string, channelKind: AlertChannelKind, email: string | null, status: AlertDeliveryStatus, attempts: number, lastStatus: number | null, lastFailure: string | null, deliveredAt: string | null }> };

export type AlertSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type AlertSettingsQuery = { alertRules: Array<{ id: string, name: string, kind: AlertKind, threshold: number, resolveThreshold: number, minimum: number, windowMinutes: number, percentile: number, measure: AlertMeasure, channelIds: Array<string>, mutedUntil: string | null, enabled: boolean, createdAt: string, filter: { model: string | null, provider: string | null, apiKeyId: string | null, capability: string | null, tag: { name: string, value: string } | null }, states: Array<{ subject: string, firing: boolean, value: number | null, evaluatedAt: string, changedAt: string }> }>, alertChannels: Array<{ id: string, name: string, kind: AlertChannelKind, hint: string, emails: Array<string>, createdAt: string }> };

export type AlertHistoryQueryVariables = Exact<{
  ruleId?: string | number | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AlertHistoryQuery = { alerts: { nodes: Array<{ id: string, ruleId: string | null, ruleName: string, kind: AlertKind | null, transition: AlertTransition, subject: string, value: number | null, threshold: number | null, summary: string, path: string, createdAt: string, deliveries: Array<{ channelName: string, channelKind: AlertChannelKind, email: string | null, status: AlertDeliveryStatus, attempts: number, lastStatus: number | null, lastFailure: string | null, deliveredAt: string | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type AlertPreviewQueryVariables = Exact<{
  condition: AlertConditionInput;
}>;


export type AlertPreviewQuery = { alertPreview: Array<{ subject: string, value: number | null, fires: boolean }> };

export type AlertKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type AlertKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string }> } };

export type CreateAlertRuleMutationVariables = Exact<{
  input: AlertRuleInput;
}>;


export type CreateAlertRuleMutation = { createAlertRule: { id: string, name: string, kind: AlertKind, threshold: number, resolveThreshold: number, minimum: number, windowMinutes: number, percentile: number, measure: AlertMeasure, channelIds: Array<string>, mutedUntil: string | null, enabled: boolean, createdAt: string, filter: { model: string | null, provider: string | null, apiKeyId: string | null, capability: string | null, tag: { name: string, value: string } | null }, states: Array<{ subject: string, firing: boolean, value: number | null, evaluatedAt: string, changedAt: string }> } };

export type UpdateAlertRuleMutationVariables = Exact<{
  id: string | number;
  input: AlertRuleInput;
}>;


export type UpdateAlertRuleMutation = { updateAlertRule: { id: string, name: string, kind: AlertKind, threshold: number, resolveThreshold: number, minimum: number, windowMinutes: number, percentile: number, measure: AlertMeasure, channelIds: Array<string>, mutedUntil: string | null, enabled: boolean, createdAt: string, filter: { model: string | null, provider: string | null, apiKeyId: string | null, capability: string | null, tag: { name: string, value: string } | null }, states: Array<{ subject: string, firing: boolean, value: number | null, evaluatedAt: string, changedAt: string }> } };

export type MuteAlertRuleMutationVariables = Exact<{
  id: string | number;
  until?: string | null | undefined;
}>;


export type MuteAlertRuleMutation = { muteAlertRule: { id: string, name: string, kind: AlertKind, threshold: number, resolveThreshold: number, minimum: number, windowMinutes: number, percentile: number, measure: AlertMeasure, channelIds: Array<string>, mutedUntil: string | null, enabled: boolean, createdAt: string, filter: { model: string | null, provider: string | null, apiKeyId: string | null, capability: string | null, tag: { name: string, value: string } | null }, states: Array<{ subject: string, firing: boolean, value: number | null, evaluatedAt: string, changedAt: string }> } };

export type DeleteAlertRuleMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteAlertRuleMutation = { deleteAlertRule: boolean };

export type CreateAlertChannelMutationVariables = Exact<{
  input: CreateAlertChannelInput;
}>;


export type CreateAlertChannelMutation = { createAlertChannel: { secret: string | null, channel: { id: string, name: string, kind: AlertChannelKind, hint: string, emails: Array<string>, createdAt: string } } };

export type UpdateAlertChannelMutationVariables = Exact<{
  id: string | number;
  input: UpdateAlertChannelInput;
}>;


export type UpdateAlertChannelMutation = { updateAlertChannel: { secret: string | null, channel: { id: string, name: string, kind: AlertChannelKind, hint: string, emails: Array<string>, createdAt: string } } };

export type TestAlertChannelMutationVariables = Exact<{
  id: string | number;
}>;


export type TestAlertChannelMutation = { testAlertChannel: { id: string, ruleId: string | null, ruleName: string, kind: AlertKind | null, transition: AlertTransition, subject: string, value: number | null, threshold: number | null, summary: string, path: string, createdAt: string, deliveries: Array<{ channelName: string, channelKind: AlertChannelKind, email: string | null, status: AlertDeliveryStatus, attempts: number, lastStatus: number | null, lastFailure: string | null, deliveredAt: string | null }> } };

export type DeleteAlertChannelMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteAlertChannelMutation = { deleteAlertChannel: boolean };

export type AnalyticsSumsFragment = { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } };

export type AnalyticsTimesFragment = { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, latency: { p50: number, p95: number, p99: number } | null, firstToken: { p50: number, p95: number, p99: number } | null, outputSpeed: { p50: number, p95: number, p99: number } | null, cost: { amount: string } };

export type AnalyticsCachesFragment = { promptCacheRequests: number, responseCacheRequests: number, promptCacheSavings: { amount: string }, responseCacheSavings: { amount: string } };

export type AnalyticsDimensionsFragment = { model: string | null, provider: string | null, capability: string | null, member: string | null, endUser: string | null, errorCode: string | null, tag: { name: string, value: string } | null, apiKey: { id: string, name: string, hint: string } | null };

export type AnalyticsTotalsQueryVariables = Exact<{
  range: UsageRange;
  previous: UsageRange;
  interval: Interval;
  filter?: UsageFilter | null | undefined;
  intervals: number;
}>;


export type AnalyticsTotalsQuery = { current: { timeZone: string, total: { promptCacheRequests: number, responseCacheRequests: number, requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, latency: { p50: number, p95: number, p99: number } | null, firstToken: { p50: number, p95: number, p99: number } | null, outputSpeed: { p50: number, p95: number, p99: number } | null, promptCacheSavings: { amount: string }, responseCacheSavings: { amount: string }, cost: { amount: string } }, groups: Array<{ start: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, latency: { p50: number, p95: number, p99: number } | null, firstToken: { p50: number, p95: number, p99: number } | null, outputSpeed: { p50: number, p95: number, p99: number } | null, cost: { amount: string } } }> }, previous: { total: { promptCacheRequests: number, responseCacheRequests: number, requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, latency: { p50: number, p95: number, p99: number } | null, firstToken: { p50: number, p95: number, p99: number } | null, outputSpeed: { p50: number, p95: number, p99: number } | null, promptCacheSavings: { amount: string }, responseCacheSavings: { amount: string }, cost: { amount: string } }, groups: Array<{ start: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, latency: { p50: number, p95: number, p99: number } | null, firstToken: { p50: number, p95: number, p99: number } | null, outputSpeed: { p50: number, p95: number, p99: number } | null, cost: { amount: string } } }> } };

export type AnalyticsGroupsQueryVariables = Exact<{
  range: UsageRange;
  previous: UsageRange;
  interval: Interval;
  groupBy: Array<UsageDimension> | UsageDimension;
  filter?: UsageFilter | null | undefined;
  limit: number;
}>;


export type AnalyticsGroupsQuery = { byTime: { truncated: boolean, groups: Array<{ start: string | null, model: string | null, provider: string | null, capability: string | null, member: string | null, endUser: string | null, errorCode: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } }, tag: { name: string, value: string } | null, apiKey: { id: string, name: string, hint: string } | null }> }, groups: { truncated: boolean, groups: Array<{ model: string | null, provider: string | null, capability: string | null, member: string | null, endUser: string | null, errorCode: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, promptCacheRequests: number, responseCacheRequests: number, outputSpeed: { p50: number, p95: number } | null, cost: { amount: string }, promptCacheSavings: { amount: string }, responseCacheSavings: { amount: string } }, tag: { name: string, value: string } | null, apiKey: { id: string, name: string, hint: string } | null }> }, before: { truncated: boolean, groups: Array<{ model: string | null, provider: string | null, capability: string | null, member: string | null, endUser: string | null, errorCode: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } }, tag: { name: string, value: string } | null, apiKey: { id: string, name: string, hint: string } | null }> } };

export type AnalyticsErrorsQueryVariables = Exact<{
  range: UsageRange;
  interval: Interval;
  filter?: UsageFilter | null | undefined;
  limit: number;
}>;


export type AnalyticsErrorsQuery = { byTime: { truncated: boolean, groups: Array<{ start: string | null, errorCode: string | null, usage: { requests: number } }> }, codes: { groups: Array<{ errorCode: string | null, usage: { requests: number } }> } };

export type AuditRowFragment = { id: string, createdAt: string, action: string, address: string | null, userAgent: string | null, requestId: string | null, actor: { kind: AuditActorKind, label: string, user: { id: string, name: string } | null, apiKey: { id: string, name: string } | null }, target: { type: string, id: string | null, label: string | null }, changes: Array<{ field: string, before: unknown, after: unknown }> };

export type AuditLogQueryVariables = Exact<{
  filter: AuditFilter;
  first: number;
  after?: string | null | undefined;
}>;


export type AuditLogQuery = { auditLog: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, createdAt: string, action: string, address: string | null, userAgent: string | null, requestId: string | null, actor: { kind: AuditActorKind, label: string, user: { id: string, name: string } | null, apiKey: { id: string, name: string } | null }, target: { type: string, id: string | null, label: string | null }, changes: Array<{ field: string, before: unknown, after: unknown }> }> } };

export type AuditActorsQueryVariables = Exact<{
  nameContains?: string | null | undefined;
  first: number;
}>;


export type AuditActorsQuery = { account: { id: string, members: { totalCount: number, nodes: Array<{ id: string, user: { id: string, name: string, email: string } }> } }, apiKeys: { totalCount: number, nodes: Array<{ id: string, name: string, revokedAt: string | null }> } };

export type AuditActorQueryVariables = Exact<{
  id: string | number;
}>;


export type AuditActorQuery = { node:
    | { __typename: 'AccessToken' }
    | { __typename: 'Account' }
    | { __typename: 'Alert' }
    | { __typename: 'AlertChannel' }
    | { __typename: 'AlertRule' }
    | { __typename: 'ApiKey', id: string, name: string }
    | { __typename: 'AuditEntry' }
    | { __typename: 'Batch' }
    | { __typename: 'BudgetStatus' }
    | { __typename: 'ChatCompletion' }
    | { __typename: 'Comparison' }
    | { __typename: 'Conversation' }
    | { __typename: 'Dataset' }
    | { __typename: 'DatasetItem' }
    | { __typename: 'DatasetRun' }
    | { __typename: 'Feedback' }
    | { __typename: 'Invitation' }
    | { __typename: 'Invoice' }
    | { __typename: 'LinkedIdentity' }
    | { __typename: 'Member' }
    | { __typename: 'Model' }
    | { __typename: 'ModelResponse' }
    | { __typename: 'ProviderCredential' }
    | { __typename: 'Route' }
    | { __typename: 'SavedView' }
    | { __typename: 'StoredFile' }
    | { __typename: 'UsageLog' }
    | { __typename: 'User' }
    | { __typename: 'UserSession' }
    | { __typename: 'Video' }
    | { __typename: 'Webhook' }
   | null, account: { id: string, members: { nodes: Array<{ id: string, user: { id: string, name: string } }> } } };

export type AuditedEntryQueryVariables = Exact<{
  id: string | number;
}>;


export type AuditedEntryQuery = { node:
    | { __typename: 'AccessToken' }
    | { __typename: 'Account' }
    | { __typename: 'Alert' }
    | { __typename: 'AlertChannel' }
    | { __typename: 'AlertRule' }
    | { __typename: 'ApiKey' }
    | { __typename: 'AuditEntry', id: string, createdAt: string, action: string, address: string | null, userAgent: string | null, requestId: string | null, actor: { kind: AuditActorKind, label: string, user: { id: string, name: string } | null, apiKey: { id: string, name: string } | null }, target: { type: string, id: string | null, label: string | null }, changes: Array<{ field: string, before: unknown, after: unknown }> }
    | { __typename: 'Batch' }
    | { __typename: 'BudgetStatus' }
    | { __typename: 'ChatCompletion' }
    | { __typename: 'Comparison' }
    | { __typename: 'Conversation' }
    | { __typename: 'Dataset' }
    | { __typename: 'DatasetItem' }
    | { __typename: 'DatasetRun' }
    | { __typename: 'Feedback' }
    | { __typename: 'Invitation' }
    | { __typename: 'Invoice' }
    | { __typename: 'LinkedIdentity' }
    | { __typename: 'Member' }
    | { __typename: 'Model' }
    | { __typename: 'ModelResponse' }
    | { __typename: 'ProviderCredential' }
    | { __typename: 'Route' }
    | { __typename: 'SavedView' }
    | { __typename: 'StoredFile' }
    | { __typename: 'UsageLog' }
    | { __typename: 'User' }
    | { __typename: 'UserSession' }
    | { __typename: 'Video' }
    | { __typename: 'Webhook' }
   | null };

export type BatchPartsFragment = { id: string, batchId: string, endpoint: string, status: BatchStatus, total: number, succeeded: number, errored: number, inputFileId: string | null, outputFileId: string | null, errorFileId: string | null, createdAt: string, endedAt: string | null, expiresAt: string, errors: Array<{ code: string, message: string, line: number | null }> };

export type BatchesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type BatchesQuery = { batches: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, batchId: string, endpoint: string, status: BatchStatus, total: number, succeeded: number, errored: number, inputFileId: string | null, outputFileId: string | null, errorFileId: string | null, createdAt: string, endedAt: string | null, expiresAt: string, errors: Array<{ code: string, message: string, line: number | null }> }> } };

export type OpenedBatchQueryVariables = Exact<{
  id: string | number;
}>;


export type OpenedBatchQuery = { batch: { id: string, batchId: string, endpoint: string, status: BatchStatus, total: number, succeeded: number, errored: number, inputFileId: string | null, outputFileId: string | null, errorFileId: string | null, createdAt: string, endedAt: string | null, expiresAt: string, errors: Array<{ code: string, message: string, line: number | null }> } };

export type BatchProgressSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type BatchProgressSubscription = { batchProgress: { id: string, batchId: string, endpoint: string, status: BatchStatus, total: number, succeeded: number, errored: number, inputFileId: string | null, outputFileId: string | null, errorFileId: string | null, createdAt: string, endedAt: string | null, expiresAt: string, errors: Array<{ code: string, message: string, line: number | null }> } };

export type CancelBatchMutationVariables = Exact<{
  id: string | number;
}>;


export type CancelBatchMutation = { cancelBatch: { id: string, batchId: string, endpoint: string, status: BatchStatus, total: number, succeeded: number, errored: number, inputFileId: string | null, outputFileId: string | null, errorFileId: string | null, createdAt: string, endedAt: string | null, expiresAt: string, errors: Array<{ code: string, message: string, line: number | null }> } };

export type LaneDetailsFragment = { lane: number, model: string, servedModel: string | null, status: ComparisonLaneStatus, output: string, reasoning: string, similarity: number | null, dimensions: number | null, finishReason: string | null, firstTokenMs: number | null, durationMs: number | null, tokensPerSecond: number | null, votes: number, toolCalls: Array<{ name: string | null, arguments: string }>, media: Array<{ contentType: string, url: string }>, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string }, error: { code: string, message: string } | null };

export type ComparisonHeadFragment = { id: string, kind: ComparisonKind, name: string | null, prompt: string | null, texts: Array<string> | null, winner: string | null, createdAt: string, isRunning: boolean, hasVoted: boolean, votedFor: string | null, sharedAt: string | null, cost: { amount: string } };

export type ComparisonPageQueryVariables = Exact<{
  id: string | number;
}>;


export type ComparisonPageQuery = { comparison: { messages: unknown, parameters: unknown, id: string, kind: ComparisonKind, name: string | null, prompt: string | null, texts: Array<string> | null, winner: string | null, createdAt: string, isRunning: boolean, hasVoted: boolean, votedFor: string | null, sharedAt: string | null, lanes: Array<{ lane: number, model: string, servedModel: string | null, status: ComparisonLaneStatus, output: string, reasoning: string, similarity: number | null, dimensions: number | null, finishReason: string | null, firstTokenMs: number | null, durationMs: number | null, tokensPerSecond: number | null, votes: number, toolCalls: Array<{ name: string | null, arguments: string }>, media: Array<{ contentType: string, url: string }>, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string }, error: { code: string, message: string } | null }>, cost: { amount: string } } | null };

export type ComparisonListQueryVariables = Exact<{
  filter?: ComparisonFilter | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type ComparisonListQuery = { comparisons: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ messages: unknown, id: string, kind: ComparisonKind, name: string | null, prompt: string | null, texts: Array<string> | null, winner: string | null, createdAt: string, isRunning: boolean, hasVoted: boolean, votedFor: string | null, sharedAt: string | null, lanes: Array<{ lane: number, model: string }>, cost: { amount: string } }> } };

export type SharedComparisonPageQueryVariables = Exact<{
  token: string;
}>;


export type SharedComparisonPageQuery = { sharedComparison: { kind: ComparisonKind, name: string | null, prompt: string | null, messages: unknown, texts: Array<string> | null, winner: string | null, createdAt: string, lanes: Array<{ lane: number, model: string, servedModel: string | null, status: ComparisonLaneStatus, output: string, reasoning: string, similarity: number | null, dimensions: number | null, finishReason: string | null, firstTokenMs: number | null, durationMs: number | null, tokensPerSecond: number | null, votes: number, toolCalls: Array<{ name: string | null, arguments: string }>, media: Array<{ contentType: string, url: string }>, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string }, error: { code: string, message: string } | null }> } };

export type ComparisonLiveSubscriptionVariables = Exact<{
  id: string | number;
  after?: string | null | undefined;
}>;


export type ComparisonLiveSubscription = { comparison: { cursor: string | null, lane: number | null, firstTokenMs: number | null, tokensPerSecond: number | null, runningCost: { amount: string } | null, event:
      | { __typename: 'ComparisonLaneCancelled', result: { lane: number, model: string, servedModel: string | null, status: ComparisonLaneStatus, output: string, reasoning: string, similarity: number | null, dimensions: number | null, finishReason: string | null, firstTokenMs: number | null, durationMs: number | null, tokensPerSecond: number | null, votes: number, toolCalls: Array<{ name: string | null, arguments: string }>, media: Array<{ contentType: string, url: string }>, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string }, error: { code: string, message: string } | null } }
      | { __typename: 'ComparisonLaneFailed', result: { lane: number, model: string, servedModel: string | null, status: ComparisonLaneStatus, output: string, reasoning: string, similarity: number | null, dimensions: number | null, finishReason: string | null, firstTokenMs: number | null, durationMs: number | null, tokensPerSecond: number | null, votes: number, toolCalls: Array<{ name: string | null, arguments: string }>, media: Array<{ contentType: string, url: string }>, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string }, error: { code: string, message: string } | null } }
      | { __typename: 'ComparisonLaneFinished', result: { lane: number, model: string, servedModel: string | null, status: ComparisonLaneStatus, output: string, reasoning: string, similarity: number | null, dimensions: number | null, finishReason: string | null, firstTokenMs: number | null, durationMs: number | null, tokensPerSecond: number | null, votes: number, toolCalls: Array<{ name: string | null, arguments: string }>, media: Array<{ contentType: string, url: string }>, usage: { inputTokens: number, outputTokens: number }, cost: { amount: string }, error: { code: string, message: string } | null } }
      | { __typename: 'CompletionDelta', choice: number, text: string }
      | { __typename: 'CompletionReasoning', thought: string }
      | { __typename: 'CompletionStarted', servedModel: string }
      | { __typename: 'CompletionToolCall' }
      | { __typename: 'EventGap' }
     } };

export type StartComparisonMutationVariables = Exact<{
  input: StartComparisonInput;
}>;


export type StartComparisonMutation = { startComparison: { id: string } };

export type CancelLanesMutationVariables = Exact<{
  id: string | number;
  model?: string | null | undefined;
}>;


export type CancelLanesMutation = { cancelComparison: { id: string } };

export type VoteComparisonMutationVariables = Exact<{
  id: string | number;
  winner?: string | null | undefined;
}>;


export type VoteComparisonMutation = { voteComparison: { id: string, kind: ComparisonKind, name: string | null, prompt: string | null, texts: Array<string> | null, winner: string | null, createdAt: string, isRunning: boolean, hasVoted: boolean, votedFor: string | null, sharedAt: string | null, lanes: Array<{ lane: number, votes: number }>, cost: { amount: string } } };

export type WithdrawVoteMutationVariables = Exact<{
  id: string | number;
}>;


export type WithdrawVoteMutation = { withdrawComparisonVote: { id: string, kind: ComparisonKind, name: string | null, prompt: string | null, texts: Array<string> | null, winner: string | null, createdAt: string, isRunning: boolean, hasVoted: boolean, votedFor: string | null, sharedAt: string | null, lanes: Array<{ lane: number, votes: number }>, cost: { amount: string } } };

export type RenameComparisonMutationVariables = Exact<{
  id: string | number;
  name?: string | null | undefined;
}>;


export type RenameComparisonMutation = { renameComparison: { id: string, name: string | null } };

export type ShareComparisonMutationVariables = Exact<{
  id: string | number;
}>;


export type ShareComparisonMutation = { shareComparison: { token: string, sharedAt: string } };

export type UnshareComparisonMutationVariables = Exact<{
  id: string | number;
}>;


export type UnshareComparisonMutation = { unshareComparison: { id: string, sharedAt: string | null } };

export type DeleteComparisonMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteComparisonMutation = { deleteComparison: boolean };

export type DatasetPartsFragment = { id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string };

export type DatasetItemPartsFragment = { id: string, usageLogId: string, bytes: number, createdAt: string, messages: unknown, parameters: unknown, output: unknown, model: string | null, requestedAt: string | null, dropped: Array<string>, redactions: Array<{ name: string, count: number }> };

export type DatasetsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type DatasetsQuery = { datasets: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string }> }, datasetStorage: { itemCount: number, maxItems: number, usedBytes: number, maxBytes: number } };

export type DatasetHeadQueryVariables = Exact<{
  id: string | number;
}>;


export type DatasetHeadQuery = { dataset: { id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string } | null };

export type DatasetItemsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type DatasetItemsQuery = { dataset: { id: string, items: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, usageLogId: string, bytes: number, createdAt: string, messages: unknown, parameters: unknown, output: unknown, model: string | null, requestedAt: string | null, dropped: Array<string>, redactions: Array<{ name: string, count: number }> }> } } | null };

export type DatasetItemQueryVariables = Exact<{
  id: string | number;
}>;


export type DatasetItemQuery = { node:
    | { __typename: 'AccessToken' }
    | { __typename: 'Account' }
    | { __typename: 'Alert' }
    | { __typename: 'AlertChannel' }
    | { __typename: 'AlertRule' }
    | { __typename: 'ApiKey' }
    | { __typename: 'AuditEntry' }
    | { __typename: 'Batch' }
    | { __typename: 'BudgetStatus' }
    | { __typename: 'ChatCompletion' }
    | { __typename: 'Comparison' }
    | { __typename: 'Conversation' }
    | { __typename: 'Dataset' }
    | { __typename: 'DatasetItem', id: string, usageLogId: string, bytes: number, createdAt: string, messages: unknown, parameters: unknown, output: unknown, model: string | null, requestedAt: string | null, dropped: Array<string>, redactions: Array<{ name: string, count: number }> }
    | { __typename: 'DatasetRun' }
    | { __typename: 'Feedback' }
    | { __typename: 'Invitation' }
    | { __typename: 'Invoice' }
    | { __typename: 'LinkedIdentity' }
    | { __typename: 'Member' }
    | { __typename: 'Model' }
    | { __typename: 'ModelResponse' }
    | { __typename: 'ProviderCredential' }
    | { __typename: 'Route' }
    | { __typename: 'SavedView' }
    | { __typename: 'StoredFile' }
    | { __typename: 'UsageLog' }
    | { __typename: 'User' }
    | { __typename: 'UserSession' }
    | { __typename: 'Video' }
    | { __typename: 'Webhook' }
   | null };

export type CreateDatasetMutationVariables = Exact<{
  name: string;
}>;


export type CreateDatasetMutation = { createDataset: { id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string } };

export type RenameDatasetMutationVariables = Exact<{
  id: string | number;
  name: string;
}>;


export type RenameDatasetMutation = { renameDataset: { id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string } };

export type DeleteDatasetMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteDatasetMutation = { deleteDataset: string };

export type AddToDatasetMutationVariables = Exact<{
  input: AddToDatasetInput;
}>;


export type AddToDatasetMutation = { addToDataset: { added: number, skipped: Array<{ usageLogId: string, reason: string }>, dataset: { id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string } } };

export type RemoveDatasetItemsMutationVariables = Exact<{
  id: string | number;
  itemIds: Array<string | number> | string | number;
}>;


export type RemoveDatasetItemsMutation = { removeDatasetItems: { id: string, name: string, itemCount: number, bytes: number, createdAt: string, updatedAt: string } };

export type DatasetRunModelPartsFragment = { model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null };

export type DatasetRunPartsFragment = { id: string, name: string, status: DatasetRunStatus, failureReason: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, itemCount: number, scorers: Array<DatasetScorer>, createdBy: { id: string, name: string } | null, models: Array<{ model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null }> };

export type DatasetRunResultPartsFragment = { position: number, item: { id: string, messages: unknown, output: unknown } | null, outputs: Array<{ model: string, status: DatasetRunOutputStatus, isReadable: boolean, text: string | null, toolCalls: unknown, errorCode: string | null, errorMessage: string | null, costUsd: string | null, durationMs: number | null, inputTokens: number | null, outputTokens: number | null, usageLogId: string | null, scores: Array<{ scorer: DatasetScorer, value: number }>, judgement: { status: DatasetRunOutputStatus, score: number | null, reason: string | null, isReadable: boolean, errorCode: string | null, errorMessage: string | null, costUsd: string | null, usageLogId: string | null } | null }> };

export type DatasetRunsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
}>;


export type DatasetRunsQuery = { dataset: { id: string, runs: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, status: DatasetRunStatus, failureReason: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, itemCount: number, scorers: Array<DatasetScorer>, createdBy: { id: string, name: string } | null, models: Array<{ model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null }> }> } } | null };

export type AllDatasetRunsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type AllDatasetRunsQuery = { datasetRuns: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, status: DatasetRunStatus, failureReason: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, itemCount: number, scorers: Array<DatasetScorer>, dataset: { id: string, name: string } | null, createdBy: { id: string, name: string } | null, models: Array<{ model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null }> }> } };

export type DatasetRunEstimateQueryVariables = Exact<{
  datasetId: string | number;
  models: Array<string> | string;
  judge?: string | null | undefined;
  maxTokens?: number | null | undefined;
}>;


export type DatasetRunEstimateQuery = { datasetRunEstimate: { models: Array<{ model: string, costUsd: string | null }>, judge: { model: string, costUsd: string | null } | null } };

export type DatasetRunPageQueryVariables = Exact<{
  id: string | number;
}>;


export type DatasetRunPageQuery = { datasetRun: { temperature: number | null, maxTokens: number | null, id: string, name: string, status: DatasetRunStatus, failureReason: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, itemCount: number, scorers: Array<DatasetScorer>, judge: { model: string, rubric: string, scale: DatasetJudgeScale } | null, dataset: { id: string, name: string } | null, createdBy: { id: string, name: string } | null, models: Array<{ model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null }> } | null };

export type DatasetRunResultsQueryVariables = Exact<{
  id: string | number;
  first: number;
  after?: string | null | undefined;
  onlyFailed: boolean;
  onlyDifferent: boolean;
}>;


export type DatasetRunResultsQuery = { datasetRun: { id: string, results: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ position: number, item: { id: string, messages: unknown, output: unknown } | null, outputs: Array<{ model: string, status: DatasetRunOutputStatus, isReadable: boolean, text: string | null, toolCalls: unknown, errorCode: string | null, errorMessage: string | null, costUsd: string | null, durationMs: number | null, inputTokens: number | null, outputTokens: number | null, usageLogId: string | null, scores: Array<{ scorer: DatasetScorer, value: number }>, judgement: { status: DatasetRunOutputStatus, score: number | null, reason: string | null, isReadable: boolean, errorCode: string | null, errorMessage: string | null, costUsd: string | null, usageLogId: string | null } | null }> }> } } | null };

export type CreateDatasetRunMutationVariables = Exact<{
  input: CreateDatasetRunInput;
}>;


export type CreateDatasetRunMutation = { createDatasetRun: { id: string, name: string, status: DatasetRunStatus, failureReason: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, itemCount: number, scorers: Array<DatasetScorer>, createdBy: { id: string, name: string } | null, models: Array<{ model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null }> } };

export type CancelDatasetRunMutationVariables = Exact<{
  id: string | number;
}>;


export type CancelDatasetRunMutation = { cancelDatasetRun: { id: string, name: string, status: DatasetRunStatus, failureReason: string | null, createdAt: string, startedAt: string | null, completedAt: string | null, itemCount: number, scorers: Array<DatasetScorer>, createdBy: { id: string, name: string } | null, models: Array<{ model: string, total: number, completed: number, failed: number, waitingFor: string | null, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }>, errors: Array<{ code: string, count: number }>, judge: { scored: number, failed: number, costUsd: string | null, inputTokens: number, outputTokens: number, waitingFor: string | null, errors: Array<{ code: string, count: number }> } | null, common: { items: number, costUsd: string | null, inputTokens: number, outputTokens: number, latencyP50Ms: number | null, latencyP95Ms: number | null, outputTokensPerSecond: number | null, scores: Array<{ scorer: DatasetScorer, average: number, count: number }> } | null }> } };

export type DeleteDatasetRunMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteDatasetRunMutation = { deleteDatasetRun: string };

export type FilePartsFragment = { id: string, fileId: string, filename: string, bytes: number, purpose: FilePurpose, createdAt: string, expiresAt: string | null };

export type FilesQueryVariables = Exact<{
  purpose?: FilePurpose | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type FilesQuery = { files: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, fileId: string, filename: string, bytes: number, purpose: FilePurpose, createdAt: string, expiresAt: string | null }> }, fileStorage: { usedBytes: number, maxBytes: number } };

export type OpenedFileQueryVariables = Exact<{
  id: string | number;
}>;


export type OpenedFileQuery = { file: { id: string, fileId: string, filename: string, bytes: number, purpose: FilePurpose, createdAt: string, expiresAt: string | null } };

export type DeleteFileMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteFileMutation = { deleteFile: boolean };

export type InvitationOfferQueryVariables = Exact<{
  token: string;
}>;


export type InvitationOfferQuery = { invitation: { accountName: string, role: Role, email: string, expired: boolean } | null };

export type CurrentUserQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentUserQuery = { viewer: { user: { id: string, email: string } | null } };

export type AcceptInvitationMutationVariables = Exact<{
  token: string;
}>;


export type AcceptInvitationMutation = { acceptInvitation:
    | { __typename: 'AcceptInvitationFailure', code: string, message: string }
    | { __typename: 'AccountMembership', accountId: string, accountName: string }
   };

export type InvoiceLinePartsFragment = { kind: InvoiceLineKind, description: string, model: string | null, capability: string | null, unit: string | null, quantity: string | null, amount: { amount: string } };

export type InvoicePartsFragment = { id: string, number: string, status: InvoiceStatus, periodStart: string, periodEnd: string, planName: string, createdAt: string, dueAt: string, paidAt: string | null, paymentReference: string | null, pdfUrl: string, total: { amount: string } };

export type InvoicesQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type InvoicesQuery = { invoices: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, number: string, status: InvoiceStatus, periodStart: string, periodEnd: string, planName: string, createdAt: string, dueAt: string, paidAt: string | null, paymentReference: string | null, pdfUrl: string, total: { amount: string } }> } };

export type TopUpOfferQueryVariables = Exact<{ [key: string]: never; }>;


export type TopUpOfferQuery = { account: { id: string, canTopUp: boolean } };

export type BillingQueryVariables = Exact<{ [key: string]: never; }>;


export type BillingQuery = { account: { id: string, balance: { amount: string } }, upcomingInvoices: Array<{ periodStart: string, periodEnd: string, planName: string, lines: Array<{ kind: InvoiceLineKind, description: string, model: string | null, capability: string | null, unit: string | null, quantity: string | null, amount: { amount: string } }>, total: { amount: string } }> };

export type InvoiceQueryVariables = Exact<{
  id: string | number;
}>;


export type InvoiceQuery = { invoice: { id: string, number: string, status: InvoiceStatus, periodStart: string, periodEnd: string, planName: string, createdAt: string, dueAt: string, paidAt: string | null, paymentReference: string | null, pdfUrl: string, lines: Array<{ kind: InvoiceLineKind, description: string, model: string | null, capability: string | null, unit: string | null, quantity: string | null, amount: { amount: string } }>, total: { amount: string } } | null };

export type TopUpMutationVariables = Exact<{
  amount: string;
}>;


export type TopUpMutation = { topUp:
    | { __typename: 'TopUpCheckout', url: string }
    | { __typename: 'TopUpFailure', code: string, message: string }
   };

export type ListedKeyFragment = { id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string> }, budget: { id: string, amount: { amount: string }, spent: { amount: string } } | null };

export type KeyFragment = { liveContent: boolean, contentLevel: ContentLevel | null, contentMayRaise: boolean, responseCacheSeconds: number | null, createdAt: string, id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, modelAliases: Array<{ name: string, model: string }>, createdBy: { id: string, name: string } | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string>, perModel: Array<{ model: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }>, perCapability: Array<{ capability: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }> }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null, budget: { period: BudgetPeriod, periodEnd: string | null, id: string, amount: { amount: string }, spent: { amount: string } } | null };

export type KeySpendFragment = { total: { cost: { amount: string } } };

export type KeysQueryVariables = Exact<{
  filter?: ApiKeyFilter | null | undefined;
  first: number;
  after?: string | null | undefined;
  month: UsageRange;
  all: UsageRange;
  withUsage: boolean;
}>;


export type KeysQuery = { apiKeys: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, monthSpend?: { total: { cost: { amount: string } } }, totalSpend?: { total: { cost: { amount: string } } }, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string> }, budget: { id: string, amount: { amount: string }, spent: { amount: string } } | null }> } };

export type OpenedKeyQueryVariables = Exact<{
  id: string | number;
}>;


export type OpenedKeyQuery = { node:
    | { __typename: 'AccessToken' }
    | { __typename: 'Account' }
    | { __typename: 'Alert' }
    | { __typename: 'AlertChannel' }
    | { __typename: 'AlertRule' }
    | { __typename: 'ApiKey', liveContent: boolean, contentLevel: ContentLevel | null, contentMayRaise: boolean, responseCacheSeconds: number | null, createdAt: string, id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, modelAliases: Array<{ name: string, model: string }>, createdBy: { id: string, name: string } | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string>, perModel: Array<{ model: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }>, perCapability: Array<{ capability: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }> }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null, budget: { period: BudgetPeriod, periodEnd: string | null, id: string, amount: { amount: string }, spent: { amount: string } } | null }
    | { __typename: 'AuditEntry' }
    | { __typename: 'Batch' }
    | { __typename: 'BudgetStatus' }
    | { __typename: 'ChatCompletion' }
    | { __typename: 'Comparison' }
    | { __typename: 'Conversation' }
    | { __typename: 'Dataset' }
    | { __typename: 'DatasetItem' }
    | { __typename: 'DatasetRun' }
    | { __typename: 'Feedback' }
    | { __typename: 'Invitation' }
    | { __typename: 'Invoice' }
    | { __typename: 'LinkedIdentity' }
    | { __typename: 'Member' }
    | { __typename: 'Model' }
    | { __typename: 'ModelResponse' }
    | { __typename: 'ProviderCredential' }
    | { __typename: 'Route' }
    | { __typename: 'SavedView' }
    | { __typename: 'StoredFile' }
    | { __typename: 'UsageLog' }
    | { __typename: 'User' }
    | { __typename: 'UserSession' }
    | { __typename: 'Video' }
    | { __typename: 'Webhook' }
   | null };

export type KeyUsageQueryVariables = Exact<{
  filter: UsageFilter;
  range: UsageRange;
  interval: Interval;
}>;


export type KeyUsageQuery = { usage: { timeZone: string, total: { requests: number, errors: number, cost: { amount: string } }, groups: Array<{ start: string | null, usage: { requests: number, cost: { amount: string } } }> } };

export type ModelNamesQueryVariables = Exact<{
  search: string;
}>;


export type ModelNamesQuery = { models: { nodes: Array<{ id: string }> } };

export type CreateKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateKeyMutation = { createApiKey: { secret: string, apiKey: { liveContent: boolean, contentLevel: ContentLevel | null, contentMayRaise: boolean, responseCacheSeconds: number | null, createdAt: string, id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, modelAliases: Array<{ name: string, model: string }>, createdBy: { id: string, name: string } | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string>, perModel: Array<{ model: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }>, perCapability: Array<{ capability: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }> }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null, budget: { period: BudgetPeriod, periodEnd: string | null, id: string, amount: { amount: string }, spent: { amount: string } } | null } } };

export type UpdateKeyMutationVariables = Exact<{
  input: UpdateApiKeyInput;
}>;


export type UpdateKeyMutation = { updateApiKey: { liveContent: boolean, contentLevel: ContentLevel | null, contentMayRaise: boolean, responseCacheSeconds: number | null, createdAt: string, id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, modelAliases: Array<{ name: string, model: string }>, createdBy: { id: string, name: string } | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string>, perModel: Array<{ model: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }>, perCapability: Array<{ capability: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }> }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null, budget: { period: BudgetPeriod, periodEnd: string | null, id: string, amount: { amount: string }, spent: { amount: string } } | null } };

export type RevokeKeyMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeKeyMutation = { revokeApiKey: { liveContent: boolean, contentLevel: ContentLevel | null, contentMayRaise: boolean, responseCacheSeconds: number | null, createdAt: string, id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, modelAliases: Array<{ name: string, model: string }>, createdBy: { id: string, name: string } | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string>, perModel: Array<{ model: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }>, perCapability: Array<{ capability: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }> }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null, budget: { period: BudgetPeriod, periodEnd: string | null, id: string, amount: { amount: string }, spent: { amount: string } } | null } };

export type RotateKeyMutationVariables = Exact<{
  input: RotateApiKeyInput;
}>;


export type RotateKeyMutation = { rotateApiKey: { secret: string, apiKey: { liveContent: boolean, contentLevel: ContentLevel | null, contentMayRaise: boolean, responseCacheSeconds: number | null, createdAt: string, id: string, name: string, hint: string, scopes: Array<KeyScope>, allowedModels: Array<string> | null, modelAliasCount: number, expiresAt: string | null, expiresSoon: boolean, previousSecretExpiresAt: string | null, lastUsedAt: string | null, revokedAt: string | null, modelAliases: Array<{ name: string, model: string }>, createdBy: { id: string, name: string } | null, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, limitedModels: Array<string>, limitedCapabilities: Array<string>, perModel: Array<{ model: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }>, perCapability: Array<{ capability: string, requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null }> }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null, budget: { period: BudgetPeriod, periodEnd: string | null, id: string, amount: { amount: string }, spent: { amount: string } } | null } } };

export type CreateAccessTokenMutationVariables = Exact<{
  input: CreateAccessTokenInput;
}>;


export type CreateAccessTokenMutation = { createAccessToken: { token: string, expiresAt: string, scopes: Array<KeyScope> } };

export type AccessTokensQueryVariables = Exact<{
  apiKeyId: string | number;
  first: number;
}>;


export type AccessTokensQuery = { accessTokens: { pageInfo: { hasNextPage: boolean }, nodes: Array<{ id: string, scopes: Array<KeyScope>, createdAt: string, expiresAt: string, createdBy: { id: string, name: string } | null }> } };

export type RevokeAccessTokenMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeAccessTokenMutation = { revokeAccessToken: boolean };

export type DeprecationPartsFragment = { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string };

export type DataPolicyPartsFragment = { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null };

export type ModelRowFragment = { id: string, name: string, provider: string, contextWindow: number | null, maxOutputTokens: number | null, inputModalities: Array<string>, outputModalities: Array<string>, capabilities: Array<string>, releasedAt: string | null, isUnpriced: boolean, region: string | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null, pricing: { input: string, output: string, cachedInput: string | null, request: string | null, units: Array<{ unit: string, price: string, per: number, size: string | null, quality: string | null }> } | null };

export type ModelDetailsFragment = { id: string, name: string, provider: string, contextWindow: number | null, maxOutputTokens: number | null, inputModalities: Array<string>, outputModalities: Array<string>, capabilities: Array<string>, releasedAt: string | null, isUnpriced: boolean, region: string | null, pricing: { cacheWrite: string | null, reasoning: string | null, audioInput: string | null, audioOutput: string | null, imageInput: string | null, imageOutput: string | null, version: string, input: string, output: string, cachedInput: string | null, request: string | null, tiers: Array<{ aboveTokens: number, input: string, output: string, cachedInput: string | null }>, serviceTiers: Array<{ serviceTier: string, input: string, output: string }>, units: Array<{ unit: string, price: string, per: number, size: string | null, quality: string | null }> } | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null };

export type ModelListQueryVariables = Exact<{
  filter?: ModelFilter | null | undefined;
  orderBy?: ModelOrder | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type ModelListQuery = { models: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, provider: string, contextWindow: number | null, maxOutputTokens: number | null, inputModalities: Array<string>, outputModalities: Array<string>, capabilities: Array<string>, releasedAt: string | null, isUnpriced: boolean, region: string | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null, pricing: { input: string, output: string, cachedInput: string | null, request: string | null, units: Array<{ unit: string, price: string, per: number, size: string | null, quality: string | null }> } | null }> } };

export type ModelPageQueryVariables = Exact<{
  id: string | number;
  model: string;
  range: UsageRange;
}>;


export type ModelPageQuery = { model: { id: string, name: string, provider: string, contextWindow: number | null, maxOutputTokens: number | null, inputModalities: Array<string>, outputModalities: Array<string>, capabilities: Array<string>, releasedAt: string | null, isUnpriced: boolean, region: string | null, pricing: { cacheWrite: string | null, reasoning: string | null, audioInput: string | null, audioOutput: string | null, imageInput: string | null, imageOutput: string | null, version: string, input: string, output: string, cachedInput: string | null, request: string | null, tiers: Array<{ aboveTokens: number, input: string, output: string, cachedInput: string | null }>, serviceTiers: Array<{ serviceTier: string, input: string, output: string }>, units: Array<{ unit: string, price: string, per: number, size: string | null, quality: string | null }> } | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null } | null, usage: { total: { requests: number, errors: number, cost: { amount: string }, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null } } };

export type ComparedModelQueryVariables = Exact<{
  id: string | number;
}>;


export type ComparedModelQuery = { model: { id: string, name: string, provider: string, contextWindow: number | null, maxOutputTokens: number | null, inputModalities: Array<string>, outputModalities: Array<string>, capabilities: Array<string>, releasedAt: string | null, isUnpriced: boolean, region: string | null, pricing: { cacheWrite: string | null, reasoning: string | null, audioInput: string | null, audioOutput: string | null, imageInput: string | null, imageOutput: string | null, version: string, input: string, output: string, cachedInput: string | null, request: string | null, tiers: Array<{ aboveTokens: number, input: string, output: string, cachedInput: string | null }>, serviceTiers: Array<{ serviceTier: string, input: string, output: string }>, units: Array<{ unit: string, price: string, per: number, size: string | null, quality: string | null }> } | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null } | null };

export type ModelDeprecationQueryVariables = Exact<{
  id: string | number;
}>;


export type ModelDeprecationQuery = { model: { id: string, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null } | null };

export type KeysOfModelQueryVariables = Exact<{
  model: string;
  range: UsageRange;
}>;


export type KeysOfModelQuery = { usage: { groups: Array<{ apiKey: { id: string, name: string } | null, usage: { requests: number } }> } };

export type ModelsOfKeyQueryVariables = Exact<{
  apiKeyId: string | number;
  range: UsageRange;
}>;


export type ModelsOfKeyQuery = { usage: { groups: Array<{ model: string | null }> } };

export type DeprecatedModelsQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
}>;


export type DeprecatedModelsQuery = { nodes: Array<
    | { __typename: 'AccessToken' }
    | { __typename: 'Account' }
    | { __typename: 'Alert' }
    | { __typename: 'AlertChannel' }
    | { __typename: 'AlertRule' }
    | { __typename: 'ApiKey' }
    | { __typename: 'AuditEntry' }
    | { __typename: 'Batch' }
    | { __typename: 'BudgetStatus' }
    | { __typename: 'ChatCompletion' }
    | { __typename: 'Comparison' }
    | { __typename: 'Conversation' }
    | { __typename: 'Dataset' }
    | { __typename: 'DatasetItem' }
    | { __typename: 'DatasetRun' }
    | { __typename: 'Feedback' }
    | { __typename: 'Invitation' }
    | { __typename: 'Invoice' }
    | { __typename: 'LinkedIdentity' }
    | { __typename: 'Member' }
    | { __typename: 'Model', id: string, deprecation: { announcedAt: string | null, shutdownAt: string | null, replacement: string | null, source: string, readAt: string } | null }
    | { __typename: 'ModelResponse' }
    | { __typename: 'ProviderCredential' }
    | { __typename: 'Route' }
    | { __typename: 'SavedView' }
    | { __typename: 'StoredFile' }
    | { __typename: 'UsageLog' }
    | { __typename: 'User' }
    | { __typename: 'UserSession' }
    | { __typename: 'Video' }
    | { __typename: 'Webhook' }
   | null> };

export type ModelRegionsQueryVariables = Exact<{ [key: string]: never; }>;


export type ModelRegionsQuery = { modelRegions: Array<string> };

export type ModelProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type ModelProvidersQuery = { providers: Array<{ id: string, name: string }> };

export type TryModelSubscriptionVariables = Exact<{
  input: CompletionInput;
  after?: string | null | undefined;
}>;


export type TryModelSubscription = { completion:
    | { __typename: 'CompletionDelta', cursor: string | null, text: string }
    | { __typename: 'CompletionFailed', cursor: string | null, code: string, message: string }
    | { __typename: 'CompletionFinished', cursor: string | null, finishReason: string | null, durationMs: number, firstTokenMs: number | null, cost: { amount: string }, usage: { inputTokens: number, outputTokens: number } }
    | { __typename: 'CompletionReasoning', cursor: string | null }
    | { __typename: 'CompletionStarted', cursor: string | null }
    | { __typename: 'CompletionToolCall' }
    | { __typename: 'EventGap' }
   };

export type MeasuredModelsQueryVariables = Exact<{
  range: UsageRange;
}>;


export type MeasuredModelsQuery = { usage: { groups: Array<{ model: string | null, usage: { requests: number, latency: { p50: number } | null, firstToken: { p50: number } | null } }> } };

export type CreateFirstKeyMutationVariables = Exact<{
  input: CreateApiKeyInput;
}>;


export type CreateFirstKeyMutation = { createApiKey: { secret: string, apiKey: { id: string, name: string, hint: string } } };

export type TotalsFragment = { requests: number, errors: number, inputTokens: number, outputTokens: number, cost: { amount: string } };

export type OverviewUsageQueryVariables = Exact<{
  range: UsageRange;
  interval: Interval;
}>;


export type OverviewUsageQuery = { usage: { timeZone: string, total: { requests: number, errors: number, inputTokens: number, outputTokens: number, latency: { p50: number, p95: number } | null, cost: { amount: string } }, groups: Array<{ start: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, latency: { p50: number, p95: number } | null, cost: { amount: string } } }> } };

export type OverviewModelsQueryVariables = Exact<{
  range: UsageRange;
  interval: Interval;
}>;


export type OverviewModelsQuery = { byTime: { truncated: boolean, groups: Array<{ start: string | null, model: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cost: { amount: string } } }> }, models: { groups: Array<{ model: string | null, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cost: { amount: string } } }> } };

export type OverviewLimitsQueryVariables = Exact<{
  period: UsageRange;
}>;


export type OverviewLimitsQuery = { account: { id: string, includedUsage: { amount: string } }, usage: { total: { cost: { amount: string } } }, budgets: Array<{ id: string, subject: BudgetSubject, period: BudgetPeriod, periodEnd: string | null, amount: { amount: string }, spent: { amount: string }, apiKey: { id: string, name: string } | null, member: { id: string, name: string } | null }> };

export type OverviewFirstQueryVariables = Exact<{ [key: string]: never; }>;


export type OverviewFirstQuery = { usageLogs: { nodes: Array<{ id: string }> } };

export type LiveSubscriptionVariables = Exact<{
  after?: string | null | undefined;
}>;


export type LiveSubscription = { liveCompletions: { cursor: string | null, requestId: string | null, apiKeyId: string | null, model: string | null, at: string, event:
      | { __typename: 'CompletionDelta', text: string }
      | { __typename: 'CompletionFailed', code: string, message: string }
      | { __typename: 'CompletionFinished', durationMs: number, firstTokenMs: number | null, cost: { amount: string }, usage: { inputTokens: number, outputTokens: number } }
      | { __typename: 'CompletionReasoning' }
      | { __typename: 'CompletionStarted', provider: string }
      | { __typename: 'CompletionToolCall' }
      | { __typename: 'EventGap' }
     } };

export type PerformanceFiguresPartsFragment = { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null };

export type PerformancePartsFragment = { from: string, to: string, interval: Interval, timeZone: string, total: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null }, intervals: Array<{ start: string, figures: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null } }>, errors: Array<{ code: string, attempts: number }>, targets: Array<{ model: string, breaker: BreakerState, availableInMs: number, firstTokenMs: number | null, tokensPerSecond: number | null }> };

export type ModelPerformanceQueryVariables = Exact<{
  model: string;
  range: UsageRange;
}>;


export type ModelPerformanceQuery = { modelPerformance: { from: string, to: string, interval: Interval, timeZone: string, total: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null }, intervals: Array<{ start: string, figures: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null } }>, errors: Array<{ code: string, attempts: number }>, targets: Array<{ model: string, breaker: BreakerState, availableInMs: number, firstTokenMs: number | null, tokensPerSecond: number | null }> } };

export type ProviderPerformanceQueryVariables = Exact<{
  provider: string;
  range: UsageRange;
}>;


export type ProviderPerformanceQuery = { providerPerformance: { from: string, to: string, interval: Interval, timeZone: string, models: Array<{ model: string, figures: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null } }>, total: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null }, intervals: Array<{ start: string, figures: { attempts: number, requests: number, uptime: number | null, errorRate: number | null, tokensPerSecond: number | null, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null } }>, errors: Array<{ code: string, attempts: number }>, targets: Array<{ model: string, breaker: BreakerState, availableInMs: number, firstTokenMs: number | null, tokensPerSecond: number | null }> } };

export type PlanPartsFragment = { id: string, name: string, period: PlanPeriod, overage: PlanOverage, markup: string, retentionDays: number | null, capabilities: Array<string> | null, models: Array<string> | null, offered: boolean, fee: { amount: string }, allowance: { amount: string }, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, apiKeys: number | null }, accountLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } | null, defaultKeyLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } };

export type BudgetPartsFragment = { id: string, subject: BudgetSubject, period: BudgetPeriod, periodEnd: string | null, alertAt: Array<number>, amount: { amount: string }, spent: { amount: string }, reserved: { amount: string }, apiKey: { id: string, name: string } | null, member: { id: string, name: string } | null };

export type PlansQueryVariables = Exact<{ [key: string]: never; }>;


export type PlansQuery = { account: { id: string, name: string, timeZone: string, period: { start: string, end: string }, includedUsage: { amount: string }, plan: { id: string, name: string, period: PlanPeriod, overage: PlanOverage, markup: string, retentionDays: number | null, capabilities: Array<string> | null, models: Array<string> | null, offered: boolean, fee: { amount: string }, allowance: { amount: string }, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, apiKeys: number | null }, accountLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } | null, defaultKeyLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } }, pendingPlan: { at: string, plan: { id: string, name: string } } | null }, plans: Array<{ id: string, name: string, period: PlanPeriod, overage: PlanOverage, markup: string, retentionDays: number | null, capabilities: Array<string> | null, models: Array<string> | null, offered: boolean, fee: { amount: string }, allowance: { amount: string }, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, apiKeys: number | null }, accountLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } | null, defaultKeyLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } }> };

export type PlanChangePreviewQueryVariables = Exact<{
  plan: string | number;
}>;


export type PlanChangePreviewQuery = { planChangePreview: { at: string, pending: boolean, renewsAt: string, canReturn: boolean, amount: { amount: string }, includedUsage: { amount: string }, from: { id: string, name: string, period: PlanPeriod, overage: PlanOverage, markup: string, retentionDays: number | null, capabilities: Array<string> | null, models: Array<string> | null, offered: boolean, fee: { amount: string }, allowance: { amount: string }, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, apiKeys: number | null }, accountLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } | null, defaultKeyLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } }, to: { id: string, name: string, period: PlanPeriod, overage: PlanOverage, markup: string, retentionDays: number | null, capabilities: Array<string> | null, models: Array<string> | null, offered: boolean, fee: { amount: string }, allowance: { amount: string }, limits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null, apiKeys: number | null }, accountLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } | null, defaultKeyLimits: { requestsPerMinute: number | null, tokensPerMinute: number | null, requestsPerDay: number | null, concurrency: number | null } } } };

export type BudgetsQueryVariables = Exact<{ [key: string]: never; }>;


export type BudgetsQuery = { budgets: Array<{ id: string, subject: BudgetSubject, period: BudgetPeriod, periodEnd: string | null, alertAt: Array<number>, amount: { amount: string }, spent: { amount: string }, reserved: { amount: string }, apiKey: { id: string, name: string } | null, member: { id: string, name: string } | null }> };

export type PeriodSpendQueryVariables = Exact<{
  range: UsageRange;
}>;


export type PeriodSpendQuery = { usage: { total: { requests: number, cost: { amount: string } } } };

export type ChangePlanMutationVariables = Exact<{
  plan: string | number;
}>;


export type ChangePlanMutation = { changePlan: { at: string, pending: boolean, amount: { amount: string }, to: { id: string, name: string }, account: { id: string, plan: { id: string }, pendingPlan: { at: string, plan: { id: string } } | null } } };

export type CancelPlanChangeMutationVariables = Exact<{ [key: string]: never; }>;


export type CancelPlanChangeMutation = { cancelPlanChange: { id: string, pendingPlan: { at: string, plan: { id: string } } | null } };

export type SetAccountBudgetMutationVariables = Exact<{
  budget: Budget;
}>;


export type SetAccountBudgetMutation = { setBudget: { id: string, subject: BudgetSubject, period: BudgetPeriod, periodEnd: string | null, alertAt: Array<number>, amount: { amount: string }, spent: { amount: string }, reserved: { amount: string }, apiKey: { id: string, name: string } | null, member: { id: string, name: string } | null } };

export type RemoveBudgetMutationVariables = Exact<{
  id: string | number;
}>;


export type RemoveBudgetMutation = { removeBudget: boolean };

export type PlaygroundCompletionSubscriptionVariables = Exact<{
  input: CompletionInput;
  after?: string | null | undefined;
}>;


export type PlaygroundCompletionSubscription = { completion:
    | { __typename: 'CompletionDelta', cursor: string | null, text: string }
    | { __typename: 'CompletionFailed', cursor: string | null, code: string, message: string }
    | { __typename: 'CompletionFinished', cursor: string | null, finishReason: string | null, durationMs: number, firstTokenMs: number | null, cost: { amount: string }, usage: { inputTokens: number, outputTokens: number, reasoningTokens: number } }
    | { __typename: 'CompletionReasoning', cursor: string | null, thought: string }
    | { __typename: 'CompletionStarted', cursor: string | null, servedModel: string }
    | { __typename: 'CompletionToolCall', cursor: string | null, index: number, name: string | null, arguments: string, callId: string | null }
    | { __typename: 'EventGap', cursor: string | null }
   };

export type StopCompletionMutationVariables = Exact<{
  clientRequestId: string | number;
}>;


export type StopCompletionMutation = { cancelCompletion: boolean };

export type PlaygroundVideoSubscriptionVariables = Exact<{
  id: string | number;
}>;


export type PlaygroundVideoSubscription = { videoProgress: { id: string, videoId: string, status: VideoStatus, progress: number, seconds: number | null, size: string | null, cost: { amount: string } | null, error: { code: string, message: string } | null } };

export type RequestReplayQueryVariables = Exact<{
  id: string | number;
}>;


export type RequestReplayQuery = { requestReplay: { model: string, messages: unknown, parameters: unknown, dropped: Array<string>, conversionError: string | null, redactions: Array<{ name: string, count: number }> } | null };

export type ProviderPartsFragment = { id: string, name: string, documentation: string | null, needsKey: boolean, baseUrl: string | null, alsoKnownAs: Array<string>, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, options: Array<{ name: string, isSecret: boolean, description: string }> };

export type ConnectionPartsFragment = { id: string, provider: string, name: string, baseUrl: string | null, credentialHint: string | null, secretOptionNames: Array<string>, region: string | null, trainsOnData: boolean | null, retentionDays: number | null, active: boolean, createdAt: string, updatedAt: string, options: Array<{ name: string, value: string }>, lastTest: { at: string, succeeded: boolean, message: string } | null };

export type ProviderStatePartsFragment = { provider: string, ownConnection: boolean, modelCount: number, region: string | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, targets: Array<{ model: string, breaker: BreakerState, availableInMs: number, firstTokenMs: number | null, tokensPerSecond: number | null }> };

export type ProvidersQueryVariables = Exact<{ [key: string]: never; }>;


export type ProvidersQuery = { providers: Array<{ id: string, name: string, documentation: string | null, needsKey: boolean, baseUrl: string | null, alsoKnownAs: Array<string>, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, options: Array<{ name: string, isSecret: boolean, description: string }> }>, providerConnections: Array<{ id: string, provider: string, name: string, baseUrl: string | null, credentialHint: string | null, secretOptionNames: Array<string>, region: string | null, trainsOnData: boolean | null, retentionDays: number | null, active: boolean, createdAt: string, updatedAt: string, options: Array<{ name: string, value: string }>, lastTest: { at: string, succeeded: boolean, message: string } | null }>, providerStates: Array<{ provider: string, ownConnection: boolean, modelCount: number, region: string | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null }, targets: Array<{ model: string, breaker: BreakerState, availableInMs: number, firstTokenMs: number | null, tokensPerSecond: number | null }> }> };

export type ProviderPoliciesQueryVariables = Exact<{ [key: string]: never; }>;


export type ProviderPoliciesQuery = { providerStates: Array<{ provider: string, region: string | null, dataPolicy: { trainsOnData: boolean | null, retentionDays: number | null, isSetByConnection: boolean, source: string | null, readAt: string | null } }> };

export type ProviderUsageQueryVariables = Exact<{
  range: UsageRange;
}>;


export type ProviderUsageQuery = { usage: { groups: Array<{ provider: string | null, usage: { requests: number, errors: number, cost: { amount: string }, latency: { p50: number, p95: number } | null, firstToken: { p50: number, p95: number } | null } }> } };

export type ProviderFailuresQueryVariables = Exact<{
  provider: string;
  from: string;
}>;


export type ProviderFailuresQuery = { usageLogs: { nodes: Array<{ id: string, createdAt: string, model: string, errorCode: string | null, attempts: Array<{ provider: string, status: number | null, error: string | null, errorMessage: string | null }> }> } };

export type ConnectProviderMutationVariables = Exact<{
  input: ConnectProviderInput;
}>;


export type ConnectProviderMutation = { connectProvider: { id: string, provider: string, name: string, baseUrl: string | null, credentialHint: string | null, secretOptionNames: Array<string>, region: string | null, trainsOnData: boolean | null, retentionDays: number | null, active: boolean, createdAt: string, updatedAt: string, options: Array<{ name: string, value: string }>, lastTest: { at: string, succeeded: boolean, message: string } | null } };

export type UpdateConnectionMutationVariables = Exact<{
  input: UpdateConnectionInput;
}>;


export type UpdateConnectionMutation = { updateConnection: { id: string, provider: string, name: string, baseUrl: string | null, credentialHint: string | null, secretOptionNames: Array<string>, region: string | null, trainsOnData: boolean | null, retentionDays: number | null, active: boolean, createdAt: string, updatedAt: string, options: Array<{ name: string, value: string }>, lastTest: { at: string, succeeded: boolean, message: string } | null } };

export type TestConnectionMutationVariables = Exact<{
  id: string | number;
}>;


export type TestConnectionMutation = { testConnection: { id: string, provider: string, name: string, baseUrl: string | null, credentialHint: string | null, secretOptionNames: Array<string>, region: string | null, trainsOnData: boolean | null, retentionDays: number | null, active: boolean, createdAt: string, updatedAt: string, options: Array<{ name: string, value: string }>, lastTest: { at: string, succeeded: boolean, message: string } | null } };

export type DisconnectProviderMutationVariables = Exact<{
  id: string | number;
}>;


export type DisconnectProviderMutation = { disconnectProvider: boolean };

export type RoutePartsFragment = { id: string, name: string, order: TargetOrder | null, sticky: boolean | null, parameters: ParameterPolicy | null, retries: number | null, batches: BatchMode | null, larger: string | null, cacheSeconds: number | null, createdAt: string, updatedAt: string, targets: Array<{ model: string, weight: number }>, timeouts: { connectSeconds: number | null, answerSeconds: number | null, headersSeconds: number | null, firstTokenSeconds: number | null, betweenChunksSeconds: number | null }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null };

export type RoutesQueryVariables = Exact<{ [key: string]: never; }>;


export type RoutesQuery = { routes: Array<{ id: string, name: string, order: TargetOrder | null, sticky: boolean | null, parameters: ParameterPolicy | null, retries: number | null, batches: BatchMode | null, larger: string | null, cacheSeconds: number | null, createdAt: string, updatedAt: string, targets: Array<{ model: string, weight: number }>, timeouts: { connectSeconds: number | null, answerSeconds: number | null, headersSeconds: number | null, firstTokenSeconds: number | null, betweenChunksSeconds: number | null }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null }>, serverRoutes: Array<{ name: string, aliasOf: string | null, order: TargetOrder | null, targets: Array<{ model: string, weight: number }> }> };

export type PreviewRouteQueryVariables = Exact<{
  model: string;
  request?: RoutePreviewInput | null | undefined;
}>;


export type PreviewRouteQuery = { previewRoute: { name: string, order: TargetOrder, sticky: boolean, parameters: ParameterPolicy, retries: number, cacheSeconds: number | null, larger: string | null, steps: Array<{ model: string, provider: string, ownConnection: boolean, share: number, breaker: BreakerState, availableInMs: number, firstTokenMs: number | null, tokensPerSecond: number | null, reason: string, estimatedCost: { amount: string } | null }> } | null };

export type SaveRouteMutationVariables = Exact<{
  input: SaveRouteInput;
}>;


export type SaveRouteMutation = { saveRoute: { id: string, name: string, order: TargetOrder | null, sticky: boolean | null, parameters: ParameterPolicy | null, retries: number | null, batches: BatchMode | null, larger: string | null, cacheSeconds: number | null, createdAt: string, updatedAt: string, targets: Array<{ model: string, weight: number }>, timeouts: { connectSeconds: number | null, answerSeconds: number | null, headersSeconds: number | null, firstTokenSeconds: number | null, betweenChunksSeconds: number | null }, moderation: { model: string, check: Array<ModerationCheck>, action: ModerationAction } | null } };

export type DeleteRouteMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteRouteMutation = { deleteRoute: boolean };

export type SessionPartsFragment = { sessionId: string, firstRequestAt: string, lastRequestAt: string, endedAt: string, durationMs: number, models: Array<string>, apiKeys: Array<{ id: string, name: string }>, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } } };

export type SessionEntryFragment = { depth: number, step: string | null, request: { id: string, requestId: string, createdAt: string, capability: string, model: string, requestedModel: string, status: RequestStatus, streamed: boolean, estimated: boolean, inputTokens: number, outputTokens: number, requests: number, durationMs: number, firstTokenMs: number | null, cost: { amount: string } } };

export type RequestSessionsQueryVariables = Exact<{
  filter?: UsageLogFilter | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type RequestSessionsQuery = { sessions: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ sessionId: string, firstRequestAt: string, lastRequestAt: string, endedAt: string, durationMs: number, models: Array<string>, apiKeys: Array<{ id: string, name: string }>, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } } }> } };

export type SessionPageQueryVariables = Exact<{
  id: string | number;
}>;


export type SessionPageQuery = { session: { sessionId: string, firstRequestAt: string, lastRequestAt: string, endedAt: string, durationMs: number, models: Array<string>, requests: Array<{ depth: number, step: string | null, request: { id: string, requestId: string, createdAt: string, capability: string, model: string, requestedModel: string, status: RequestStatus, streamed: boolean, estimated: boolean, inputTokens: number, outputTokens: number, requests: number, durationMs: number, firstTokenMs: number | null, cost: { amount: string } } }>, apiKeys: Array<{ id: string, name: string }>, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } } } | null };

export type SessionProgressSubscriptionVariables = Exact<{
  id?: string | number | null | undefined;
}>;


export type SessionProgressSubscription = { sessionProgress: { sessionId: string, firstRequestAt: string, lastRequestAt: string, endedAt: string, durationMs: number, models: Array<string>, apiKeys: Array<{ id: string, name: string }>, usage: { requests: number, errors: number, inputTokens: number, outputTokens: number, cachedTokens: number, cost: { amount: string } } } };

export type AccountContentLoggingFragment = { id: string, zeroRetention: boolean, contentLogging: { level: ContentLevel, isDefault: boolean, retentionDays: number, search: boolean, redaction: { detectors: Array<RedactionDetector>, customPatterns: Array<{ name: string, pattern: string }> } } };

export type ContentLoggingQueryVariables = Exact<{ [key: string]: never; }>;


export type ContentLoggingQuery = { account: { id: string, zeroRetention: boolean, contentLogging: { level: ContentLevel, isDefault: boolean, retentionDays: number, search: boolean, redaction: { detectors: Array<RedactionDetector>, customPatterns: Array<{ name: string, pattern: string }> } } } };

export type UpdateContentLoggingMutationVariables = Exact<{
  input: UpdateContentLoggingInput;
}>;


export type UpdateContentLoggingMutation = { updateContentLogging: { id: string, zeroRetention: boolean, contentLogging: { level: ContentLevel, isDefault: boolean, retentionDays: number, search: boolean, redaction: { detectors: Array<RedactionDetector>, customPatterns: Array<{ name: string, pattern: string }> } } } };

export type RedactionPreviewQueryVariables = Exact<{
  redaction: RedactionInput;
  text: string;
}>;


export type RedactionPreviewQuery = { redactionPreview: { text: string, counts: Array<{ name: string, count: number }> } };

export type SelfFragment = { id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> };

export type SettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type SettingsQuery = { viewer: { user: { id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> } | null }, signInOptions: { providers: Array<{ id: string, name: string, startUrl: string }> } };

export type SessionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionsQuery = { viewer: { sessions: Array<{ id: string, createdAt: string, lastSeenAt: string, address: string | null, userAgent: string | null, current: boolean }> } };

export type UpdateProfileMutationVariables = Exact<{
  input: UpdateProfileInput;
}>;


export type UpdateProfileMutation = { updateProfile: { id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> } };

export type ChangeEmailMutationVariables = Exact<{
  input: ChangeEmailInput;
}>;


export type ChangeEmailMutation = { changeEmail:
    | { __typename: 'ChangeEmailFailure', code: string, message: string }
    | { __typename: 'User', id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> }
   };

export type ChangePasswordMutationVariables = Exact<{
  input: ChangePasswordInput;
}>;


export type ChangePasswordMutation = { changePassword:
    | { __typename: 'ChangePasswordFailure', code: string, message: string }
    | { __typename: 'User', id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> }
   };

export type StartTotpMutationVariables = Exact<{
  password: string;
}>;


export type StartTotpMutation = { startTotp:
    | { __typename: 'StartTotpFailure', code: string, message: string }
    | { __typename: 'TotpSetup', secret: string, uri: string }
   };

export type ConfirmTotpMutationVariables = Exact<{
  code: string;
}>;


export type ConfirmTotpMutation = { confirmTotp:
    | { __typename: 'ConfirmTotpFailure', code: string, message: string }
    | { __typename: 'RecoveryCodes', codes: Array<string> }
   };

export type DisableTotpMutationVariables = Exact<{
  input: TotpConfirmationInput;
}>;


export type DisableTotpMutation = { disableTotp:
    | { __typename: 'DisableTotpFailure', code: string, message: string }
    | { __typename: 'User', id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> }
   };

export type RenewRecoveryCodesMutationVariables = Exact<{
  input: TotpConfirmationInput;
}>;


export type RenewRecoveryCodesMutation = { renewRecoveryCodes:
    | { __typename: 'RecoveryCodes', codes: Array<string> }
    | { __typename: 'RenewRecoveryCodesFailure', code: string, message: string }
   };

export type RevokeSessionMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeSessionMutation = { revokeSession: boolean };

export type RevokeOtherSessionsMutationVariables = Exact<{ [key: string]: never; }>;


export type RevokeOtherSessionsMutation = { revokeOtherSessions: number };

export type LinkIdentityMutationVariables = Exact<{
  input: LinkIdentityInput;
}>;


export type LinkIdentityMutation = { linkIdentity:
    | { __typename: 'IdentityLink', startUrl: string }
    | { __typename: 'LinkIdentityFailure', code: string, message: string }
   };

export type UnlinkIdentityMutationVariables = Exact<{
  id: string | number;
}>;


export type UnlinkIdentityMutation = { unlinkIdentity: { id: string, name: string, email: string, emailVerified: boolean, pendingEmail: string | null, totpEnabled: boolean, hasPassword: boolean, identities: Array<{ id: string, provider: string, providerName: string, email: string | null, createdAt: string, lastUsedAt: string }> } };

export type UpdateAccountMutationVariables = Exact<{
  input: UpdateAccountInput;
}>;


export type UpdateAccountMutation = { updateAccount: { id: string, name: string, timeZone: string, zeroRetention: boolean } };

export type CreateAccountMutationVariables = Exact<{
  input: CreateAccountInput;
}>;


export type CreateAccountMutation = { createAccount: { id: string, name: string } };

export type DeleteAccountMutationVariables = Exact<{
  input: DeleteAccountInput;
}>;


export type DeleteAccountMutation = { deleteAccount: { id: string, erasedAfter: string | null } };

export type AccountsToApproveQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type AccountsToApproveQuery = { accountsToApprove: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ accountId: string, name: string, owners: Array<string>, createdAt: string }> } };

export type ApproveAccountMutationVariables = Exact<{
  id: string | number;
}>;


export type ApproveAccountMutation = { approveAccount: boolean };

export type FailedRefundsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type FailedRefundsQuery = { failedRefunds: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ refundId: string, accountName: string, reason: string | null, failedAt: string, amount: { amount: string } }> } };

export type RetryRefundMutationVariables = Exact<{
  id: string | number;
}>;


export type RetryRefundMutation = { retryRefund: boolean };

export type UsageArchivesQueryVariables = Exact<{ [key: string]: never; }>;


export type UsageArchivesQuery = { usageArchives: Array<{ month: string, location: string, parts: number, rows: number, bytes: number, incompleteAccounts: number, archivedAt: string, cost: { amount: string } }> };

export type SignInOptionsQueryVariables = Exact<{ [key: string]: never; }>;


export type SignInOptionsQuery = { signInOptions: { signUp: SignUpPolicy, sendsMail: boolean, providers: Array<{ id: string, name: string, startUrl: string }> } };

export type SignInMutationVariables = Exact<{
  input: SignInInput;
}>;


export type SignInMutation = { signIn:
    | { __typename: 'Session', expiresAt: string }
    | { __typename: 'SignInFailure', code: string, message: string }
   };

export type FinishSignInMutationVariables = Exact<{
  input: FinishSignInInput;
}>;


export type FinishSignInMutation = { finishSignIn:
    | { __typename: 'Session', expiresAt: string }
    | { __typename: 'SignInFailure', code: string, message: string }
   };

export type SignUpMutationVariables = Exact<{
  input: SignUpInput;
}>;


export type SignUpMutation = { signUp:
    | { __typename: 'Session', expiresAt: string }
    | { __typename: 'SignUpFailure', code: string, message: string }
    | { __typename: 'SignUpPending', email: string }
   };

export type ConfirmSignUpMutationVariables = Exact<{
  input: ConfirmSignUpInput;
}>;


export type ConfirmSignUpMutation = { confirmSignUp:
    | { __typename: 'ConfirmSignUpFailure', code: string, message: string }
    | { __typename: 'Session', expiresAt: string }
   };

export type RequestPasswordResetMutationVariables = Exact<{
  email: string;
}>;


export type RequestPasswordResetMutation = { requestPasswordReset: boolean };

export type ResetPasswordMutationVariables = Exact<{
  input: ResetPasswordInput;
}>;


export type ResetPasswordMutation = { resetPassword:
    | { __typename: 'ResetPasswordFailure', code: string, message: string }
    | { __typename: 'Session', expiresAt: string }
   };

export type VerifyEmailMutationVariables = Exact<{
  token: string;
}>;


export type VerifyEmailMutation = { verifyEmail:
    | { __typename: 'VerifiedEmail', email: string }
    | { __typename: 'VerifyEmailFailure', code: string, message: string }
   };

export type TeamMemberFragment = { id: string, role: Role, createdAt: string, lastSeenAt: string | null, user: { id: string, name: string, email: string } };

export type OpenInvitationFragment = { id: string, email: string, role: Role, createdAt: string, expiresAt: string, invitedBy: { id: string, name: string, email: string } | null };

export type MembersQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type MembersQuery = { account: { id: string, members: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, role: Role, createdAt: string, lastSeenAt: string | null, user: { id: string, name: string, email: string } }> } } };

export type InvitationsQueryVariables = Exact<{
  first: number;
  after?: string | null | undefined;
}>;


export type InvitationsQuery = { account: { id: string, invitations: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, email: string, role: Role, createdAt: string, expiresAt: string, invitedBy: { id: string, name: string, email: string } | null }> } } };

export type InviteMemberMutationVariables = Exact<{
  input: InviteMemberInput;
}>;


export type InviteMemberMutation = { inviteMember:
    | { __typename: 'Invitation', link: string | null, id: string, email: string, role: Role, createdAt: string, expiresAt: string, invitedBy: { id: string, name: string, email: string } | null }
    | { __typename: 'InviteMemberFailure', code: string, message: string }
   };

export type ResendInvitationMutationVariables = Exact<{
  id: string | number;
}>;


export type ResendInvitationMutation = { resendInvitation: { link: string | null, id: string, email: string, role: Role, createdAt: string, expiresAt: string, invitedBy: { id: string, name: string, email: string } | null } };

export type RevokeInvitationMutationVariables = Exact<{
  id: string | number;
}>;


export type RevokeInvitationMutation = { revokeInvitation: boolean };

export type ChangeRoleMutationVariables = Exact<{
  input: ChangeRoleInput;
}>;


export type ChangeRoleMutation = { changeRole: { id: string, role: Role, createdAt: string, lastSeenAt: string | null, user: { id: string, name: string, email: string } } };

export type RemoveMemberMutationVariables = Exact<{
  memberId: string | number;
}>;


export type RemoveMemberMutation = { removeMember: boolean };

export type TransferOwnershipMutationVariables = Exact<{
  input: TransferOwnershipInput;
}>;


export type TransferOwnershipMutation = { transferOwnership: { id: string, role: Role, createdAt: string, lastSeenAt: string | null, user: { id: string, name: string, email: string } } };

export type LeaveAccountMutationVariables = Exact<{ [key: string]: never; }>;


export type LeaveAccountMutation = { leaveAccount: boolean };

export type ToolKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type ToolKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string }> } };

export type LogContentQueryVariables = Exact<{
  id: string | number;
}>;


export type LogContentQuery = { usageLog: { id: string, content: { state: LoggedContentState, level: LoggedContentLevel | null, request: unknown, response: unknown, isComplete: boolean, error: { code: string, message: string | null } | null, redactions: Array<{ name: string, count: number }> } } | null };

export type DeleteLogContentMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteLogContentMutation = { deleteLoggedContent: string };

export type GivenFeedbackFragment = { id: string, name: string, boolean: boolean | null, number: number | null, category: string | null, comment: string | null, isOwn: boolean, updatedAt: string };

export type LogFeedbackQueryVariables = Exact<{
  id: string | number;
}>;


export type LogFeedbackQuery = { usageLog: { id: string, feedback: Array<{ id: string, name: string, boolean: boolean | null, number: number | null, category: string | null, comment: string | null, isOwn: boolean, updatedAt: string }> } | null };

export type SubmitFeedbackMutationVariables = Exact<{
  input: FeedbackInput;
}>;


export type SubmitFeedbackMutation = { submitFeedback: { id: string, name: string, boolean: boolean | null, number: number | null, category: string | null, comment: string | null, isOwn: boolean, updatedAt: string } };

export type DeleteFeedbackMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteFeedbackMutation = { deleteFeedback: string };

export type FeedbackMeansQueryVariables = Exact<{
  range: UsageRange;
  groupBy: Array<FeedbackDimension> | FeedbackDimension;
  filter?: UsageFilter | null | undefined;
}>;


export type FeedbackMeansQuery = { feedbackSummary: Array<{ name: string, model: string | null, route: string | null, count: number, scored: number, mean: number | null, apiKey: { id: string, name: string, hint: string } | null }> };

export type LogRowFragment = { id: string, requestId: string, createdAt: string, capability: string, protocol: TextProtocol | null, model: string, requestedModel: string, provider: string, status: RequestStatus, httpStatus: number, requests: number, errorCode: string | null, streamed: boolean, estimated: boolean, inputTokens: number, outputTokens: number, durationMs: number, firstTokenMs: number | null, cachedTokens: number, finishReason: string | null, endUser: string | null, sessionId: string | null, isUnpriced: boolean, apiKey: { id: string, name: string } | null, cost: { amount: string } };

export type UsageLogPageQueryVariables = Exact<{
  filter?: UsageLogFilter | null | undefined;
  orderBy?: UsageLogOrder | null | undefined;
  first: number;
  after?: string | null | undefined;
  withFeedback: boolean;
}>;


export type UsageLogPageQuery = { usageLogs: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, requestId: string, createdAt: string, capability: string, protocol: TextProtocol | null, model: string, requestedModel: string, provider: string, status: RequestStatus, httpStatus: number, requests: number, errorCode: string | null, streamed: boolean, estimated: boolean, inputTokens: number, outputTokens: number, durationMs: number, firstTokenMs: number | null, cachedTokens: number, finishReason: string | null, endUser: string | null, sessionId: string | null, isUnpriced: boolean, feedback?: Array<{ id: string, boolean: boolean | null, number: number | null, category: string | null }>, apiKey: { id: string, name: string } | null, cost: { amount: string } }> } };

export type UsageLogDetailsQueryVariables = Exact<{
  id: string | number;
}>;


export type UsageLogDetailsQuery = { usageLog: { admittedMs: number | null, lastOutputMs: number | null, reasoningTokens: number, priceVersion: string, parentId: string | null, traceId: string | null, member: string | null, id: string, requestId: string, createdAt: string, capability: string, protocol: TextProtocol | null, model: string, requestedModel: string, provider: string, status: RequestStatus, httpStatus: number, requests: number, errorCode: string | null, streamed: boolean, estimated: boolean, inputTokens: number, outputTokens: number, durationMs: number, firstTokenMs: number | null, cachedTokens: number, finishReason: string | null, endUser: string | null, sessionId: string | null, isUnpriced: boolean, units: Array<{ unit: string, quantity: string }>, tags: Array<{ name: string, value: string }>, routing: { orderedBy: OrderedBy, skipped: Array<{ provider: string, model: string, reason: SkipReason }> } | null, attempts: Array<{ provider: string, model: string, status: number | null, error: string | null, errorType: string | null, errorCode: string | null, errorMessage: string | null, requestId: string | null, startedMs: number | null, headMs: number | null, durationMs: number, rateLimits: Array<{ name: string, value: string }> }>, cacheSavings: { amount: string } | null, explanation: Array<{ label: string, tokens: number, unit: string, quantity: string, rate: string, per: number, amount: { amount: string } }>, apiKey: { id: string, name: string } | null, cost: { amount: string } } | null };

export type UsageChartsQueryVariables = Exact<{
  range: UsageRange;
  interval: Interval;
  groupBy: Array<UsageDimension> | UsageDimension;
  filter?: UsageFilter | null | undefined;
}>;


export type UsageChartsQuery = { usage: { from: string, coveredFrom: string, timeZone: string, truncated: boolean, total: { requests: number, errors: number, inputTokens: number, outputTokens: number, cost: { amount: string } }, groups: Array<{ start: string | null, model: string | null, apiKey: { id: string, name: string, hint: string } | null, usage: { requests: number, inputTokens: number, outputTokens: number, cost: { amount: string } } }> } };

export type ContentSearchQueryVariables = Exact<{ [key: string]: never; }>;


export type ContentSearchQuery = { account: { id: string, contentLogging: { search: boolean } } };

export type KeyNamesQueryVariables = Exact<{
  filter?: ApiKeyFilter | null | undefined;
  first: number;
}>;


export type KeyNamesQuery = { apiKeys: { totalCount: number, nodes: Array<{ id: string, name: string, revokedAt: string | null }> } };

export type KeyNameQueryVariables = Exact<{
  id: string | number;
}>;


export type KeyNameQuery = { node:
    | { __typename: 'AccessToken' }
    | { __typename: 'Account' }
    | { __typename: 'Alert' }
    | { __typename: 'AlertChannel' }
    | { __typename: 'AlertRule' }
    | { __typename: 'ApiKey', id: string, name: string }
    | { __typename: 'AuditEntry' }
    | { __typename: 'Batch' }
    | { __typename: 'BudgetStatus' }
    | { __typename: 'ChatCompletion' }
    | { __typename: 'Comparison' }
    | { __typename: 'Conversation' }
    | { __typename: 'Dataset' }
    | { __typename: 'DatasetItem' }
    | { __typename: 'DatasetRun' }
    | { __typename: 'Feedback' }
    | { __typename: 'Invitation' }
    | { __typename: 'Invoice' }
    | { __typename: 'LinkedIdentity' }
    | { __typename: 'Member' }
    | { __typename: 'Model' }
    | { __typename: 'ModelResponse' }
    | { __typename: 'ProviderCredential' }
    | { __typename: 'Route' }
    | { __typename: 'SavedView' }
    | { __typename: 'StoredFile' }
    | { __typename: 'UsageLog' }
    | { __typename: 'User' }
    | { __typename: 'UserSession' }
    | { __typename: 'Video' }
    | { __typename: 'Webhook' }
   | null };

export type NewRequestsSubscriptionVariables = Exact<{
  after?: string | null | undefined;
}>;


export type NewRequestsSubscription = { liveCompletions: { cursor: string | null, requestId: string | null, event:
      | { __typename: 'CompletionDelta' }
      | { __typename: 'CompletionFailed' }
      | { __typename: 'CompletionFinished' }
      | { __typename: 'CompletionReasoning' }
      | { __typename: 'CompletionStarted' }
      | { __typename: 'CompletionToolCall' }
      | { __typename: 'EventGap' }
     } };

export type WebhookPartsFragment = { id: string, url: string, events: Array<WebhookEvent>, secretHint: string, createdAt: string, lastDeliveredAt: string | null, lastAttemptAt: string | null, lastStatus: number | null, lastFailure: string | null, failingSince: string | null, disabledAt: string | null };

export type WebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhooksQuery = { webhooks: Array<{ id: string, url: string, events: Array<WebhookEvent>, secretHint: string, createdAt: string, lastDeliveredAt: string | null, lastAttemptAt: string | null, lastStatus: number | null, lastFailure: string | null, failingSince: string | null, disabledAt: string | null }> };

export type CreateWebhookMutationVariables = Exact<{
  input: CreateWebhookInput;
}>;


export type CreateWebhookMutation = { createWebhook: { secret: string, webhook: { id: string, url: string, events: Array<WebhookEvent>, secretHint: string, createdAt: string, lastDeliveredAt: string | null, lastAttemptAt: string | null, lastStatus: number | null, lastFailure: string | null, failingSince: string | null, disabledAt: string | null } } };

export type EnableWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type EnableWebhookMutation = { enableWebhook: { id: string, url: string, events: Array<WebhookEvent>, secretHint: string, createdAt: string, lastDeliveredAt: string | null, lastAttemptAt: string | null, lastStatus: number | null, lastFailure: string | null, failingSince: string | null, disabledAt: string | null } };

export type DeleteWebhookMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteWebhookMutation = { deleteWebhook: boolean };

export type PaletteKeysQueryVariables = Exact<{
  search: string;
}>;


export type PaletteKeysQuery = { apiKeys: { nodes: Array<{ id: string, name: string, hint: string }> } };

export type PaletteRequestsQueryVariables = Exact<{
  requestId: string;
}>;


export type PaletteRequestsQuery = { usageLogs: { nodes: Array<{ id: string, model: string, requestId: string }> } };

export type PaletteModelsQueryVariables = Exact<{
  search: string;
}>;


export type PaletteModelsQuery = { models: { nodes: Array<{ id: string, name: string }> } };

export type LogCoverageQueryVariables = Exact<{ [key: string]: never; }>;


export type LogCoverageQuery = { usageLogCoverage: { keptFrom: string | null, archivedMonths: Array<string> } };

export type SavedViewPartsFragment = { id: string, name: string, search: string, isShared: boolean, isOwn: boolean };

export type SavedViewsQueryVariables = Exact<{
  page: SavedViewPage;
}>;


export type SavedViewsQuery = { savedViews: Array<{ id: string, name: string, search: string, isShared: boolean, isOwn: boolean }> };

export type CreateSavedViewMutationVariables = Exact<{
  input: CreateSavedViewInput;
}>;


export type CreateSavedViewMutation = { createSavedView: { id: string, name: string, search: string, isShared: boolean, isOwn: boolean } };

export type UpdateSavedViewMutationVariables = Exact<{
  id: string | number;
  input: UpdateSavedViewInput;
}>;


export type UpdateSavedViewMutation = { updateSavedView: { id: string, name: string, search: string, isShared: boolean, isOwn: boolean } };

export type DeleteSavedViewMutationVariables = Exact<{
  id: string | number;
}>;


export type DeleteSavedViewMutation = { deleteSavedView: boolean };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { role: Role | null, user: { id: string, email: string, name: string, emailVerified: boolean, pendingEmail: string | null } | null, accounts: Array<{ accountId: string, accountName: string, role: Role, erasedAfter: string | null }>, currentAccount: { id: string, name: string, timeZone: string, zeroRetention: boolean, isOperator: boolean, spendingRestriction: SpendingRestriction | null, erasedAfter: string | null, period: { start: string, end: string }, plan: { id: string, name: string } } }, signInOptions: { sendsMail: boolean }, permissions: Array<{ action: string, does: string, roles: Array<Role>, keyScope: string | null }> };

export type RequestVerificationMutationVariables = Exact<{ [key: string]: never; }>;


export type RequestVerificationMutation = { requestEmailVerification: boolean };

export type SignOutMutationVariables = Exact<{ [key: string]: never; }>;


export type SignOutMutation = { signOut: boolean };

export type CancelAccountDeletionMutationVariables = Exact<{ [key: string]: never; }>;


export type CancelAccountDeletionMutation = { cancelAccountDeletion: { id: string, erasedAfter: string | null } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const AlertRulePartsFragmentDoc = new TypedDocumentString(`
    fragment AlertRuleParts on AlertRule {
  id
  name
  kind
  threshold
  resolveThreshold
  minimum
  windowMinutes
  percentile
  measure
  filter {
    model
    provider
    apiKeyId
    capability
    tag {
      name
      value
    }
  }
  channelIds
  mutedUntil
  enabled
  createdAt
  states {
    subject
    firing
    value
    evaluatedAt
    changedAt
  }
}
    `, {"fragmentName":"AlertRuleParts"}) as unknown as TypedDocumentString<AlertRulePartsFragment, unknown>;
export const AlertChannelPartsFragmentDoc = new TypedDocumentString(`
    fragment AlertChannelParts on AlertChannel {
  id
  name
  kind
  hint
  emails
  createdAt
}
    `, {"fragmentName":"AlertChannelParts"}) as unknown as TypedDocumentString<AlertChannelPartsFragment, unknown>;
export const AlertPartsFragmentDoc = new TypedDocumentString(`
    fragment AlertParts on Alert {
  id
  ruleId
  ruleName
  kind
  transition
  subject
  value
  threshold
  summary
  path
  createdAt
  deliveries {
    channelName
    channelKind
    email
    status
    attempts
    lastStatus
    lastFailure
    deliveredAt
  }
}
    `, {"fragmentName":"AlertParts"}) as unknown as TypedDocumentString<AlertPartsFragment, unknown>;
export const AnalyticsSumsFragmentDoc = new TypedDocumentString(`
    fragment AnalyticsSums on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cachedTokens
  cost {
    amount
  }
}
    `, {"fragmentName":"AnalyticsSums"}) as unknown as TypedDocumentString<AnalyticsSumsFragment, unknown>;
export const AnalyticsTimesFragmentDoc = new TypedDocumentString(`
    fragment AnalyticsTimes on UsageTotals {
  ...AnalyticsSums
  latency {
    p50
    p95
    p99
  }
  firstToken {
    p50
    p95
    p99
  }
  outputSpeed {
    p50
    p95
    p99
  }
}
    fragment AnalyticsSums on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cachedTokens
  cost {
    amount
  }
}`, {"fragmentName":"AnalyticsTimes"}) as unknown as TypedDocumentString<AnalyticsTimesFragment, unknown>;
export const AnalyticsCachesFragmentDoc = new TypedDocumentString(`
    fragment AnalyticsCaches on UsageTotals {
  promptCacheRequests
  promptCacheSavings {
    amount
  }
  responseCacheRequests
  responseCacheSavings {
    amount
  }
}
    `, {"fragmentName":"AnalyticsCaches"}) as unknown as TypedDocumentString<AnalyticsCachesFragment, unknown>;
export const AnalyticsDimensionsFragmentDoc = new TypedDocumentString(`
    fragment AnalyticsDimensions on UsageGroup {
  model
  provider
  capability
  member
  endUser
  errorCode
  tag {
    name
    value
  }
  apiKey {
    id
    name
    hint
  }
}
    `, {"fragmentName":"AnalyticsDimensions"}) as unknown as TypedDocumentString<AnalyticsDimensionsFragment, unknown>;
export const AuditRowFragmentDoc = new TypedDocumentString(`
    fragment AuditRow on AuditEntry {
  id
  createdAt
  action
  address
  userAgent
  requestId
  actor {
    kind
    label
    user {
      id
      name
    }
    apiKey {
      id
      name
    }
  }
  target {
    type
    id
    label
  }
  changes {
    field
    before
    after
  }
}
    `, {"fragmentName":"AuditRow"}) as unknown as TypedDocumentString<AuditRowFragment, unknown>;
export const BatchPartsFragmentDoc = new TypedDocumentString(`
    fragment BatchParts on Batch {
  id
  batchId
  endpoint
  status
  total
  succeeded
  errored
  errors {
    code
    message
    line
  }
  inputFileId
  outputFileId
  errorFileId
  createdAt
  endedAt
  expiresAt
}
    `, {"fragmentName":"BatchParts"}) as unknown as TypedDocumentString<BatchPartsFragment, unknown>;
export const LaneDetailsFragmentDoc = new TypedDocumentString(`
    fragment LaneDetails on ComparisonLane {
  lane
  model
  servedModel
  status
  output
  reasoning
  similarity
  dimensions
  finishReason
  firstTokenMs
  durationMs
  tokensPerSecond
  votes
  toolCalls {
    name
    arguments
  }
  media {
    contentType
    url
  }
  usage {
    inputTokens
    outputTokens
  }
  cost {
    amount
  }
  error {
    code
    message
  }
}
    `, {"fragmentName":"LaneDetails"}) as unknown as TypedDocumentString<LaneDetailsFragment, unknown>;
export const ComparisonHeadFragmentDoc = new TypedDocumentString(`
    fragment ComparisonHead on Comparison {
  id
  kind
  name
  prompt
  texts
  winner
  createdAt
  isRunning
  hasVoted
  votedFor
  sharedAt
  cost {
    amount
  }
}
    `, {"fragmentName":"ComparisonHead"}) as unknown as TypedDocumentString<ComparisonHeadFragment, unknown>;
export const DatasetPartsFragmentDoc = new TypedDocumentString(`
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}
    `, {"fragmentName":"DatasetParts"}) as unknown as TypedDocumentString<DatasetPartsFragment, unknown>;
export const DatasetItemPartsFragmentDoc = new TypedDocumentString(`
    fragment DatasetItemParts on DatasetItem {
  id
  usageLogId
  bytes
  createdAt
  messages
  parameters
  output
  model
  requestedAt
  dropped
  redactions {
    name
    count
  }
}
    `, {"fragmentName":"DatasetItemParts"}) as unknown as TypedDocumentString<DatasetItemPartsFragment, unknown>;
export const DatasetRunModelPartsFragmentDoc = new TypedDocumentString(`
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}
    `, {"fragmentName":"DatasetRunModelParts"}) as unknown as TypedDocumentString<DatasetRunModelPartsFragment, unknown>;
export const DatasetRunPartsFragmentDoc = new TypedDocumentString(`
    fragment DatasetRunParts on DatasetRun {
  id
  name
  status
  failureReason
  createdAt
  startedAt
  completedAt
  createdBy {
    id
    name
  }
  itemCount
  scorers
  models {
    ...DatasetRunModelParts
  }
}
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}`, {"fragmentName":"DatasetRunParts"}) as unknown as TypedDocumentString<DatasetRunPartsFragment, unknown>;
export const DatasetRunResultPartsFragmentDoc = new TypedDocumentString(`
    fragment DatasetRunResultParts on DatasetRunResult {
  position
  item {
    id
    messages
    output
  }
  outputs {
    model
    status
    isReadable
    text
    toolCalls
    errorCode
    errorMessage
    costUsd
    durationMs
    inputTokens
    outputTokens
    usageLogId
    scores {
      scorer
      value
    }
    judgement {
      status
      score
      reason
      isReadable
      errorCode
      errorMessage
      costUsd
      usageLogId
    }
  }
}
    `, {"fragmentName":"DatasetRunResultParts"}) as unknown as TypedDocumentString<DatasetRunResultPartsFragment, unknown>;
export const FilePartsFragmentDoc = new TypedDocumentString(`
    fragment FileParts on StoredFile {
  id
  fileId
  filename
  bytes
  purpose
  createdAt
  expiresAt
}
    `, {"fragmentName":"FileParts"}) as unknown as TypedDocumentString<FilePartsFragment, unknown>;
export const InvoiceLinePartsFragmentDoc = new TypedDocumentString(`
    fragment InvoiceLineParts on InvoiceLine {
  kind
  description
  model
  capability
  unit
  quantity
  amount {
    amount
  }
}
    `, {"fragmentName":"InvoiceLineParts"}) as unknown as TypedDocumentString<InvoiceLinePartsFragment, unknown>;
export const InvoicePartsFragmentDoc = new TypedDocumentString(`
    fragment InvoiceParts on Invoice {
  id
  number
  status
  periodStart
  periodEnd
  planName
  createdAt
  dueAt
  paidAt
  paymentReference
  pdfUrl
  total {
    amount
  }
}
    `, {"fragmentName":"InvoiceParts"}) as unknown as TypedDocumentString<InvoicePartsFragment, unknown>;
export const ListedKeyFragmentDoc = new TypedDocumentString(`
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
    `, {"fragmentName":"ListedKey"}) as unknown as TypedDocumentString<ListedKeyFragment, unknown>;
export const KeyFragmentDoc = new TypedDocumentString(`
    fragment Key on ApiKey {
  ...ListedKey
  modelAliases {
    name
    model
  }
  liveContent
  contentLevel
  contentMayRaise
  responseCacheSeconds
  createdAt
  createdBy {
    id
    name
  }
  limits {
    perModel {
      model
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
    perCapability {
      capability
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
  }
  moderation {
    model
    check
    action
  }
  budget {
    period
    periodEnd
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}`, {"fragmentName":"Key"}) as unknown as TypedDocumentString<KeyFragment, unknown>;
export const KeySpendFragmentDoc = new TypedDocumentString(`
    fragment KeySpend on UsageReport {
  total {
    cost {
      amount
    }
  }
}
    `, {"fragmentName":"KeySpend"}) as unknown as TypedDocumentString<KeySpendFragment, unknown>;
export const DataPolicyPartsFragmentDoc = new TypedDocumentString(`
    fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}
    `, {"fragmentName":"DataPolicyParts"}) as unknown as TypedDocumentString<DataPolicyPartsFragment, unknown>;
export const DeprecationPartsFragmentDoc = new TypedDocumentString(`
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}
    `, {"fragmentName":"DeprecationParts"}) as unknown as TypedDocumentString<DeprecationPartsFragment, unknown>;
export const ModelRowFragmentDoc = new TypedDocumentString(`
    fragment ModelRow on Model {
  id
  name
  provider
  contextWindow
  maxOutputTokens
  inputModalities
  outputModalities
  capabilities
  releasedAt
  isUnpriced
  region
  dataPolicy {
    ...DataPolicyParts
  }
  deprecation {
    ...DeprecationParts
  }
  pricing {
    input
    output
    cachedInput
    request
    units {
      unit
      price
      per
      size
      quality
    }
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}
fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}`, {"fragmentName":"ModelRow"}) as unknown as TypedDocumentString<ModelRowFragment, unknown>;
export const ModelDetailsFragmentDoc = new TypedDocumentString(`
    fragment ModelDetails on Model {
  ...ModelRow
  pricing {
    cacheWrite
    reasoning
    audioInput
    audioOutput
    imageInput
    imageOutput
    version
    tiers {
      aboveTokens
      input
      output
      cachedInput
    }
    serviceTiers {
      serviceTier
      input
      output
    }
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}
fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}
fragment ModelRow on Model {
  id
  name
  provider
  contextWindow
  maxOutputTokens
  inputModalities
  outputModalities
  capabilities
  releasedAt
  isUnpriced
  region
  dataPolicy {
    ...DataPolicyParts
  }
  deprecation {
    ...DeprecationParts
  }
  pricing {
    input
    output
    cachedInput
    request
    units {
      unit
      price
      per
      size
      quality
    }
  }
}`, {"fragmentName":"ModelDetails"}) as unknown as TypedDocumentString<ModelDetailsFragment, unknown>;
export const TotalsFragmentDoc = new TypedDocumentString(`
    fragment Totals on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cost {
    amount
  }
}
    `, {"fragmentName":"Totals"}) as unknown as TypedDocumentString<TotalsFragment, unknown>;
export const PerformanceFiguresPartsFragmentDoc = new TypedDocumentString(`
    fragment PerformanceFiguresParts on PerformanceFigures {
  attempts
  requests
  uptime
  errorRate
  latency {
    p50
    p95
  }
  firstToken {
    p50
    p95
  }
  tokensPerSecond
}
    `, {"fragmentName":"PerformanceFiguresParts"}) as unknown as TypedDocumentString<PerformanceFiguresPartsFragment, unknown>;
export const PerformancePartsFragmentDoc = new TypedDocumentString(`
    fragment PerformanceParts on PerformanceReport {
  from
  to
  interval
  timeZone
  total {
    ...PerformanceFiguresParts
  }
  intervals {
    start
    figures {
      ...PerformanceFiguresParts
    }
  }
  errors {
    code
    attempts
  }
  targets {
    model
    breaker
    availableInMs
    firstTokenMs
    tokensPerSecond
  }
}
    fragment PerformanceFiguresParts on PerformanceFigures {
  attempts
  requests
  uptime
  errorRate
  latency {
    p50
    p95
  }
  firstToken {
    p50
    p95
  }
  tokensPerSecond
}`, {"fragmentName":"PerformanceParts"}) as unknown as TypedDocumentString<PerformancePartsFragment, unknown>;
export const PlanPartsFragmentDoc = new TypedDocumentString(`
    fragment PlanParts on Plan {
  id
  name
  period
  overage
  markup
  retentionDays
  capabilities
  models
  offered
  fee {
    amount
  }
  allowance {
    amount
  }
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    apiKeys
  }
  accountLimits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
  }
  defaultKeyLimits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
  }
}
    `, {"fragmentName":"PlanParts"}) as unknown as TypedDocumentString<PlanPartsFragment, unknown>;
export const BudgetPartsFragmentDoc = new TypedDocumentString(`
    fragment BudgetParts on BudgetStatus {
  id
  subject
  period
  periodEnd
  alertAt
  amount {
    amount
  }
  spent {
    amount
  }
  reserved {
    amount
  }
  apiKey {
    id
    name
  }
  member {
    id
    name
  }
}
    `, {"fragmentName":"BudgetParts"}) as unknown as TypedDocumentString<BudgetPartsFragment, unknown>;
export const ProviderPartsFragmentDoc = new TypedDocumentString(`
    fragment ProviderParts on Provider {
  id
  name
  documentation
  needsKey
  baseUrl
  alsoKnownAs
  dataPolicy {
    ...DataPolicyParts
  }
  options {
    name
    isSecret
    description
  }
}
    fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}`, {"fragmentName":"ProviderParts"}) as unknown as TypedDocumentString<ProviderPartsFragment, unknown>;
export const ConnectionPartsFragmentDoc = new TypedDocumentString(`
    fragment ConnectionParts on ProviderCredential {
  id
  provider
  name
  baseUrl
  credentialHint
  secretOptionNames
  region
  trainsOnData
  retentionDays
  active
  createdAt
  updatedAt
  options {
    name
    value
  }
  lastTest {
    at
    succeeded
    message
  }
}
    `, {"fragmentName":"ConnectionParts"}) as unknown as TypedDocumentString<ConnectionPartsFragment, unknown>;
export const ProviderStatePartsFragmentDoc = new TypedDocumentString(`
    fragment ProviderStateParts on ProviderState {
  provider
  ownConnection
  modelCount
  region
  dataPolicy {
    ...DataPolicyParts
  }
  targets {
    model
    breaker
    availableInMs
    firstTokenMs
    tokensPerSecond
  }
}
    fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}`, {"fragmentName":"ProviderStateParts"}) as unknown as TypedDocumentString<ProviderStatePartsFragment, unknown>;
export const RoutePartsFragmentDoc = new TypedDocumentString(`
    fragment RouteParts on Route {
  id
  name
  order
  sticky
  parameters
  retries
  batches
  larger
  cacheSeconds
  createdAt
  updatedAt
  targets {
    model
    weight
  }
  timeouts {
    connectSeconds
    answerSeconds
    headersSeconds
    firstTokenSeconds
    betweenChunksSeconds
  }
  moderation {
    model
    check
    action
  }
}
    `, {"fragmentName":"RouteParts"}) as unknown as TypedDocumentString<RoutePartsFragment, unknown>;
export const SessionPartsFragmentDoc = new TypedDocumentString(`
    fragment SessionParts on RequestSession {
  sessionId
  firstRequestAt
  lastRequestAt
  endedAt
  durationMs
  models
  apiKeys {
    id
    name
  }
  usage {
    requests
    errors
    inputTokens
    outputTokens
    cachedTokens
    cost {
      amount
    }
  }
}
    `, {"fragmentName":"SessionParts"}) as unknown as TypedDocumentString<SessionPartsFragment, unknown>;
export const SessionEntryFragmentDoc = new TypedDocumentString(`
    fragment SessionEntry on SessionRequest {
  depth
  step
  request {
    id
    requestId
    createdAt
    capability
    model
    requestedModel
    status
    streamed
    estimated
    inputTokens
    outputTokens
    requests
    durationMs
    firstTokenMs
    cost {
      amount
    }
  }
}
    `, {"fragmentName":"SessionEntry"}) as unknown as TypedDocumentString<SessionEntryFragment, unknown>;
export const AccountContentLoggingFragmentDoc = new TypedDocumentString(`
    fragment AccountContentLogging on Account {
  id
  zeroRetention
  contentLogging {
    level
    isDefault
    retentionDays
    search
    redaction {
      detectors
      customPatterns {
        name
        pattern
      }
    }
  }
}
    `, {"fragmentName":"AccountContentLogging"}) as unknown as TypedDocumentString<AccountContentLoggingFragment, unknown>;
export const SelfFragmentDoc = new TypedDocumentString(`
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}
    `, {"fragmentName":"Self"}) as unknown as TypedDocumentString<SelfFragment, unknown>;
export const TeamMemberFragmentDoc = new TypedDocumentString(`
    fragment TeamMember on Member {
  id
  role
  createdAt
  lastSeenAt
  user {
    id
    name
    email
  }
}
    `, {"fragmentName":"TeamMember"}) as unknown as TypedDocumentString<TeamMemberFragment, unknown>;
export const OpenInvitationFragmentDoc = new TypedDocumentString(`
    fragment OpenInvitation on Invitation {
  id
  email
  role
  createdAt
  expiresAt
  invitedBy {
    id
    name
    email
  }
}
    `, {"fragmentName":"OpenInvitation"}) as unknown as TypedDocumentString<OpenInvitationFragment, unknown>;
export const GivenFeedbackFragmentDoc = new TypedDocumentString(`
    fragment GivenFeedback on Feedback {
  id
  name
  boolean
  number
  category
  comment
  isOwn
  updatedAt
}
    `, {"fragmentName":"GivenFeedback"}) as unknown as TypedDocumentString<GivenFeedbackFragment, unknown>;
export const LogRowFragmentDoc = new TypedDocumentString(`
    fragment LogRow on UsageLog {
  id
  requestId
  createdAt
  apiKey {
    id
    name
  }
  capability
  protocol
  model
  requestedModel
  provider
  status
  httpStatus
  requests
  errorCode
  streamed
  estimated
  inputTokens
  outputTokens
  durationMs
  firstTokenMs
  cachedTokens
  finishReason
  endUser
  sessionId
  isUnpriced
  cost {
    amount
  }
}
    `, {"fragmentName":"LogRow"}) as unknown as TypedDocumentString<LogRowFragment, unknown>;
export const WebhookPartsFragmentDoc = new TypedDocumentString(`
    fragment WebhookParts on Webhook {
  id
  url
  events
  secretHint
  createdAt
  lastDeliveredAt
  lastAttemptAt
  lastStatus
  lastFailure
  failingSince
  disabledAt
}
    `, {"fragmentName":"WebhookParts"}) as unknown as TypedDocumentString<WebhookPartsFragment, unknown>;
export const SavedViewPartsFragmentDoc = new TypedDocumentString(`
    fragment SavedViewParts on SavedView {
  id
  name
  search
  isShared
  isOwn
}
    `, {"fragmentName":"SavedViewParts"}) as unknown as TypedDocumentString<SavedViewPartsFragment, unknown>;
export const MemberNamesDocument = new TypedDocumentString(`
    query MemberNames($users: [ID!]!) {
  account {
    id
    members(first: 100, filter: {users: $users}) {
      nodes {
        id
        user {
          id
          name
          email
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<MemberNamesQuery, MemberNamesQueryVariables>;
export const AlertSettingsDocument = new TypedDocumentString(`
    query AlertSettings {
  alertRules {
    ...AlertRuleParts
  }
  alertChannels {
    ...AlertChannelParts
  }
}
    fragment AlertRuleParts on AlertRule {
  id
  name
  kind
  threshold
  resolveThreshold
  minimum
  windowMinutes
  percentile
  measure
  filter {
    model
    provider
    apiKeyId
    capability
    tag {
      name
      value
    }
  }
  channelIds
  mutedUntil
  enabled
  createdAt
  states {
    subject
    firing
    value
    evaluatedAt
    changedAt
  }
}
fragment AlertChannelParts on AlertChannel {
  id
  name
  kind
  hint
  emails
  createdAt
}`) as unknown as TypedDocumentString<AlertSettingsQuery, AlertSettingsQueryVariables>;
export const AlertHistoryDocument = new TypedDocumentString(`
    query AlertHistory($ruleId: ID, $first: Int, $after: Cursor) {
  alerts(ruleId: $ruleId, first: $first, after: $after) {
    nodes {
      ...AlertParts
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment AlertParts on Alert {
  id
  ruleId
  ruleName
  kind
  transition
  subject
  value
  threshold
  summary
  path
  createdAt
  deliveries {
    channelName
    channelKind
    email
    status
    attempts
    lastStatus
    lastFailure
    deliveredAt
  }
}`) as unknown as TypedDocumentString<AlertHistoryQuery, AlertHistoryQueryVariables>;
export const AlertPreviewDocument = new TypedDocumentString(`
    query AlertPreview($condition: AlertConditionInput!) {
  alertPreview(condition: $condition) {
    subject
    value
    fires
  }
}
    `) as unknown as TypedDocumentString<AlertPreviewQuery, AlertPreviewQueryVariables>;
export const AlertKeysDocument = new TypedDocumentString(`
    query AlertKeys {
  apiKeys(first: 100) {
    nodes {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<AlertKeysQuery, AlertKeysQueryVariables>;
export const CreateAlertRuleDocument = new TypedDocumentString(`
    mutation CreateAlertRule($input: AlertRuleInput!) {
  createAlertRule(input: $input) {
    ...AlertRuleParts
  }
}
    fragment AlertRuleParts on AlertRule {
  id
  name
  kind
  threshold
  resolveThreshold
  minimum
  windowMinutes
  percentile
  measure
  filter {
    model
    provider
    apiKeyId
    capability
    tag {
      name
      value
    }
  }
  channelIds
  mutedUntil
  enabled
  createdAt
  states {
    subject
    firing
    value
    evaluatedAt
    changedAt
  }
}`) as unknown as TypedDocumentString<CreateAlertRuleMutation, CreateAlertRuleMutationVariables>;
export const UpdateAlertRuleDocument = new TypedDocumentString(`
    mutation UpdateAlertRule($id: ID!, $input: AlertRuleInput!) {
  updateAlertRule(id: $id, input: $input) {
    ...AlertRuleParts
  }
}
    fragment AlertRuleParts on AlertRule {
  id
  name
  kind
  threshold
  resolveThreshold
  minimum
  windowMinutes
  percentile
  measure
  filter {
    model
    provider
    apiKeyId
    capability
    tag {
      name
      value
    }
  }
  channelIds
  mutedUntil
  enabled
  createdAt
  states {
    subject
    firing
    value
    evaluatedAt
    changedAt
  }
}`) as unknown as TypedDocumentString<UpdateAlertRuleMutation, UpdateAlertRuleMutationVariables>;
export const MuteAlertRuleDocument = new TypedDocumentString(`
    mutation MuteAlertRule($id: ID!, $until: DateTime) {
  muteAlertRule(id: $id, until: $until) {
    ...AlertRuleParts
  }
}
    fragment AlertRuleParts on AlertRule {
  id
  name
  kind
  threshold
  resolveThreshold
  minimum
  windowMinutes
  percentile
  measure
  filter {
    model
    provider
    apiKeyId
    capability
    tag {
      name
      value
    }
  }
  channelIds
  mutedUntil
  enabled
  createdAt
  states {
    subject
    firing
    value
    evaluatedAt
    changedAt
  }
}`) as unknown as TypedDocumentString<MuteAlertRuleMutation, MuteAlertRuleMutationVariables>;
export const DeleteAlertRuleDocument = new TypedDocumentString(`
    mutation DeleteAlertRule($id: ID!) {
  deleteAlertRule(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteAlertRuleMutation, DeleteAlertRuleMutationVariables>;
export const CreateAlertChannelDocument = new TypedDocumentString(`
    mutation CreateAlertChannel($input: CreateAlertChannelInput!) {
  createAlertChannel(input: $input) {
    secret
    channel {
      ...AlertChannelParts
    }
  }
}
    fragment AlertChannelParts on AlertChannel {
  id
  name
  kind
  hint
  emails
  createdAt
}`) as unknown as TypedDocumentString<CreateAlertChannelMutation, CreateAlertChannelMutationVariables>;
export const UpdateAlertChannelDocument = new TypedDocumentString(`
    mutation UpdateAlertChannel($id: ID!, $input: UpdateAlertChannelInput!) {
  updateAlertChannel(id: $id, input: $input) {
    secret
    channel {
      ...AlertChannelParts
    }
  }
}
    fragment AlertChannelParts on AlertChannel {
  id
  name
  kind
  hint
  emails
  createdAt
}`) as unknown as TypedDocumentString<UpdateAlertChannelMutation, UpdateAlertChannelMutationVariables>;
export const TestAlertChannelDocument = new TypedDocumentString(`
    mutation TestAlertChannel($id: ID!) {
  testAlertChannel(id: $id) {
    ...AlertParts
  }
}
    fragment AlertParts on Alert {
  id
  ruleId
  ruleName
  kind
  transition
  subject
  value
  threshold
  summary
  path
  createdAt
  deliveries {
    channelName
    channelKind
    email
    status
    attempts
    lastStatus
    lastFailure
    deliveredAt
  }
}`) as unknown as TypedDocumentString<TestAlertChannelMutation, TestAlertChannelMutationVariables>;
export const DeleteAlertChannelDocument = new TypedDocumentString(`
    mutation DeleteAlertChannel($id: ID!) {
  deleteAlertChannel(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteAlertChannelMutation, DeleteAlertChannelMutationVariables>;
export const AnalyticsTotalsDocument = new TypedDocumentString(`
    query AnalyticsTotals($range: UsageRange!, $previous: UsageRange!, $interval: Interval!, $filter: UsageFilter, $intervals: Int!) {
  current: usage(
    range: $range
    interval: $interval
    filter: $filter
    limit: $intervals
  ) {
    timeZone
    total {
      ...AnalyticsTimes
      ...AnalyticsCaches
    }
    groups {
      start
      usage {
        ...AnalyticsTimes
      }
    }
  }
  previous: usage(
    range: $previous
    interval: $interval
    filter: $filter
    limit: $intervals
  ) {
    total {
      ...AnalyticsTimes
      ...AnalyticsCaches
    }
    groups {
      start
      usage {
        ...AnalyticsTimes
      }
    }
  }
}
    fragment AnalyticsSums on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cachedTokens
  cost {
    amount
  }
}
fragment AnalyticsTimes on UsageTotals {
  ...AnalyticsSums
  latency {
    p50
    p95
    p99
  }
  firstToken {
    p50
    p95
    p99
  }
  outputSpeed {
    p50
    p95
    p99
  }
}
fragment AnalyticsCaches on UsageTotals {
  promptCacheRequests
  promptCacheSavings {
    amount
  }
  responseCacheRequests
  responseCacheSavings {
    amount
  }
}`) as unknown as TypedDocumentString<AnalyticsTotalsQuery, AnalyticsTotalsQueryVariables>;
export const AnalyticsGroupsDocument = new TypedDocumentString(`
    query AnalyticsGroups($range: UsageRange!, $previous: UsageRange!, $interval: Interval!, $groupBy: [UsageDimension!]!, $filter: UsageFilter, $limit: Int!) {
  byTime: usage(
    range: $range
    interval: $interval
    groupBy: $groupBy
    filter: $filter
    limit: $limit
  ) {
    truncated
    groups {
      start
      ...AnalyticsDimensions
      usage {
        ...AnalyticsSums
      }
    }
  }
  groups: usage(range: $range, groupBy: $groupBy, filter: $filter, limit: 100) {
    truncated
    groups {
      ...AnalyticsDimensions
      usage {
        ...AnalyticsSums
        ...AnalyticsCaches
        outputSpeed {
          p50
          p95
        }
      }
    }
  }
  before: usage(range: $previous, groupBy: $groupBy, filter: $filter, limit: 200) {
    truncated
    groups {
      ...AnalyticsDimensions
      usage {
        ...AnalyticsSums
      }
    }
  }
}
    fragment AnalyticsSums on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cachedTokens
  cost {
    amount
  }
}
fragment AnalyticsCaches on UsageTotals {
  promptCacheRequests
  promptCacheSavings {
    amount
  }
  responseCacheRequests
  responseCacheSavings {
    amount
  }
}
fragment AnalyticsDimensions on UsageGroup {
  model
  provider
  capability
  member
  endUser
  errorCode
  tag {
    name
    value
  }
  apiKey {
    id
    name
    hint
  }
}`) as unknown as TypedDocumentString<AnalyticsGroupsQuery, AnalyticsGroupsQueryVariables>;
export const AnalyticsErrorsDocument = new TypedDocumentString(`
    query AnalyticsErrors($range: UsageRange!, $interval: Interval!, $filter: UsageFilter, $limit: Int!) {
  byTime: usage(
    range: $range
    interval: $interval
    groupBy: [ERROR]
    filter: $filter
    limit: $limit
  ) {
    truncated
    groups {
      start
      errorCode
      usage {
        requests
      }
    }
  }
  codes: usage(range: $range, groupBy: [ERROR], filter: $filter, limit: 50) {
    groups {
      errorCode
      usage {
        requests
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AnalyticsErrorsQuery, AnalyticsErrorsQueryVariables>;
export const AuditLogDocument = new TypedDocumentString(`
    query AuditLog($filter: AuditFilter!, $first: Int!, $after: Cursor) {
  auditLog(filter: $filter, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...AuditRow
    }
  }
}
    fragment AuditRow on AuditEntry {
  id
  createdAt
  action
  address
  userAgent
  requestId
  actor {
    kind
    label
    user {
      id
      name
    }
    apiKey {
      id
      name
    }
  }
  target {
    type
    id
    label
  }
  changes {
    field
    before
    after
  }
}`) as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const AuditActorsDocument = new TypedDocumentString(`
    query AuditActors($nameContains: String, $first: Int!) {
  account {
    id
    members(first: $first, filter: {nameContains: $nameContains}) {
      totalCount
      nodes {
        id
        user {
          id
          name
          email
        }
      }
    }
  }
  apiKeys(
    first: $first
    filter: {nameContains: $nameContains, includeRevoked: true}
  ) {
    totalCount
    nodes {
      id
      name
      revokedAt
    }
  }
}
    `) as unknown as TypedDocumentString<AuditActorsQuery, AuditActorsQueryVariables>;
export const AuditActorDocument = new TypedDocumentString(`
    query AuditActor($id: ID!) {
  node(id: $id) {
    __typename
    ... on ApiKey {
      id
      name
    }
  }
  account {
    id
    members(first: 1, filter: {users: [$id]}) {
      nodes {
        id
        user {
          id
          name
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AuditActorQuery, AuditActorQueryVariables>;
export const AuditedEntryDocument = new TypedDocumentString(`
    query AuditedEntry($id: ID!) {
  node(id: $id) {
    __typename
    ... on AuditEntry {
      ...AuditRow
    }
  }
}
    fragment AuditRow on AuditEntry {
  id
  createdAt
  action
  address
  userAgent
  requestId
  actor {
    kind
    label
    user {
      id
      name
    }
    apiKey {
      id
      name
    }
  }
  target {
    type
    id
    label
  }
  changes {
    field
    before
    after
  }
}`) as unknown as TypedDocumentString<AuditedEntryQuery, AuditedEntryQueryVariables>;
export const BatchesDocument = new TypedDocumentString(`
    query Batches($first: Int!, $after: Cursor) {
  batches(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...BatchParts
    }
  }
}
    fragment BatchParts on Batch {
  id
  batchId
  endpoint
  status
  total
  succeeded
  errored
  errors {
    code
    message
    line
  }
  inputFileId
  outputFileId
  errorFileId
  createdAt
  endedAt
  expiresAt
}`) as unknown as TypedDocumentString<BatchesQuery, BatchesQueryVariables>;
export const OpenedBatchDocument = new TypedDocumentString(`
    query OpenedBatch($id: ID!) {
  batch(id: $id) {
    ...BatchParts
  }
}
    fragment BatchParts on Batch {
  id
  batchId
  endpoint
  status
  total
  succeeded
  errored
  errors {
    code
    message
    line
  }
  inputFileId
  outputFileId
  errorFileId
  createdAt
  endedAt
  expiresAt
}`) as unknown as TypedDocumentString<OpenedBatchQuery, OpenedBatchQueryVariables>;
export const BatchProgressDocument = new TypedDocumentString(`
    subscription BatchProgress {
  batchProgress {
    ...BatchParts
  }
}
    fragment BatchParts on Batch {
  id
  batchId
  endpoint
  status
  total
  succeeded
  errored
  errors {
    code
    message
    line
  }
  inputFileId
  outputFileId
  errorFileId
  createdAt
  endedAt
  expiresAt
}`) as unknown as TypedDocumentString<BatchProgressSubscription, BatchProgressSubscriptionVariables>;
export const CancelBatchDocument = new TypedDocumentString(`
    mutation CancelBatch($id: ID!) {
  cancelBatch(id: $id) {
    ...BatchParts
  }
}
    fragment BatchParts on Batch {
  id
  batchId
  endpoint
  status
  total
  succeeded
  errored
  errors {
    code
    message
    line
  }
  inputFileId
  outputFileId
  errorFileId
  createdAt
  endedAt
  expiresAt
}`) as unknown as TypedDocumentString<CancelBatchMutation, CancelBatchMutationVariables>;
export const ComparisonPageDocument = new TypedDocumentString(`
    query ComparisonPage($id: ID!) {
  comparison(id: $id) {
    ...ComparisonHead
    messages
    parameters
    lanes {
      ...LaneDetails
    }
  }
}
    fragment LaneDetails on ComparisonLane {
  lane
  model
  servedModel
  status
  output
  reasoning
  similarity
  dimensions
  finishReason
  firstTokenMs
  durationMs
  tokensPerSecond
  votes
  toolCalls {
    name
    arguments
  }
  media {
    contentType
    url
  }
  usage {
    inputTokens
    outputTokens
  }
  cost {
    amount
  }
  error {
    code
    message
  }
}
fragment ComparisonHead on Comparison {
  id
  kind
  name
  prompt
  texts
  winner
  createdAt
  isRunning
  hasVoted
  votedFor
  sharedAt
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<ComparisonPageQuery, ComparisonPageQueryVariables>;
export const ComparisonListDocument = new TypedDocumentString(`
    query ComparisonList($filter: ComparisonFilter, $first: Int!, $after: Cursor) {
  comparisons(filter: $filter, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...ComparisonHead
      messages
      lanes {
        lane
        model
      }
    }
  }
}
    fragment ComparisonHead on Comparison {
  id
  kind
  name
  prompt
  texts
  winner
  createdAt
  isRunning
  hasVoted
  votedFor
  sharedAt
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<ComparisonListQuery, ComparisonListQueryVariables>;
export const SharedComparisonPageDocument = new TypedDocumentString(`
    query SharedComparisonPage($token: String!) {
  sharedComparison(token: $token) {
    kind
    name
    prompt
    messages
    texts
    winner
    createdAt
    lanes {
      ...LaneDetails
    }
  }
}
    fragment LaneDetails on ComparisonLane {
  lane
  model
  servedModel
  status
  output
  reasoning
  similarity
  dimensions
  finishReason
  firstTokenMs
  durationMs
  tokensPerSecond
  votes
  toolCalls {
    name
    arguments
  }
  media {
    contentType
    url
  }
  usage {
    inputTokens
    outputTokens
  }
  cost {
    amount
  }
  error {
    code
    message
  }
}`) as unknown as TypedDocumentString<SharedComparisonPageQuery, SharedComparisonPageQueryVariables>;
export const ComparisonLiveDocument = new TypedDocumentString(`
    subscription ComparisonLive($id: ID!, $after: Cursor) {
  comparison(id: $id, after: $after) {
    cursor
    lane
    firstTokenMs
    tokensPerSecond
    runningCost {
      amount
    }
    event {
      __typename
      ... on CompletionStarted {
        servedModel: model
      }
      ... on CompletionDelta {
        choice
        text
      }
      ... on CompletionReasoning {
        thought: text
      }
      ... on ComparisonLaneFinished {
        result {
          ...LaneDetails
        }
      }
      ... on ComparisonLaneFailed {
        result {
          ...LaneDetails
        }
      }
      ... on ComparisonLaneCancelled {
        result {
          ...LaneDetails
        }
      }
    }
  }
}
    fragment LaneDetails on ComparisonLane {
  lane
  model
  servedModel
  status
  output
  reasoning
  similarity
  dimensions
  finishReason
  firstTokenMs
  durationMs
  tokensPerSecond
  votes
  toolCalls {
    name
    arguments
  }
  media {
    contentType
    url
  }
  usage {
    inputTokens
    outputTokens
  }
  cost {
    amount
  }
  error {
    code
    message
  }
}`) as unknown as TypedDocumentString<ComparisonLiveSubscription, ComparisonLiveSubscriptionVariables>;
export const StartComparisonDocument = new TypedDocumentString(`
    mutation StartComparison($input: StartComparisonInput!) {
  startComparison(input: $input) {
    id
  }
}
    `) as unknown as TypedDocumentString<StartComparisonMutation, StartComparisonMutationVariables>;
export const CancelLanesDocument = new TypedDocumentString(`
    mutation CancelLanes($id: ID!, $model: String) {
  cancelComparison(id: $id, model: $model) {
    id
  }
}
    `) as unknown as TypedDocumentString<CancelLanesMutation, CancelLanesMutationVariables>;
export const VoteComparisonDocument = new TypedDocumentString(`
    mutation VoteComparison($id: ID!, $winner: String) {
  voteComparison(id: $id, winner: $winner) {
    ...ComparisonHead
    lanes {
      lane
      votes
    }
  }
}
    fragment ComparisonHead on Comparison {
  id
  kind
  name
  prompt
  texts
  winner
  createdAt
  isRunning
  hasVoted
  votedFor
  sharedAt
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<VoteComparisonMutation, VoteComparisonMutationVariables>;
export const WithdrawVoteDocument = new TypedDocumentString(`
    mutation WithdrawVote($id: ID!) {
  withdrawComparisonVote(id: $id) {
    ...ComparisonHead
    lanes {
      lane
      votes
    }
  }
}
    fragment ComparisonHead on Comparison {
  id
  kind
  name
  prompt
  texts
  winner
  createdAt
  isRunning
  hasVoted
  votedFor
  sharedAt
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<WithdrawVoteMutation, WithdrawVoteMutationVariables>;
export const RenameComparisonDocument = new TypedDocumentString(`
    mutation RenameComparison($id: ID!, $name: String) {
  renameComparison(id: $id, name: $name) {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<RenameComparisonMutation, RenameComparisonMutationVariables>;
export const ShareComparisonDocument = new TypedDocumentString(`
    mutation ShareComparison($id: ID!) {
  shareComparison(id: $id) {
    token
    sharedAt
  }
}
    `) as unknown as TypedDocumentString<ShareComparisonMutation, ShareComparisonMutationVariables>;
export const UnshareComparisonDocument = new TypedDocumentString(`
    mutation UnshareComparison($id: ID!) {
  unshareComparison(id: $id) {
    id
    sharedAt
  }
}
    `) as unknown as TypedDocumentString<UnshareComparisonMutation, UnshareComparisonMutationVariables>;
export const DeleteComparisonDocument = new TypedDocumentString(`
    mutation DeleteComparison($id: ID!) {
  deleteComparison(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteComparisonMutation, DeleteComparisonMutationVariables>;
export const DatasetsDocument = new TypedDocumentString(`
    query Datasets($first: Int!, $after: Cursor) {
  datasets(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...DatasetParts
    }
  }
  datasetStorage {
    itemCount
    maxItems
    usedBytes
    maxBytes
  }
}
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<DatasetsQuery, DatasetsQueryVariables>;
export const DatasetHeadDocument = new TypedDocumentString(`
    query DatasetHead($id: ID!) {
  dataset(id: $id) {
    ...DatasetParts
  }
}
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<DatasetHeadQuery, DatasetHeadQueryVariables>;
export const DatasetItemsDocument = new TypedDocumentString(`
    query DatasetItems($id: ID!, $first: Int!, $after: Cursor) {
  dataset(id: $id) {
    id
    items(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...DatasetItemParts
      }
    }
  }
}
    fragment DatasetItemParts on DatasetItem {
  id
  usageLogId
  bytes
  createdAt
  messages
  parameters
  output
  model
  requestedAt
  dropped
  redactions {
    name
    count
  }
}`) as unknown as TypedDocumentString<DatasetItemsQuery, DatasetItemsQueryVariables>;
export const DatasetItemDocument = new TypedDocumentString(`
    query DatasetItem($id: ID!) {
  node(id: $id) {
    __typename
    ...DatasetItemParts
  }
}
    fragment DatasetItemParts on DatasetItem {
  id
  usageLogId
  bytes
  createdAt
  messages
  parameters
  output
  model
  requestedAt
  dropped
  redactions {
    name
    count
  }
}`) as unknown as TypedDocumentString<DatasetItemQuery, DatasetItemQueryVariables>;
export const CreateDatasetDocument = new TypedDocumentString(`
    mutation CreateDataset($name: String!) {
  createDataset(name: $name) {
    ...DatasetParts
  }
}
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<CreateDatasetMutation, CreateDatasetMutationVariables>;
export const RenameDatasetDocument = new TypedDocumentString(`
    mutation RenameDataset($id: ID!, $name: String!) {
  renameDataset(id: $id, name: $name) {
    ...DatasetParts
  }
}
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<RenameDatasetMutation, RenameDatasetMutationVariables>;
export const DeleteDatasetDocument = new TypedDocumentString(`
    mutation DeleteDataset($id: ID!) {
  deleteDataset(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteDatasetMutation, DeleteDatasetMutationVariables>;
export const AddToDatasetDocument = new TypedDocumentString(`
    mutation AddToDataset($input: AddToDatasetInput!) {
  addToDataset(input: $input) {
    added
    skipped {
      usageLogId
      reason
    }
    dataset {
      ...DatasetParts
    }
  }
}
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<AddToDatasetMutation, AddToDatasetMutationVariables>;
export const RemoveDatasetItemsDocument = new TypedDocumentString(`
    mutation RemoveDatasetItems($id: ID!, $itemIds: [ID!]!) {
  removeDatasetItems(id: $id, itemIds: $itemIds) {
    ...DatasetParts
  }
}
    fragment DatasetParts on Dataset {
  id
  name
  itemCount
  bytes
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<RemoveDatasetItemsMutation, RemoveDatasetItemsMutationVariables>;
export const DatasetRunsDocument = new TypedDocumentString(`
    query DatasetRuns($id: ID!, $first: Int!, $after: Cursor) {
  dataset(id: $id) {
    id
    runs(first: $first, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...DatasetRunParts
      }
    }
  }
}
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}
fragment DatasetRunParts on DatasetRun {
  id
  name
  status
  failureReason
  createdAt
  startedAt
  completedAt
  createdBy {
    id
    name
  }
  itemCount
  scorers
  models {
    ...DatasetRunModelParts
  }
}`) as unknown as TypedDocumentString<DatasetRunsQuery, DatasetRunsQueryVariables>;
export const AllDatasetRunsDocument = new TypedDocumentString(`
    query AllDatasetRuns($first: Int!, $after: Cursor) {
  datasetRuns(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...DatasetRunParts
      dataset {
        id
        name
      }
    }
  }
}
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}
fragment DatasetRunParts on DatasetRun {
  id
  name
  status
  failureReason
  createdAt
  startedAt
  completedAt
  createdBy {
    id
    name
  }
  itemCount
  scorers
  models {
    ...DatasetRunModelParts
  }
}`) as unknown as TypedDocumentString<AllDatasetRunsQuery, AllDatasetRunsQueryVariables>;
export const DatasetRunEstimateDocument = new TypedDocumentString(`
    query DatasetRunEstimate($datasetId: ID!, $models: [String!]!, $judge: String, $maxTokens: Int) {
  datasetRunEstimate(
    datasetId: $datasetId
    models: $models
    judge: $judge
    maxTokens: $maxTokens
  ) {
    models {
      model
      costUsd
    }
    judge {
      model
      costUsd
    }
  }
}
    `) as unknown as TypedDocumentString<DatasetRunEstimateQuery, DatasetRunEstimateQueryVariables>;
export const DatasetRunPageDocument = new TypedDocumentString(`
    query DatasetRunPage($id: ID!) {
  datasetRun(id: $id) {
    ...DatasetRunParts
    temperature
    maxTokens
    judge {
      model
      rubric
      scale
    }
    dataset {
      id
      name
    }
  }
}
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}
fragment DatasetRunParts on DatasetRun {
  id
  name
  status
  failureReason
  createdAt
  startedAt
  completedAt
  createdBy {
    id
    name
  }
  itemCount
  scorers
  models {
    ...DatasetRunModelParts
  }
}`) as unknown as TypedDocumentString<DatasetRunPageQuery, DatasetRunPageQueryVariables>;
export const DatasetRunResultsDocument = new TypedDocumentString(`
    query DatasetRunResults($id: ID!, $first: Int!, $after: Cursor, $onlyFailed: Boolean!, $onlyDifferent: Boolean!) {
  datasetRun(id: $id) {
    id
    results(
      first: $first
      after: $after
      onlyFailed: $onlyFailed
      onlyDifferent: $onlyDifferent
    ) {
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...DatasetRunResultParts
      }
    }
  }
}
    fragment DatasetRunResultParts on DatasetRunResult {
  position
  item {
    id
    messages
    output
  }
  outputs {
    model
    status
    isReadable
    text
    toolCalls
    errorCode
    errorMessage
    costUsd
    durationMs
    inputTokens
    outputTokens
    usageLogId
    scores {
      scorer
      value
    }
    judgement {
      status
      score
      reason
      isReadable
      errorCode
      errorMessage
      costUsd
      usageLogId
    }
  }
}`) as unknown as TypedDocumentString<DatasetRunResultsQuery, DatasetRunResultsQueryVariables>;
export const CreateDatasetRunDocument = new TypedDocumentString(`
    mutation CreateDatasetRun($input: CreateDatasetRunInput!) {
  createDatasetRun(input: $input) {
    ...DatasetRunParts
  }
}
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}
fragment DatasetRunParts on DatasetRun {
  id
  name
  status
  failureReason
  createdAt
  startedAt
  completedAt
  createdBy {
    id
    name
  }
  itemCount
  scorers
  models {
    ...DatasetRunModelParts
  }
}`) as unknown as TypedDocumentString<CreateDatasetRunMutation, CreateDatasetRunMutationVariables>;
export const CancelDatasetRunDocument = new TypedDocumentString(`
    mutation CancelDatasetRun($id: ID!) {
  cancelDatasetRun(id: $id) {
    ...DatasetRunParts
  }
}
    fragment DatasetRunModelParts on DatasetRunModel {
  model
  total
  completed
  failed
  waitingFor
  costUsd
  inputTokens
  outputTokens
  latencyP50Ms
  latencyP95Ms
  outputTokensPerSecond
  scores {
    scorer
    average
    count
  }
  errors {
    code
    count
  }
  judge {
    scored
    failed
    costUsd
    inputTokens
    outputTokens
    waitingFor
    errors {
      code
      count
    }
  }
  common {
    items
    costUsd
    inputTokens
    outputTokens
    latencyP50Ms
    latencyP95Ms
    outputTokensPerSecond
    scores {
      scorer
      average
      count
    }
  }
}
fragment DatasetRunParts on DatasetRun {
  id
  name
  status
  failureReason
  createdAt
  startedAt
  completedAt
  createdBy {
    id
    name
  }
  itemCount
  scorers
  models {
    ...DatasetRunModelParts
  }
}`) as unknown as TypedDocumentString<CancelDatasetRunMutation, CancelDatasetRunMutationVariables>;
export const DeleteDatasetRunDocument = new TypedDocumentString(`
    mutation DeleteDatasetRun($id: ID!) {
  deleteDatasetRun(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteDatasetRunMutation, DeleteDatasetRunMutationVariables>;
export const FilesDocument = new TypedDocumentString(`
    query Files($purpose: FilePurpose, $first: Int!, $after: Cursor) {
  files(purpose: $purpose, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...FileParts
    }
  }
  fileStorage {
    usedBytes
    maxBytes
  }
}
    fragment FileParts on StoredFile {
  id
  fileId
  filename
  bytes
  purpose
  createdAt
  expiresAt
}`) as unknown as TypedDocumentString<FilesQuery, FilesQueryVariables>;
export const OpenedFileDocument = new TypedDocumentString(`
    query OpenedFile($id: ID!) {
  file(id: $id) {
    ...FileParts
  }
}
    fragment FileParts on StoredFile {
  id
  fileId
  filename
  bytes
  purpose
  createdAt
  expiresAt
}`) as unknown as TypedDocumentString<OpenedFileQuery, OpenedFileQueryVariables>;
export const DeleteFileDocument = new TypedDocumentString(`
    mutation DeleteFile($id: ID!) {
  deleteFile(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteFileMutation, DeleteFileMutationVariables>;
export const InvitationOfferDocument = new TypedDocumentString(`
    query InvitationOffer($token: String!) {
  invitation(token: $token) {
    accountName
    role
    email
    expired
  }
}
    `) as unknown as TypedDocumentString<InvitationOfferQuery, InvitationOfferQueryVariables>;
export const CurrentUserDocument = new TypedDocumentString(`
    query CurrentUser {
  viewer {
    user {
      id
      email
    }
  }
}
    `) as unknown as TypedDocumentString<CurrentUserQuery, CurrentUserQueryVariables>;
export const AcceptInvitationDocument = new TypedDocumentString(`
    mutation AcceptInvitation($token: String!) {
  acceptInvitation(token: $token) {
    __typename
    ... on AccountMembership {
      accountId
      accountName
    }
    ... on AcceptInvitationFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<AcceptInvitationMutation, AcceptInvitationMutationVariables>;
export const InvoicesDocument = new TypedDocumentString(`
    query Invoices($first: Int!, $after: Cursor) {
  invoices(first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...InvoiceParts
    }
  }
}
    fragment InvoiceParts on Invoice {
  id
  number
  status
  periodStart
  periodEnd
  planName
  createdAt
  dueAt
  paidAt
  paymentReference
  pdfUrl
  total {
    amount
  }
}`) as unknown as TypedDocumentString<InvoicesQuery, InvoicesQueryVariables>;
export const TopUpOfferDocument = new TypedDocumentString(`
    query TopUpOffer {
  account {
    id
    canTopUp
  }
}
    `) as unknown as TypedDocumentString<TopUpOfferQuery, TopUpOfferQueryVariables>;
export const BillingDocument = new TypedDocumentString(`
    query Billing {
  account {
    id
    balance {
      amount
    }
  }
  upcomingInvoices {
    periodStart
    periodEnd
    planName
    lines {
      ...InvoiceLineParts
    }
    total {
      amount
    }
  }
}
    fragment InvoiceLineParts on InvoiceLine {
  kind
  description
  model
  capability
  unit
  quantity
  amount {
    amount
  }
}`) as unknown as TypedDocumentString<BillingQuery, BillingQueryVariables>;
export const InvoiceDocument = new TypedDocumentString(`
    query Invoice($id: ID!) {
  invoice(id: $id) {
    ...InvoiceParts
    lines {
      ...InvoiceLineParts
    }
  }
}
    fragment InvoiceLineParts on InvoiceLine {
  kind
  description
  model
  capability
  unit
  quantity
  amount {
    amount
  }
}
fragment InvoiceParts on Invoice {
  id
  number
  status
  periodStart
  periodEnd
  planName
  createdAt
  dueAt
  paidAt
  paymentReference
  pdfUrl
  total {
    amount
  }
}`) as unknown as TypedDocumentString<InvoiceQuery, InvoiceQueryVariables>;
export const TopUpDocument = new TypedDocumentString(`
    mutation TopUp($amount: Decimal!) {
  topUp(input: {amount: $amount}) {
    __typename
    ... on TopUpCheckout {
      url
    }
    ... on TopUpFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TopUpMutation, TopUpMutationVariables>;
export const KeysDocument = new TypedDocumentString(`
    query Keys($filter: ApiKeyFilter, $first: Int!, $after: Cursor, $month: UsageRange!, $all: UsageRange!, $withUsage: Boolean!) {
  apiKeys(filter: $filter, first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...ListedKey
      monthSpend: usage(range: $month) @include(if: $withUsage) {
        ...KeySpend
      }
      totalSpend: usage(range: $all) @include(if: $withUsage) {
        ...KeySpend
      }
    }
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
fragment KeySpend on UsageReport {
  total {
    cost {
      amount
    }
  }
}`) as unknown as TypedDocumentString<KeysQuery, KeysQueryVariables>;
export const OpenedKeyDocument = new TypedDocumentString(`
    query OpenedKey($id: ID!) {
  node(id: $id) {
    __typename
    ... on ApiKey {
      ...Key
    }
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
fragment Key on ApiKey {
  ...ListedKey
  modelAliases {
    name
    model
  }
  liveContent
  contentLevel
  contentMayRaise
  responseCacheSeconds
  createdAt
  createdBy {
    id
    name
  }
  limits {
    perModel {
      model
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
    perCapability {
      capability
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
  }
  moderation {
    model
    check
    action
  }
  budget {
    period
    periodEnd
  }
}`) as unknown as TypedDocumentString<OpenedKeyQuery, OpenedKeyQueryVariables>;
export const KeyUsageDocument = new TypedDocumentString(`
    query KeyUsage($filter: UsageFilter!, $range: UsageRange!, $interval: Interval!) {
  usage(range: $range, interval: $interval, filter: $filter) {
    timeZone
    total {
      requests
      errors
      cost {
        amount
      }
    }
    groups {
      start
      usage {
        requests
        cost {
          amount
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<KeyUsageQuery, KeyUsageQueryVariables>;
export const ModelNamesDocument = new TypedDocumentString(`
    query ModelNames($search: String!) {
  models(filter: {search: $search}, first: 20) {
    nodes {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<ModelNamesQuery, ModelNamesQueryVariables>;
export const CreateKeyDocument = new TypedDocumentString(`
    mutation CreateKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    secret
    apiKey {
      ...Key
    }
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
fragment Key on ApiKey {
  ...ListedKey
  modelAliases {
    name
    model
  }
  liveContent
  contentLevel
  contentMayRaise
  responseCacheSeconds
  createdAt
  createdBy {
    id
    name
  }
  limits {
    perModel {
      model
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
    perCapability {
      capability
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
  }
  moderation {
    model
    check
    action
  }
  budget {
    period
    periodEnd
  }
}`) as unknown as TypedDocumentString<CreateKeyMutation, CreateKeyMutationVariables>;
export const UpdateKeyDocument = new TypedDocumentString(`
    mutation UpdateKey($input: UpdateApiKeyInput!) {
  updateApiKey(input: $input) {
    ...Key
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
fragment Key on ApiKey {
  ...ListedKey
  modelAliases {
    name
    model
  }
  liveContent
  contentLevel
  contentMayRaise
  responseCacheSeconds
  createdAt
  createdBy {
    id
    name
  }
  limits {
    perModel {
      model
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
    perCapability {
      capability
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
  }
  moderation {
    model
    check
    action
  }
  budget {
    period
    periodEnd
  }
}`) as unknown as TypedDocumentString<UpdateKeyMutation, UpdateKeyMutationVariables>;
export const RevokeKeyDocument = new TypedDocumentString(`
    mutation RevokeKey($id: ID!) {
  revokeApiKey(id: $id) {
    ...Key
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
fragment Key on ApiKey {
  ...ListedKey
  modelAliases {
    name
    model
  }
  liveContent
  contentLevel
  contentMayRaise
  responseCacheSeconds
  createdAt
  createdBy {
    id
    name
  }
  limits {
    perModel {
      model
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
    perCapability {
      capability
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
  }
  moderation {
    model
    check
    action
  }
  budget {
    period
    periodEnd
  }
}`) as unknown as TypedDocumentString<RevokeKeyMutation, RevokeKeyMutationVariables>;
export const RotateKeyDocument = new TypedDocumentString(`
    mutation RotateKey($input: RotateApiKeyInput!) {
  rotateApiKey(input: $input) {
    secret
    apiKey {
      ...Key
    }
  }
}
    fragment ListedKey on ApiKey {
  id
  name
  hint
  scopes
  allowedModels
  modelAliasCount
  expiresAt
  expiresSoon
  previousSecretExpiresAt
  lastUsedAt
  revokedAt
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    limitedModels
    limitedCapabilities
  }
  budget {
    id
    amount {
      amount
    }
    spent {
      amount
    }
  }
}
fragment Key on ApiKey {
  ...ListedKey
  modelAliases {
    name
    model
  }
  liveContent
  contentLevel
  contentMayRaise
  responseCacheSeconds
  createdAt
  createdBy {
    id
    name
  }
  limits {
    perModel {
      model
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
    perCapability {
      capability
      requestsPerMinute
      tokensPerMinute
      requestsPerDay
      concurrency
    }
  }
  moderation {
    model
    check
    action
  }
  budget {
    period
    periodEnd
  }
}`) as unknown as TypedDocumentString<RotateKeyMutation, RotateKeyMutationVariables>;
export const CreateAccessTokenDocument = new TypedDocumentString(`
    mutation CreateAccessToken($input: CreateAccessTokenInput!) {
  createAccessToken(input: $input) {
    token
    expiresAt
    scopes
  }
}
    `) as unknown as TypedDocumentString<CreateAccessTokenMutation, CreateAccessTokenMutationVariables>;
export const AccessTokensDocument = new TypedDocumentString(`
    query AccessTokens($apiKeyId: ID!, $first: Int!) {
  accessTokens(apiKeyId: $apiKeyId, first: $first) {
    pageInfo {
      hasNextPage
    }
    nodes {
      id
      scopes
      createdAt
      expiresAt
      createdBy {
        id
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<AccessTokensQuery, AccessTokensQueryVariables>;
export const RevokeAccessTokenDocument = new TypedDocumentString(`
    mutation RevokeAccessToken($id: ID!) {
  revokeAccessToken(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeAccessTokenMutation, RevokeAccessTokenMutationVariables>;
export const ModelListDocument = new TypedDocumentString(`
    query ModelList($filter: ModelFilter, $orderBy: ModelOrder, $first: Int!, $after: Cursor) {
  models(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...ModelRow
    }
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}
fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}
fragment ModelRow on Model {
  id
  name
  provider
  contextWindow
  maxOutputTokens
  inputModalities
  outputModalities
  capabilities
  releasedAt
  isUnpriced
  region
  dataPolicy {
    ...DataPolicyParts
  }
  deprecation {
    ...DeprecationParts
  }
  pricing {
    input
    output
    cachedInput
    request
    units {
      unit
      price
      per
      size
      quality
    }
  }
}`) as unknown as TypedDocumentString<ModelListQuery, ModelListQueryVariables>;
export const ModelPageDocument = new TypedDocumentString(`
    query ModelPage($id: ID!, $model: String!, $range: UsageRange!) {
  model(id: $id) {
    ...ModelDetails
  }
  usage(range: $range, filter: {model: $model}) {
    total {
      requests
      errors
      cost {
        amount
      }
      latency {
        p50
        p95
      }
      firstToken {
        p50
        p95
      }
    }
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}
fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}
fragment ModelRow on Model {
  id
  name
  provider
  contextWindow
  maxOutputTokens
  inputModalities
  outputModalities
  capabilities
  releasedAt
  isUnpriced
  region
  dataPolicy {
    ...DataPolicyParts
  }
  deprecation {
    ...DeprecationParts
  }
  pricing {
    input
    output
    cachedInput
    request
    units {
      unit
      price
      per
      size
      quality
    }
  }
}
fragment ModelDetails on Model {
  ...ModelRow
  pricing {
    cacheWrite
    reasoning
    audioInput
    audioOutput
    imageInput
    imageOutput
    version
    tiers {
      aboveTokens
      input
      output
      cachedInput
    }
    serviceTiers {
      serviceTier
      input
      output
    }
  }
}`) as unknown as TypedDocumentString<ModelPageQuery, ModelPageQueryVariables>;
export const ComparedModelDocument = new TypedDocumentString(`
    query ComparedModel($id: ID!) {
  model(id: $id) {
    ...ModelDetails
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}
fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}
fragment ModelRow on Model {
  id
  name
  provider
  contextWindow
  maxOutputTokens
  inputModalities
  outputModalities
  capabilities
  releasedAt
  isUnpriced
  region
  dataPolicy {
    ...DataPolicyParts
  }
  deprecation {
    ...DeprecationParts
  }
  pricing {
    input
    output
    cachedInput
    request
    units {
      unit
      price
      per
      size
      quality
    }
  }
}
fragment ModelDetails on Model {
  ...ModelRow
  pricing {
    cacheWrite
    reasoning
    audioInput
    audioOutput
    imageInput
    imageOutput
    version
    tiers {
      aboveTokens
      input
      output
      cachedInput
    }
    serviceTiers {
      serviceTier
      input
      output
    }
  }
}`) as unknown as TypedDocumentString<ComparedModelQuery, ComparedModelQueryVariables>;
export const ModelDeprecationDocument = new TypedDocumentString(`
    query ModelDeprecation($id: ID!) {
  model(id: $id) {
    id
    deprecation {
      ...DeprecationParts
    }
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}`) as unknown as TypedDocumentString<ModelDeprecationQuery, ModelDeprecationQueryVariables>;
export const KeysOfModelDocument = new TypedDocumentString(`
    query KeysOfModel($model: String!, $range: UsageRange!) {
  usage(range: $range, filter: {model: $model}, groupBy: [KEY], limit: 50) {
    groups {
      apiKey {
        id
        name
      }
      usage {
        requests
      }
    }
  }
}
    `) as unknown as TypedDocumentString<KeysOfModelQuery, KeysOfModelQueryVariables>;
export const ModelsOfKeyDocument = new TypedDocumentString(`
    query ModelsOfKey($apiKeyId: ID!, $range: UsageRange!) {
  usage(range: $range, filter: {apiKeyId: $apiKeyId}, groupBy: [MODEL], limit: 50) {
    groups {
      model
    }
  }
}
    `) as unknown as TypedDocumentString<ModelsOfKeyQuery, ModelsOfKeyQueryVariables>;
export const DeprecatedModelsDocument = new TypedDocumentString(`
    query DeprecatedModels($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on Model {
      id
      deprecation {
        ...DeprecationParts
      }
    }
  }
}
    fragment DeprecationParts on ModelDeprecation {
  announcedAt
  shutdownAt
  replacement
  source
  readAt
}`) as unknown as TypedDocumentString<DeprecatedModelsQuery, DeprecatedModelsQueryVariables>;
export const ModelRegionsDocument = new TypedDocumentString(`
    query ModelRegions {
  modelRegions
}
    `) as unknown as TypedDocumentString<ModelRegionsQuery, ModelRegionsQueryVariables>;
export const ModelProvidersDocument = new TypedDocumentString(`
    query ModelProviders {
  providers {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<ModelProvidersQuery, ModelProvidersQueryVariables>;
export const TryModelDocument = new TypedDocumentString(`
    subscription TryModel($input: CompletionInput!, $after: Cursor) {
  completion(input: $input, after: $after) {
    __typename
    ... on CompletionStarted {
      cursor
    }
    ... on CompletionDelta {
      cursor
      text
    }
    ... on CompletionReasoning {
      cursor
    }
    ... on CompletionFinished {
      cursor
      finishReason
      durationMs
      firstTokenMs
      cost {
        amount
      }
      usage {
        inputTokens
        outputTokens
      }
    }
    ... on CompletionFailed {
      cursor
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<TryModelSubscription, TryModelSubscriptionVariables>;
export const MeasuredModelsDocument = new TypedDocumentString(`
    query MeasuredModels($range: UsageRange!) {
  usage(range: $range, groupBy: [MODEL]) {
    groups {
      model
      usage {
        requests
        latency {
          p50
        }
        firstToken {
          p50
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<MeasuredModelsQuery, MeasuredModelsQueryVariables>;
export const CreateFirstKeyDocument = new TypedDocumentString(`
    mutation CreateFirstKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    secret
    apiKey {
      id
      name
      hint
    }
  }
}
    `) as unknown as TypedDocumentString<CreateFirstKeyMutation, CreateFirstKeyMutationVariables>;
export const OverviewUsageDocument = new TypedDocumentString(`
    query OverviewUsage($range: UsageRange!, $interval: Interval!) {
  usage(range: $range, interval: $interval) {
    timeZone
    total {
      ...Totals
      latency {
        p50
        p95
      }
    }
    groups {
      start
      usage {
        ...Totals
        latency {
          p50
          p95
        }
      }
    }
  }
}
    fragment Totals on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<OverviewUsageQuery, OverviewUsageQueryVariables>;
export const OverviewModelsDocument = new TypedDocumentString(`
    query OverviewModels($range: UsageRange!, $interval: Interval!) {
  byTime: usage(range: $range, interval: $interval, groupBy: [MODEL], limit: 5000) {
    truncated
    groups {
      start
      model
      usage {
        ...Totals
      }
    }
  }
  models: usage(range: $range, groupBy: [MODEL], limit: 50) {
    groups {
      model
      usage {
        ...Totals
      }
    }
  }
}
    fragment Totals on UsageTotals {
  requests
  errors
  inputTokens
  outputTokens
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<OverviewModelsQuery, OverviewModelsQueryVariables>;
export const OverviewLimitsDocument = new TypedDocumentString(`
    query OverviewLimits($period: UsageRange!) {
  account {
    id
    includedUsage {
      amount
    }
  }
  usage(range: $period) {
    total {
      cost {
        amount
      }
    }
  }
  budgets {
    id
    subject
    amount {
      amount
    }
    period
    periodEnd
    spent {
      amount
    }
    apiKey {
      id
      name
    }
    member {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<OverviewLimitsQuery, OverviewLimitsQueryVariables>;
export const OverviewFirstDocument = new TypedDocumentString(`
    query OverviewFirst {
  usageLogs(first: 1) {
    nodes {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<OverviewFirstQuery, OverviewFirstQueryVariables>;
export const LiveDocument = new TypedDocumentString(`
    subscription Live($after: Cursor) {
  liveCompletions(after: $after) {
    cursor
    requestId
    apiKeyId
    model
    at
    event {
      __typename
      ... on CompletionStarted {
        provider
      }
      ... on CompletionDelta {
        text
      }
      ... on CompletionFinished {
        durationMs
        firstTokenMs
        cost {
          amount
        }
        usage {
          inputTokens
          outputTokens
        }
      }
      ... on CompletionFailed {
        code
        message
      }
    }
  }
}
    `) as unknown as TypedDocumentString<LiveSubscription, LiveSubscriptionVariables>;
export const ModelPerformanceDocument = new TypedDocumentString(`
    query ModelPerformance($model: String!, $range: UsageRange!) {
  modelPerformance(model: $model, range: $range) {
    ...PerformanceParts
  }
}
    fragment PerformanceFiguresParts on PerformanceFigures {
  attempts
  requests
  uptime
  errorRate
  latency {
    p50
    p95
  }
  firstToken {
    p50
    p95
  }
  tokensPerSecond
}
fragment PerformanceParts on PerformanceReport {
  from
  to
  interval
  timeZone
  total {
    ...PerformanceFiguresParts
  }
  intervals {
    start
    figures {
      ...PerformanceFiguresParts
    }
  }
  errors {
    code
    attempts
  }
  targets {
    model
    breaker
    availableInMs
    firstTokenMs
    tokensPerSecond
  }
}`) as unknown as TypedDocumentString<ModelPerformanceQuery, ModelPerformanceQueryVariables>;
export const ProviderPerformanceDocument = new TypedDocumentString(`
    query ProviderPerformance($provider: String!, $range: UsageRange!) {
  providerPerformance(provider: $provider, range: $range) {
    ...PerformanceParts
    models {
      model
      figures {
        ...PerformanceFiguresParts
      }
    }
  }
}
    fragment PerformanceFiguresParts on PerformanceFigures {
  attempts
  requests
  uptime
  errorRate
  latency {
    p50
    p95
  }
  firstToken {
    p50
    p95
  }
  tokensPerSecond
}
fragment PerformanceParts on PerformanceReport {
  from
  to
  interval
  timeZone
  total {
    ...PerformanceFiguresParts
  }
  intervals {
    start
    figures {
      ...PerformanceFiguresParts
    }
  }
  errors {
    code
    attempts
  }
  targets {
    model
    breaker
    availableInMs
    firstTokenMs
    tokensPerSecond
  }
}`) as unknown as TypedDocumentString<ProviderPerformanceQuery, ProviderPerformanceQueryVariables>;
export const PlansDocument = new TypedDocumentString(`
    query Plans {
  account {
    id
    name
    timeZone
    period {
      start
      end
    }
    includedUsage {
      amount
    }
    plan {
      ...PlanParts
    }
    pendingPlan {
      at
      plan {
        id
        name
      }
    }
  }
  plans {
    ...PlanParts
  }
}
    fragment PlanParts on Plan {
  id
  name
  period
  overage
  markup
  retentionDays
  capabilities
  models
  offered
  fee {
    amount
  }
  allowance {
    amount
  }
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    apiKeys
  }
  accountLimits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
  }
  defaultKeyLimits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
  }
}`) as unknown as TypedDocumentString<PlansQuery, PlansQueryVariables>;
export const PlanChangePreviewDocument = new TypedDocumentString(`
    query PlanChangePreview($plan: ID!) {
  planChangePreview(plan: $plan) {
    at
    pending
    renewsAt
    canReturn
    amount {
      amount
    }
    includedUsage {
      amount
    }
    from {
      ...PlanParts
    }
    to {
      ...PlanParts
    }
  }
}
    fragment PlanParts on Plan {
  id
  name
  period
  overage
  markup
  retentionDays
  capabilities
  models
  offered
  fee {
    amount
  }
  allowance {
    amount
  }
  limits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
    apiKeys
  }
  accountLimits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
  }
  defaultKeyLimits {
    requestsPerMinute
    tokensPerMinute
    requestsPerDay
    concurrency
  }
}`) as unknown as TypedDocumentString<PlanChangePreviewQuery, PlanChangePreviewQueryVariables>;
export const BudgetsDocument = new TypedDocumentString(`
    query Budgets {
  budgets {
    ...BudgetParts
  }
}
    fragment BudgetParts on BudgetStatus {
  id
  subject
  period
  periodEnd
  alertAt
  amount {
    amount
  }
  spent {
    amount
  }
  reserved {
    amount
  }
  apiKey {
    id
    name
  }
  member {
    id
    name
  }
}`) as unknown as TypedDocumentString<BudgetsQuery, BudgetsQueryVariables>;
export const PeriodSpendDocument = new TypedDocumentString(`
    query PeriodSpend($range: UsageRange!) {
  usage(range: $range) {
    total {
      requests
      cost {
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PeriodSpendQuery, PeriodSpendQueryVariables>;
export const ChangePlanDocument = new TypedDocumentString(`
    mutation ChangePlan($plan: ID!) {
  changePlan(plan: $plan) {
    at
    pending
    amount {
      amount
    }
    to {
      id
      name
    }
    account {
      id
      plan {
        id
      }
      pendingPlan {
        at
        plan {
          id
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ChangePlanMutation, ChangePlanMutationVariables>;
export const CancelPlanChangeDocument = new TypedDocumentString(`
    mutation CancelPlanChange {
  cancelPlanChange {
    id
    pendingPlan {
      at
      plan {
        id
      }
    }
  }
}
    `) as unknown as TypedDocumentString<CancelPlanChangeMutation, CancelPlanChangeMutationVariables>;
export const SetAccountBudgetDocument = new TypedDocumentString(`
    mutation SetAccountBudget($budget: Budget!) {
  setBudget(input: {budget: $budget}) {
    ...BudgetParts
  }
}
    fragment BudgetParts on BudgetStatus {
  id
  subject
  period
  periodEnd
  alertAt
  amount {
    amount
  }
  spent {
    amount
  }
  reserved {
    amount
  }
  apiKey {
    id
    name
  }
  member {
    id
    name
  }
}`) as unknown as TypedDocumentString<SetAccountBudgetMutation, SetAccountBudgetMutationVariables>;
export const RemoveBudgetDocument = new TypedDocumentString(`
    mutation RemoveBudget($id: ID!) {
  removeBudget(id: $id)
}
    `) as unknown as TypedDocumentString<RemoveBudgetMutation, RemoveBudgetMutationVariables>;
export const PlaygroundCompletionDocument = new TypedDocumentString(`
    subscription PlaygroundCompletion($input: CompletionInput!, $after: Cursor) {
  completion(input: $input, after: $after) {
    __typename
    ... on CompletionStarted {
      cursor
      servedModel: model
    }
    ... on CompletionDelta {
      cursor
      text
    }
    ... on CompletionReasoning {
      cursor
      thought: text
    }
    ... on CompletionToolCall {
      cursor
      index
      callId: id
      name
      arguments
    }
    ... on CompletionFinished {
      cursor
      finishReason
      durationMs
      firstTokenMs
      cost {
        amount
      }
      usage {
        inputTokens
        outputTokens
        reasoningTokens
      }
    }
    ... on CompletionFailed {
      cursor
      code
      message
    }
    ... on EventGap {
      cursor
    }
  }
}
    `) as unknown as TypedDocumentString<PlaygroundCompletionSubscription, PlaygroundCompletionSubscriptionVariables>;
export const StopCompletionDocument = new TypedDocumentString(`
    mutation StopCompletion($clientRequestId: ID!) {
  cancelCompletion(clientRequestId: $clientRequestId)
}
    `) as unknown as TypedDocumentString<StopCompletionMutation, StopCompletionMutationVariables>;
export const PlaygroundVideoDocument = new TypedDocumentString(`
    subscription PlaygroundVideo($id: ID!) {
  videoProgress(id: $id) {
    id
    videoId
    status
    progress
    seconds
    size
    cost {
      amount
    }
    error {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PlaygroundVideoSubscription, PlaygroundVideoSubscriptionVariables>;
export const RequestReplayDocument = new TypedDocumentString(`
    query RequestReplay($id: ID!) {
  requestReplay(id: $id) {
    model
    messages
    parameters
    dropped
    redactions {
      name
      count
    }
    conversionError
  }
}
    `) as unknown as TypedDocumentString<RequestReplayQuery, RequestReplayQueryVariables>;
export const ProvidersDocument = new TypedDocumentString(`
    query Providers {
  providers {
    ...ProviderParts
  }
  providerConnections {
    ...ConnectionParts
  }
  providerStates {
    ...ProviderStateParts
  }
}
    fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}
fragment ProviderParts on Provider {
  id
  name
  documentation
  needsKey
  baseUrl
  alsoKnownAs
  dataPolicy {
    ...DataPolicyParts
  }
  options {
    name
    isSecret
    description
  }
}
fragment ConnectionParts on ProviderCredential {
  id
  provider
  name
  baseUrl
  credentialHint
  secretOptionNames
  region
  trainsOnData
  retentionDays
  active
  createdAt
  updatedAt
  options {
    name
    value
  }
  lastTest {
    at
    succeeded
    message
  }
}
fragment ProviderStateParts on ProviderState {
  provider
  ownConnection
  modelCount
  region
  dataPolicy {
    ...DataPolicyParts
  }
  targets {
    model
    breaker
    availableInMs
    firstTokenMs
    tokensPerSecond
  }
}`) as unknown as TypedDocumentString<ProvidersQuery, ProvidersQueryVariables>;
export const ProviderPoliciesDocument = new TypedDocumentString(`
    query ProviderPolicies {
  providerStates {
    provider
    region
    dataPolicy {
      ...DataPolicyParts
    }
  }
}
    fragment DataPolicyParts on DataPolicy {
  trainsOnData
  retentionDays
  isSetByConnection
  source
  readAt
}`) as unknown as TypedDocumentString<ProviderPoliciesQuery, ProviderPoliciesQueryVariables>;
export const ProviderUsageDocument = new TypedDocumentString(`
    query ProviderUsage($range: UsageRange!) {
  usage(range: $range, groupBy: [PROVIDER]) {
    groups {
      provider
      usage {
        requests
        errors
        cost {
          amount
        }
        latency {
          p50
          p95
        }
        firstToken {
          p50
          p95
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ProviderUsageQuery, ProviderUsageQueryVariables>;
export const ProviderFailuresDocument = new TypedDocumentString(`
    query ProviderFailures($provider: String!, $from: DateTime!) {
  usageLogs(filter: {provider: $provider, status: FAILED, from: $from}, first: 5) {
    nodes {
      id
      createdAt
      model
      errorCode
      attempts {
        provider
        status
        error
        errorMessage
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ProviderFailuresQuery, ProviderFailuresQueryVariables>;
export const ConnectProviderDocument = new TypedDocumentString(`
    mutation ConnectProvider($input: ConnectProviderInput!) {
  connectProvider(input: $input) {
    ...ConnectionParts
  }
}
    fragment ConnectionParts on ProviderCredential {
  id
  provider
  name
  baseUrl
  credentialHint
  secretOptionNames
  region
  trainsOnData
  retentionDays
  active
  createdAt
  updatedAt
  options {
    name
    value
  }
  lastTest {
    at
    succeeded
    message
  }
}`) as unknown as TypedDocumentString<ConnectProviderMutation, ConnectProviderMutationVariables>;
export const UpdateConnectionDocument = new TypedDocumentString(`
    mutation UpdateConnection($input: UpdateConnectionInput!) {
  updateConnection(input: $input) {
    ...ConnectionParts
  }
}
    fragment ConnectionParts on ProviderCredential {
  id
  provider
  name
  baseUrl
  credentialHint
  secretOptionNames
  region
  trainsOnData
  retentionDays
  active
  createdAt
  updatedAt
  options {
    name
    value
  }
  lastTest {
    at
    succeeded
    message
  }
}`) as unknown as TypedDocumentString<UpdateConnectionMutation, UpdateConnectionMutationVariables>;
export const TestConnectionDocument = new TypedDocumentString(`
    mutation TestConnection($id: ID!) {
  testConnection(id: $id) {
    ...ConnectionParts
  }
}
    fragment ConnectionParts on ProviderCredential {
  id
  provider
  name
  baseUrl
  credentialHint
  secretOptionNames
  region
  trainsOnData
  retentionDays
  active
  createdAt
  updatedAt
  options {
    name
    value
  }
  lastTest {
    at
    succeeded
    message
  }
}`) as unknown as TypedDocumentString<TestConnectionMutation, TestConnectionMutationVariables>;
export const DisconnectProviderDocument = new TypedDocumentString(`
    mutation DisconnectProvider($id: ID!) {
  disconnectProvider(id: $id)
}
    `) as unknown as TypedDocumentString<DisconnectProviderMutation, DisconnectProviderMutationVariables>;
export const RoutesDocument = new TypedDocumentString(`
    query Routes {
  routes {
    ...RouteParts
  }
  serverRoutes {
    name
    aliasOf
    order
    targets {
      model
      weight
    }
  }
}
    fragment RouteParts on Route {
  id
  name
  order
  sticky
  parameters
  retries
  batches
  larger
  cacheSeconds
  createdAt
  updatedAt
  targets {
    model
    weight
  }
  timeouts {
    connectSeconds
    answerSeconds
    headersSeconds
    firstTokenSeconds
    betweenChunksSeconds
  }
  moderation {
    model
    check
    action
  }
}`) as unknown as TypedDocumentString<RoutesQuery, RoutesQueryVariables>;
export const PreviewRouteDocument = new TypedDocumentString(`
    query PreviewRoute($model: String!, $request: RoutePreviewInput) {
  previewRoute(model: $model, request: $request) {
    name
    order
    sticky
    parameters
    retries
    cacheSeconds
    larger
    steps {
      model
      provider
      ownConnection
      share
      breaker
      availableInMs
      firstTokenMs
      tokensPerSecond
      reason
      estimatedCost {
        amount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PreviewRouteQuery, PreviewRouteQueryVariables>;
export const SaveRouteDocument = new TypedDocumentString(`
    mutation SaveRoute($input: SaveRouteInput!) {
  saveRoute(input: $input) {
    ...RouteParts
  }
}
    fragment RouteParts on Route {
  id
  name
  order
  sticky
  parameters
  retries
  batches
  larger
  cacheSeconds
  createdAt
  updatedAt
  targets {
    model
    weight
  }
  timeouts {
    connectSeconds
    answerSeconds
    headersSeconds
    firstTokenSeconds
    betweenChunksSeconds
  }
  moderation {
    model
    check
    action
  }
}`) as unknown as TypedDocumentString<SaveRouteMutation, SaveRouteMutationVariables>;
export const DeleteRouteDocument = new TypedDocumentString(`
    mutation DeleteRoute($id: ID!) {
  deleteRoute(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteRouteMutation, DeleteRouteMutationVariables>;
export const RequestSessionsDocument = new TypedDocumentString(`
    query RequestSessions($filter: UsageLogFilter, $first: Int!, $after: Cursor) {
  sessions(filter: $filter, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...SessionParts
    }
  }
}
    fragment SessionParts on RequestSession {
  sessionId
  firstRequestAt
  lastRequestAt
  endedAt
  durationMs
  models
  apiKeys {
    id
    name
  }
  usage {
    requests
    errors
    inputTokens
    outputTokens
    cachedTokens
    cost {
      amount
    }
  }
}`) as unknown as TypedDocumentString<RequestSessionsQuery, RequestSessionsQueryVariables>;
export const SessionPageDocument = new TypedDocumentString(`
    query SessionPage($id: ID!) {
  session(id: $id) {
    ...SessionParts
    requests {
      ...SessionEntry
    }
  }
}
    fragment SessionParts on RequestSession {
  sessionId
  firstRequestAt
  lastRequestAt
  endedAt
  durationMs
  models
  apiKeys {
    id
    name
  }
  usage {
    requests
    errors
    inputTokens
    outputTokens
    cachedTokens
    cost {
      amount
    }
  }
}
fragment SessionEntry on SessionRequest {
  depth
  step
  request {
    id
    requestId
    createdAt
    capability
    model
    requestedModel
    status
    streamed
    estimated
    inputTokens
    outputTokens
    requests
    durationMs
    firstTokenMs
    cost {
      amount
    }
  }
}`) as unknown as TypedDocumentString<SessionPageQuery, SessionPageQueryVariables>;
export const SessionProgressDocument = new TypedDocumentString(`
    subscription SessionProgress($id: ID) {
  sessionProgress(id: $id) {
    ...SessionParts
  }
}
    fragment SessionParts on RequestSession {
  sessionId
  firstRequestAt
  lastRequestAt
  endedAt
  durationMs
  models
  apiKeys {
    id
    name
  }
  usage {
    requests
    errors
    inputTokens
    outputTokens
    cachedTokens
    cost {
      amount
    }
  }
}`) as unknown as TypedDocumentString<SessionProgressSubscription, SessionProgressSubscriptionVariables>;
export const ContentLoggingDocument = new TypedDocumentString(`
    query ContentLogging {
  account {
    ...AccountContentLogging
  }
}
    fragment AccountContentLogging on Account {
  id
  zeroRetention
  contentLogging {
    level
    isDefault
    retentionDays
    search
    redaction {
      detectors
      customPatterns {
        name
        pattern
      }
    }
  }
}`) as unknown as TypedDocumentString<ContentLoggingQuery, ContentLoggingQueryVariables>;
export const UpdateContentLoggingDocument = new TypedDocumentString(`
    mutation UpdateContentLogging($input: UpdateContentLoggingInput!) {
  updateContentLogging(input: $input) {
    ...AccountContentLogging
  }
}
    fragment AccountContentLogging on Account {
  id
  zeroRetention
  contentLogging {
    level
    isDefault
    retentionDays
    search
    redaction {
      detectors
      customPatterns {
        name
        pattern
      }
    }
  }
}`) as unknown as TypedDocumentString<UpdateContentLoggingMutation, UpdateContentLoggingMutationVariables>;
export const RedactionPreviewDocument = new TypedDocumentString(`
    query RedactionPreview($redaction: RedactionInput!, $text: String!) {
  redactionPreview(redaction: $redaction, text: $text) {
    text
    counts {
      name
      count
    }
  }
}
    `) as unknown as TypedDocumentString<RedactionPreviewQuery, RedactionPreviewQueryVariables>;
export const SettingsDocument = new TypedDocumentString(`
    query Settings {
  viewer {
    user {
      ...Self
    }
  }
  signInOptions {
    providers {
      id
      name
      startUrl
    }
  }
}
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}`) as unknown as TypedDocumentString<SettingsQuery, SettingsQueryVariables>;
export const SessionsDocument = new TypedDocumentString(`
    query Sessions {
  viewer {
    sessions {
      id
      createdAt
      lastSeenAt
      address
      userAgent
      current
    }
  }
}
    `) as unknown as TypedDocumentString<SessionsQuery, SessionsQueryVariables>;
export const UpdateProfileDocument = new TypedDocumentString(`
    mutation UpdateProfile($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    ...Self
  }
}
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}`) as unknown as TypedDocumentString<UpdateProfileMutation, UpdateProfileMutationVariables>;
export const ChangeEmailDocument = new TypedDocumentString(`
    mutation ChangeEmail($input: ChangeEmailInput!) {
  changeEmail(input: $input) {
    __typename
    ... on User {
      ...Self
    }
    ... on ChangeEmailFailure {
      code
      message
    }
  }
}
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}`) as unknown as TypedDocumentString<ChangeEmailMutation, ChangeEmailMutationVariables>;
export const ChangePasswordDocument = new TypedDocumentString(`
    mutation ChangePassword($input: ChangePasswordInput!) {
  changePassword(input: $input) {
    __typename
    ... on User {
      ...Self
    }
    ... on ChangePasswordFailure {
      code
      message
    }
  }
}
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}`) as unknown as TypedDocumentString<ChangePasswordMutation, ChangePasswordMutationVariables>;
export const StartTotpDocument = new TypedDocumentString(`
    mutation StartTotp($password: String!) {
  startTotp(password: $password) {
    __typename
    ... on TotpSetup {
      secret
      uri
    }
    ... on StartTotpFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<StartTotpMutation, StartTotpMutationVariables>;
export const ConfirmTotpDocument = new TypedDocumentString(`
    mutation ConfirmTotp($code: String!) {
  confirmTotp(code: $code) {
    __typename
    ... on RecoveryCodes {
      codes
    }
    ... on ConfirmTotpFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConfirmTotpMutation, ConfirmTotpMutationVariables>;
export const DisableTotpDocument = new TypedDocumentString(`
    mutation DisableTotp($input: TotpConfirmationInput!) {
  disableTotp(input: $input) {
    __typename
    ... on User {
      ...Self
    }
    ... on DisableTotpFailure {
      code
      message
    }
  }
}
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}`) as unknown as TypedDocumentString<DisableTotpMutation, DisableTotpMutationVariables>;
export const RenewRecoveryCodesDocument = new TypedDocumentString(`
    mutation RenewRecoveryCodes($input: TotpConfirmationInput!) {
  renewRecoveryCodes(input: $input) {
    __typename
    ... on RecoveryCodes {
      codes
    }
    ... on RenewRecoveryCodesFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<RenewRecoveryCodesMutation, RenewRecoveryCodesMutationVariables>;
export const RevokeSessionDocument = new TypedDocumentString(`
    mutation RevokeSession($id: ID!) {
  revokeSession(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeSessionMutation, RevokeSessionMutationVariables>;
export const RevokeOtherSessionsDocument = new TypedDocumentString(`
    mutation RevokeOtherSessions {
  revokeOtherSessions
}
    `) as unknown as TypedDocumentString<RevokeOtherSessionsMutation, RevokeOtherSessionsMutationVariables>;
export const LinkIdentityDocument = new TypedDocumentString(`
    mutation LinkIdentity($input: LinkIdentityInput!) {
  linkIdentity(input: $input) {
    __typename
    ... on IdentityLink {
      startUrl
    }
    ... on LinkIdentityFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<LinkIdentityMutation, LinkIdentityMutationVariables>;
export const UnlinkIdentityDocument = new TypedDocumentString(`
    mutation UnlinkIdentity($id: ID!) {
  unlinkIdentity(id: $id) {
    ...Self
  }
}
    fragment Self on User {
  id
  name
  email
  emailVerified
  pendingEmail
  totpEnabled
  hasPassword
  identities {
    id
    provider
    providerName
    email
    createdAt
    lastUsedAt
  }
}`) as unknown as TypedDocumentString<UnlinkIdentityMutation, UnlinkIdentityMutationVariables>;
export const UpdateAccountDocument = new TypedDocumentString(`
    mutation UpdateAccount($input: UpdateAccountInput!) {
  updateAccount(input: $input) {
    id
    name
    timeZone
    zeroRetention
  }
}
    `) as unknown as TypedDocumentString<UpdateAccountMutation, UpdateAccountMutationVariables>;
export const CreateAccountDocument = new TypedDocumentString(`
    mutation CreateAccount($input: CreateAccountInput!) {
  createAccount(input: $input) {
    id
    name
  }
}
    `) as unknown as TypedDocumentString<CreateAccountMutation, CreateAccountMutationVariables>;
export const DeleteAccountDocument = new TypedDocumentString(`
    mutation DeleteAccount($input: DeleteAccountInput!) {
  deleteAccount(input: $input) {
    id
    erasedAfter
  }
}
    `) as unknown as TypedDocumentString<DeleteAccountMutation, DeleteAccountMutationVariables>;
export const AccountsToApproveDocument = new TypedDocumentString(`
    query AccountsToApprove($first: Int!, $after: Cursor) {
  accountsToApprove(first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      accountId
      name
      owners
      createdAt
    }
  }
}
    `) as unknown as TypedDocumentString<AccountsToApproveQuery, AccountsToApproveQueryVariables>;
export const ApproveAccountDocument = new TypedDocumentString(`
    mutation ApproveAccount($id: ID!) {
  approveAccount(id: $id)
}
    `) as unknown as TypedDocumentString<ApproveAccountMutation, ApproveAccountMutationVariables>;
export const FailedRefundsDocument = new TypedDocumentString(`
    query FailedRefunds($first: Int!, $after: Cursor) {
  failedRefunds(first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      refundId
      accountName
      amount {
        amount
      }
      reason
      failedAt
    }
  }
}
    `) as unknown as TypedDocumentString<FailedRefundsQuery, FailedRefundsQueryVariables>;
export const RetryRefundDocument = new TypedDocumentString(`
    mutation RetryRefund($id: ID!) {
  retryRefund(id: $id)
}
    `) as unknown as TypedDocumentString<RetryRefundMutation, RetryRefundMutationVariables>;
export const UsageArchivesDocument = new TypedDocumentString(`
    query UsageArchives {
  usageArchives {
    month
    location
    parts
    rows
    cost {
      amount
    }
    bytes
    incompleteAccounts
    archivedAt
  }
}
    `) as unknown as TypedDocumentString<UsageArchivesQuery, UsageArchivesQueryVariables>;
export const SignInOptionsDocument = new TypedDocumentString(`
    query SignInOptions {
  signInOptions {
    signUp
    sendsMail
    providers {
      id
      name
      startUrl
    }
  }
}
    `) as unknown as TypedDocumentString<SignInOptionsQuery, SignInOptionsQueryVariables>;
export const SignInDocument = new TypedDocumentString(`
    mutation SignIn($input: SignInInput!) {
  signIn(input: $input) {
    __typename
    ... on Session {
      expiresAt
    }
    ... on SignInFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SignInMutation, SignInMutationVariables>;
export const FinishSignInDocument = new TypedDocumentString(`
    mutation FinishSignIn($input: FinishSignInInput!) {
  finishSignIn(input: $input) {
    __typename
    ... on Session {
      expiresAt
    }
    ... on SignInFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<FinishSignInMutation, FinishSignInMutationVariables>;
export const SignUpDocument = new TypedDocumentString(`
    mutation SignUp($input: SignUpInput!) {
  signUp(input: $input) {
    __typename
    ... on Session {
      expiresAt
    }
    ... on SignUpPending {
      email
    }
    ... on SignUpFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SignUpMutation, SignUpMutationVariables>;
export const ConfirmSignUpDocument = new TypedDocumentString(`
    mutation ConfirmSignUp($input: ConfirmSignUpInput!) {
  confirmSignUp(input: $input) {
    __typename
    ... on Session {
      expiresAt
    }
    ... on ConfirmSignUpFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ConfirmSignUpMutation, ConfirmSignUpMutationVariables>;
export const RequestPasswordResetDocument = new TypedDocumentString(`
    mutation RequestPasswordReset($email: String!) {
  requestPasswordReset(email: $email)
}
    `) as unknown as TypedDocumentString<RequestPasswordResetMutation, RequestPasswordResetMutationVariables>;
export const ResetPasswordDocument = new TypedDocumentString(`
    mutation ResetPassword($input: ResetPasswordInput!) {
  resetPassword(input: $input) {
    __typename
    ... on Session {
      expiresAt
    }
    ... on ResetPasswordFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ResetPasswordMutation, ResetPasswordMutationVariables>;
export const VerifyEmailDocument = new TypedDocumentString(`
    mutation VerifyEmail($token: String!) {
  verifyEmail(token: $token) {
    __typename
    ... on VerifiedEmail {
      email
    }
    ... on VerifyEmailFailure {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<VerifyEmailMutation, VerifyEmailMutationVariables>;
export const MembersDocument = new TypedDocumentString(`
    query Members($first: Int!, $after: Cursor) {
  account {
    id
    members(first: $first, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...TeamMember
      }
    }
  }
}
    fragment TeamMember on Member {
  id
  role
  createdAt
  lastSeenAt
  user {
    id
    name
    email
  }
}`) as unknown as TypedDocumentString<MembersQuery, MembersQueryVariables>;
export const InvitationsDocument = new TypedDocumentString(`
    query Invitations($first: Int!, $after: Cursor) {
  account {
    id
    invitations(first: $first, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...OpenInvitation
      }
    }
  }
}
    fragment OpenInvitation on Invitation {
  id
  email
  role
  createdAt
  expiresAt
  invitedBy {
    id
    name
    email
  }
}`) as unknown as TypedDocumentString<InvitationsQuery, InvitationsQueryVariables>;
export const InviteMemberDocument = new TypedDocumentString(`
    mutation InviteMember($input: InviteMemberInput!) {
  inviteMember(input: $input) {
    __typename
    ... on Invitation {
      ...OpenInvitation
      link
    }
    ... on InviteMemberFailure {
      code
      message
    }
  }
}
    fragment OpenInvitation on Invitation {
  id
  email
  role
  createdAt
  expiresAt
  invitedBy {
    id
    name
    email
  }
}`) as unknown as TypedDocumentString<InviteMemberMutation, InviteMemberMutationVariables>;
export const ResendInvitationDocument = new TypedDocumentString(`
    mutation ResendInvitation($id: ID!) {
  resendInvitation(id: $id) {
    ...OpenInvitation
    link
  }
}
    fragment OpenInvitation on Invitation {
  id
  email
  role
  createdAt
  expiresAt
  invitedBy {
    id
    name
    email
  }
}`) as unknown as TypedDocumentString<ResendInvitationMutation, ResendInvitationMutationVariables>;
export const RevokeInvitationDocument = new TypedDocumentString(`
    mutation RevokeInvitation($id: ID!) {
  revokeInvitation(id: $id)
}
    `) as unknown as TypedDocumentString<RevokeInvitationMutation, RevokeInvitationMutationVariables>;
export const ChangeRoleDocument = new TypedDocumentString(`
    mutation ChangeRole($input: ChangeRoleInput!) {
  changeRole(input: $input) {
    ...TeamMember
  }
}
    fragment TeamMember on Member {
  id
  role
  createdAt
  lastSeenAt
  user {
    id
    name
    email
  }
}`) as unknown as TypedDocumentString<ChangeRoleMutation, ChangeRoleMutationVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($memberId: ID!) {
  removeMember(memberId: $memberId)
}
    `) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const TransferOwnershipDocument = new TypedDocumentString(`
    mutation TransferOwnership($input: TransferOwnershipInput!) {
  transferOwnership(input: $input) {
    ...TeamMember
  }
}
    fragment TeamMember on Member {
  id
  role
  createdAt
  lastSeenAt
  user {
    id
    name
    email
  }
}`) as unknown as TypedDocumentString<TransferOwnershipMutation, TransferOwnershipMutationVariables>;
export const LeaveAccountDocument = new TypedDocumentString(`
    mutation LeaveAccount {
  leaveAccount
}
    `) as unknown as TypedDocumentString<LeaveAccountMutation, LeaveAccountMutationVariables>;
export const ToolKeysDocument = new TypedDocumentString(`
    query ToolKeys {
  apiKeys(first: 100) {
    nodes {
      id
      name
      hint
    }
  }
}
    `) as unknown as TypedDocumentString<ToolKeysQuery, ToolKeysQueryVariables>;
export const LogContentDocument = new TypedDocumentString(`
    query LogContent($id: ID!) {
  usageLog(id: $id) {
    id
    content {
      state
      level
      request
      response
      error {
        code
        message
      }
      isComplete
      redactions {
        name
        count
      }
    }
  }
}
    `) as unknown as TypedDocumentString<LogContentQuery, LogContentQueryVariables>;
export const DeleteLogContentDocument = new TypedDocumentString(`
    mutation DeleteLogContent($id: ID!) {
  deleteLoggedContent(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteLogContentMutation, DeleteLogContentMutationVariables>;
export const LogFeedbackDocument = new TypedDocumentString(`
    query LogFeedback($id: ID!) {
  usageLog(id: $id) {
    id
    feedback {
      ...GivenFeedback
    }
  }
}
    fragment GivenFeedback on Feedback {
  id
  name
  boolean
  number
  category
  comment
  isOwn
  updatedAt
}`) as unknown as TypedDocumentString<LogFeedbackQuery, LogFeedbackQueryVariables>;
export const SubmitFeedbackDocument = new TypedDocumentString(`
    mutation SubmitFeedback($input: FeedbackInput!) {
  submitFeedback(input: $input) {
    ...GivenFeedback
  }
}
    fragment GivenFeedback on Feedback {
  id
  name
  boolean
  number
  category
  comment
  isOwn
  updatedAt
}`) as unknown as TypedDocumentString<SubmitFeedbackMutation, SubmitFeedbackMutationVariables>;
export const DeleteFeedbackDocument = new TypedDocumentString(`
    mutation DeleteFeedback($id: ID!) {
  deleteFeedback(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteFeedbackMutation, DeleteFeedbackMutationVariables>;
export const FeedbackMeansDocument = new TypedDocumentString(`
    query FeedbackMeans($range: UsageRange!, $groupBy: [FeedbackDimension!]!, $filter: UsageFilter) {
  feedbackSummary(range: $range, groupBy: $groupBy, filter: $filter) {
    name
    model
    route
    apiKey {
      id
      name
      hint
    }
    count
    scored
    mean
  }
}
    `) as unknown as TypedDocumentString<FeedbackMeansQuery, FeedbackMeansQueryVariables>;
export const UsageLogPageDocument = new TypedDocumentString(`
    query UsageLogPage($filter: UsageLogFilter, $orderBy: UsageLogOrder, $first: Int!, $after: Cursor, $withFeedback: Boolean!) {
  usageLogs(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      ...LogRow
      feedback @include(if: $withFeedback) {
        id
        boolean
        number
        category
      }
    }
  }
}
    fragment LogRow on UsageLog {
  id
  requestId
  createdAt
  apiKey {
    id
    name
  }
  capability
  protocol
  model
  requestedModel
  provider
  status
  httpStatus
  requests
  errorCode
  streamed
  estimated
  inputTokens
  outputTokens
  durationMs
  firstTokenMs
  cachedTokens
  finishReason
  endUser
  sessionId
  isUnpriced
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<UsageLogPageQuery, UsageLogPageQueryVariables>;
export const UsageLogDetailsDocument = new TypedDocumentString(`
    query UsageLogDetails($id: ID!) {
  usageLog(id: $id) {
    ...LogRow
    admittedMs
    lastOutputMs
    reasoningTokens
    priceVersion
    parentId
    traceId
    member
    units {
      unit
      quantity
    }
    tags {
      name
      value
    }
    routing {
      orderedBy
      skipped {
        provider
        model
        reason
      }
    }
    attempts {
      provider
      model
      status
      error
      errorType
      errorCode
      errorMessage
      requestId
      rateLimits {
        name
        value
      }
      startedMs
      headMs
      durationMs
    }
    cacheSavings {
      amount
    }
    explanation {
      label
      tokens
      unit
      quantity
      rate
      per
      amount {
        amount
      }
    }
  }
}
    fragment LogRow on UsageLog {
  id
  requestId
  createdAt
  apiKey {
    id
    name
  }
  capability
  protocol
  model
  requestedModel
  provider
  status
  httpStatus
  requests
  errorCode
  streamed
  estimated
  inputTokens
  outputTokens
  durationMs
  firstTokenMs
  cachedTokens
  finishReason
  endUser
  sessionId
  isUnpriced
  cost {
    amount
  }
}`) as unknown as TypedDocumentString<UsageLogDetailsQuery, UsageLogDetailsQueryVariables>;
export const UsageChartsDocument = new TypedDocumentString(`
    query UsageCharts($range: UsageRange!, $interval: Interval!, $groupBy: [UsageDimension!]!, $filter: UsageFilter) {
  usage(
    range: $range
    interval: $interval
    groupBy: $groupBy
    filter: $filter
    limit: 5000
  ) {
    from
    coveredFrom
    timeZone
    total {
      requests
      errors
      inputTokens
      outputTokens
      cost {
        amount
      }
    }
    truncated
    groups {
      start
      model
      apiKey {
        id
        name
        hint
      }
      usage {
        requests
        inputTokens
        outputTokens
        cost {
          amount
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<UsageChartsQuery, UsageChartsQueryVariables>;
export const ContentSearchDocument = new TypedDocumentString(`
    query ContentSearch {
  account {
    id
    contentLogging {
      search
    }
  }
}
    `) as unknown as TypedDocumentString<ContentSearchQuery, ContentSearchQueryVariables>;
export const KeyNamesDocument = new TypedDocumentString(`
    query KeyNames($filter: ApiKeyFilter, $first: Int!) {
  apiKeys(filter: $filter, first: $first) {
    totalCount
    nodes {
      id
      name
      revokedAt
    }
  }
}
    `) as unknown as TypedDocumentString<KeyNamesQuery, KeyNamesQueryVariables>;
export const KeyNameDocument = new TypedDocumentString(`
    query KeyName($id: ID!) {
  node(id: $id) {
    __typename
    ... on ApiKey {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<KeyNameQuery, KeyNameQueryVariables>;
export const NewRequestsDocument = new TypedDocumentString(`
    subscription NewRequests($after: Cursor) {
  liveCompletions(after: $after) {
    cursor
    requestId
    event {
      __typename
    }
  }
}
    `) as unknown as TypedDocumentString<NewRequestsSubscription, NewRequestsSubscriptionVariables>;
export const WebhooksDocument = new TypedDocumentString(`
    query Webhooks {
  webhooks {
    ...WebhookParts
  }
}
    fragment WebhookParts on Webhook {
  id
  url
  events
  secretHint
  createdAt
  lastDeliveredAt
  lastAttemptAt
  lastStatus
  lastFailure
  failingSince
  disabledAt
}`) as unknown as TypedDocumentString<WebhooksQuery, WebhooksQueryVariables>;
export const CreateWebhookDocument = new TypedDocumentString(`
    mutation CreateWebhook($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    secret
    webhook {
      ...WebhookParts
    }
  }
}
    fragment WebhookParts on Webhook {
  id
  url
  events
  secretHint
  createdAt
  lastDeliveredAt
  lastAttemptAt
  lastStatus
  lastFailure
  failingSince
  disabledAt
}`) as unknown as TypedDocumentString<CreateWebhookMutation, CreateWebhookMutationVariables>;
export const EnableWebhookDocument = new TypedDocumentString(`
    mutation EnableWebhook($id: ID!) {
  enableWebhook(id: $id) {
    ...WebhookParts
  }
}
    fragment WebhookParts on Webhook {
  id
  url
  events
  secretHint
  createdAt
  lastDeliveredAt
  lastAttemptAt
  lastStatus
  lastFailure
  failingSince
  disabledAt
}`) as unknown as TypedDocumentString<EnableWebhookMutation, EnableWebhookMutationVariables>;
export const DeleteWebhookDocument = new TypedDocumentString(`
    mutation DeleteWebhook($id: ID!) {
  deleteWebhook(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteWebhookMutation, DeleteWebhookMutationVariables>;
export const PaletteKeysDocument = new TypedDocumentString(`
    query PaletteKeys($search: String!) {
  apiKeys(filter: {nameContains: $search}, first: 5) {
    nodes {
      id
      name
      hint
    }
  }
}
    `) as unknown as TypedDocumentString<PaletteKeysQuery, PaletteKeysQueryVariables>;
export const PaletteRequestsDocument = new TypedDocumentString(`
    query PaletteRequests($requestId: String!) {
  usageLogs(filter: {requestId: $requestId}, first: 1) {
    nodes {
      id
      model
      requestId
    }
  }
}
    `) as unknown as TypedDocumentString<PaletteRequestsQuery, PaletteRequestsQueryVariables>;
export const PaletteModelsDocument = new TypedDocumentString(`
    query PaletteModels($search: String!) {
  models(filter: {search: $search}, first: 8) {
    nodes {
      id
      name
    }
  }
}
    `) as unknown as TypedDocumentString<PaletteModelsQuery, PaletteModelsQueryVariables>;
export const LogCoverageDocument = new TypedDocumentString(`
    query LogCoverage {
  usageLogCoverage {
    keptFrom
    archivedMonths
  }
}
    `) as unknown as TypedDocumentString<LogCoverageQuery, LogCoverageQueryVariables>;
export const SavedViewsDocument = new TypedDocumentString(`
    query SavedViews($page: SavedViewPage!) {
  savedViews(page: $page) {
    ...SavedViewParts
  }
}
    fragment SavedViewParts on SavedView {
  id
  name
  search
  isShared
  isOwn
}`) as unknown as TypedDocumentString<SavedViewsQuery, SavedViewsQueryVariables>;
export const CreateSavedViewDocument = new TypedDocumentString(`
    mutation CreateSavedView($input: CreateSavedViewInput!) {
  createSavedView(input: $input) {
    ...SavedViewParts
  }
}
    fragment SavedViewParts on SavedView {
  id
  name
  search
  isShared
  isOwn
}`) as unknown as TypedDocumentString<CreateSavedViewMutation, CreateSavedViewMutationVariables>;
export const UpdateSavedViewDocument = new TypedDocumentString(`
    mutation UpdateSavedView($id: ID!, $input: UpdateSavedViewInput!) {
  updateSavedView(id: $id, input: $input) {
    ...SavedViewParts
  }
}
    fragment SavedViewParts on SavedView {
  id
  name
  search
  isShared
  isOwn
}`) as unknown as TypedDocumentString<UpdateSavedViewMutation, UpdateSavedViewMutationVariables>;
export const DeleteSavedViewDocument = new TypedDocumentString(`
    mutation DeleteSavedView($id: ID!) {
  deleteSavedView(id: $id)
}
    `) as unknown as TypedDocumentString<DeleteSavedViewMutation, DeleteSavedViewMutationVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    role
    user {
      id
      email
      name
      emailVerified
      pendingEmail
    }
    accounts {
      accountId
      accountName
      role
      erasedAfter
    }
    currentAccount {
      id
      name
      timeZone
      zeroRetention
      isOperator
      spendingRestriction
      erasedAfter
      period {
        start
        end
      }
      plan {
        id
        name
      }
    }
  }
  signInOptions {
    sendsMail
  }
  permissions {
    action
    does
    roles
    keyScope
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
export const RequestVerificationDocument = new TypedDocumentString(`
    mutation RequestVerification {
  requestEmailVerification
}
    `) as unknown as TypedDocumentString<RequestVerificationMutation, RequestVerificationMutationVariables>;
export const SignOutDocument = new TypedDocumentString(`
    mutation SignOut {
  signOut
}
    `) as unknown as TypedDocumentString<SignOutMutation, SignOutMutationVariables>;
export const CancelAccountDeletionDocument = new TypedDocumentString(`
    mutation CancelAccountDeletion {
  cancelAccountDeletion {
    id
    erasedAfter
  }
}
    `) as unknown as TypedDocumentString<CancelAccountDeletionMutation, CancelAccountDeletionMutationVariables>;