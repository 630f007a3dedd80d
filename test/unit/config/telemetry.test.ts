import { describe, expect, it } from 'vitest';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { telemetrySettings, type TelemetrySettings } from '../../../src/config/variables/telemetry-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

function settingsOf(variables: Record<string, string>): TelemetrySettings | null {
  return telemetrySettings(parseEnvironment(variables, []));
}

describe('settings of OpenTelemetry', () => {
  it('exports nothing without an endpoint, and nothing where the SDK is disabled', () => {
    expect(settingsOf({ OTEL_TRACES_SAMPLER: 'always_on' })).toBeNull();
    expect(settingsOf({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull();
    const none = { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
    expect(settingsOf({ ...endpoint, ...none })).toBeNull();
  });

  it('appends the path of each signal to the endpoint', () => {
    const urls = (base: string) =>
      Object.values(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: base })?.signals ?? {}).map(({ url }) => url);
    expect(urls('http://collector:4318')).toEqual([
      'http://collector:4318/v1/traces',
      'http://collector:4318/v1/metrics',
      'http://collector:4318/v1/logs',
    ]);
    expect(urls('https://example.com/api/public/otel/')[0]).toBe('https://example.com/api/public/otel/v1/traces');
  });

  it('exports one signal to its own endpoint, which is used as it is', () => {
    const settings = settingsOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://example.com/traces' });
    expect(Object.keys(settings?.signals ?? {})).toEqual(['traces']);
    expect(settings?.signals.traces?.url).toBe('https://example.com/traces');
  });

  it('reads headers, those of a signal beside the others', () => {
    const settings = settingsOf({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc=, x-tenant=a',
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'x-tenant=b',
    });
    expect(settings?.signals.traces?.headers).toEqual({ Authorization: 'Basic abc=', 'x-tenant': 'a' });
    expect(settings?.signals.logs?.headers).toEqual({ Authorization: 'Basic abc=', 'x-tenant': 'b' });
  });

  it('names the service by its variable, else by the resource', () => {
    const attributes = {
      ...endpoint,
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=gateway,deployment.environment.name=test',
    };
    expect(settingsOf(endpoint)?.resource).toEqual({ 'service.name': 'sluice' });
    expect(settingsOf(attributes)?.resource).toEqual({
      'service.name': 'gateway',
      'deployment.environment.name': 'test',
    });
    expect(settingsOf({ ...attributes, OTEL_SERVICE_NAME: 'edge' })?.resource['service.name']).toBe('edge');
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /http\/protobuf or http\/json; grpc is not supported/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /OTEL_TRACES_SAMPLER must be one of always_on/],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a secret without a name' }, /^(?!.*a secret).*OTEL_EXPORTER_OTLP_HEADERS must be/s],
  ])('refuses %o', (variables, message) => {
    expect(() => settingsOf({ ...endpoint, ...variables })).toThrow(message);
  });
});
