/** A credential that is known by its form. */
export interface SecretFormat {
  /** A text without any of these contains none. */
  readonly needles: readonly string[];
  /** Linear: each of its runs begins at a boundary of its own class. */
  readonly expression: RegExp;
}

/** The shortest of them. */
export const MIN_FORMAT_LENGTH = 15;

export const secretFormats: readonly SecretFormat[] = [
  // Sluice, OpenAI, Anthropic and others: https://platform.openai.com/docs/api-reference/authentication
  { needles: ['sk-'], expression: /(?<![A-Za-z0-9])sk-[\w-]{16,}/g },
  // Stripe: https://docs.stripe.com/keys
  {
    needles: ['k_live', 'k_test', 'whsec'],
    expression: /(?<![A-Za-z0-9])(?:[rsp]k_(?:live|test)|whsec)_[A-Za-z0-9]{12,}/g,
  },
  // AWS access key ids: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html
  { needles: ['AKIA', 'ASIA'], expression: /(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  // https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
  {
    needles: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat'],
    expression: /(?<![A-Za-z0-9])(?:gh[pousr]|github_pat)_\w{20,}/g,
  },
  // https://docs.gitlab.com/security/tokens/#token-prefixes
  {
    needles: ['glpat', 'glptt', 'gldt', 'glrt', 'glcbt', 'glft', 'glsoat'],
    expression: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|cbt|ft|soat)-[\w-]{16,}/g,
  },
  // https://docs.slack.dev/authentication/tokens
  { needles: ['xox', 'xapp'], expression: /(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[\w-]{10,}/g },
  { needles: ['hooks.slack'], expression: /https:\/\/hooks\.slack\.com\/[\w/-]{10,}/gi },
  {
    needles: ['/webhooks/'],
    expression: /https:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/[\w/-]{10,}/gi,
  },
  // Google: https://cloud.google.com/docs/authentication/api-keys
  { needles: ['AIza'], expression: /(?<![A-Za-z0-9])AIza[\w-]{30,}/g },
  { needles: ['ya29.', 'GOCSPX'], expression: /(?<![A-Za-z0-9])(?:ya29\.|GOCSPX-)[\w-]{20,}/g },
  // Hugging Face, npm, Groq, Perplexity, Replicate, DigitalOcean.
  {
    needles: ['hf_', 'npm_', 'gsk_', 'pplx_', 'r8_', 'dop_v1'],
    expression: /(?<![A-Za-z0-9])(?:hf|npm|gsk|pplx|r8|dop_v1)_[A-Za-z0-9]{20,}/g,
  },
  { needles: ['xai-', 'pplx-'], expression: /(?<![A-Za-z0-9])(?:xai|pplx)-[A-Za-z0-9]{20,}/g },
  // https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys
  { needles: ['SG.'], expression: /(?<![A-Za-z0-9])SG\.[\w-]{16,}\.[\w-]{16,}/g },
  // JSON Web Tokens: RFC 7519.
  { needles: ['eyJ'], expression: /(?<![\w-])eyJ[\w-]{6,}\.[\w-]{6,}(?:\.[\w-]{4,}){0,3}/g },
  // Client secrets of Microsoft Entra: https://learn.microsoft.com/en-us/purview/sit-defn-azure-ad-client-secret
  { needles: ['Q~'], expression: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,40}/g },
];

/** A credential that is known by its name: the text around it stays. */
export interface NamedSecret {
  /** A text that it does not match contains none. It begins rarely, because it is searched in every text. */
  readonly hint: RegExp;
  /** Its first group is the secret. */
  readonly expression: RegExp;
}

export const namedSecrets: readonly NamedSecret[] = [
  // RFC 6750.
  { hint: /bearer/i, expression: /(?<![A-Za-z0-9])Bearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{12,})/dgi },
  // RFC 7617.
  {
    hint: /authori/i,
    expression:
      /(?<![A-Za-z0-9])Authorization["']?[ \t]?[:=][ \t]?["']?(?:Basic|Token|ApiKey)[ \t]{1,4}([A-Za-z0-9._~+/=-]{8,})/dgi,
  },
  // Azure: keys in connection strings and shared access signatures.
  {
    hint: /key=|signature=/i,
    expression: /(?<![A-Za-z0-9])(?:AccountKey|SharedAccessKey|SharedAccessSignature)=([A-Za-z0-9+/=%&;.-]{16,})/dgi,
  },
  {
    hint: /[?&](?:sig|x-)/i,
    expression: /[?&](?:sig|X-Amz-Signature|X-Goog-Signature)=([A-Za-z0-9%+/=_-]{16,})/dgi,
  },
  // A password in a URL.
  {
    hint: /:\/\/[^\s:/@"'<>]{0,64}:[^\s:/@"'<>]{3,128}@/,
    expression: /:\/\/[^\s:/@"'<>]{0,64}:([^\s:/@"'<>]{3,128})@/dg,
  },
];
