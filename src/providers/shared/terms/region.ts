/** Options of providers that name the region of their endpoint. */
const regionOptions: Readonly<Record<string, string>> = { 'amazon-bedrock': 'region', 'google-vertex': 'location' };

/** Hosts of providers that contain the name of their region. */
const regionalHosts: readonly RegExp[] = [
  /^([a-z]{2})\.api\.openai\.com$/,
  /^api\.(eu|us)\.mistral\.ai$/,
  /^(eu|us)\.openrouter\.ai$/,
  /^([a-z]{2}-[a-z]+-\d)\.api\.x\.ai$/,
  /^(?:api|streaming|llm-gateway)\.(eu)\.assemblyai\.com$/,
  /^bedrock[a-z-]*\.([a-z]{2}(?:-[a-z]+)+-\d)\.(?:amazonaws\.com|amazonaws\.com\.cn|api\.aws)$/,
  /^([a-z]+-[a-z]+\d+)-aiplatform\.googleapis\.com$/,
  /^aiplatform\.(eu|us)\.rep\.googleapis\.com$/,
  /^([a-z][a-z0-9]+)\.api\.cognitive\.microsoft\.com$/,
];

/**
 * The region of the endpoint that a connection sends requests to, by the name that the provider gives it; null if neither
 * its owner nor its address says it.
 * @param stated by the owner of the connection
 */
export function regionOf(
  provider: string,
  { region: stated, baseUrl, options }: RegionSettings,
  ownBaseUrl: string | null,
): string | null {
  if (stated) return stated;
  const address = baseUrl ?? ownBaseUrl ?? '';
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  for (const pattern of regionalHosts) {
    const region = pattern.exec(host)?.[1];
    if (region !== undefined) return region;
  }
  const option = baseUrl === undefined ? regionOptions[provider] : undefined;
  return (option && options[option]?.toLowerCase()) || null;
}

interface RegionSettings {
  readonly region?: string | undefined;
  readonly baseUrl: string | undefined;
  readonly options: Readonly<Record<string, string>>;
}
