/** Where and how one signal is exported. */
export interface SignalSettings {
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'gzip' | 'none';
}

/** What the operator configured of OpenTelemetry. */
export interface TelemetrySettings {
  /** A signal that is not exported is absent. */
  readonly signals: Readonly<Partial<Record<'traces' | 'metrics' | 'logs', SignalSettings>>>;
  readonly sampler: `${'parentbased_' | ''}${'always_on' | 'always_off' | 'traceidratio'}`;
  /** From 0 to 1. */
  readonly samplingRatio: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly metricIntervalMs: number;
  /** Whether spans contain messages, where content logging stores them. */
  readonly capturesContent: boolean;
  /** Whether spans have the attributes of OpenInference too. */
  readonly hasOpenInference: boolean;
}
