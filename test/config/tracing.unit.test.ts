import { describe, expect, it } from 'vitest';
import { loadTracing } from '../../src/config/tracing.ts';

const ON = { OTEL_TRACES_EXPORTER: 'otlp' };

describe('tracing', () => {
  it.each([
    {},
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_EXPORTER: '' },
    { ...ON, OTEL_SDK_DISABLED: 'TRUE' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
    { OTEL_TRACES_SAMPLER: 'wrong, and not looked at' },
  ])('is off with %o', (environment) => {
    expect(loadTracing(environment)).toBeUndefined();
  });

  it('has the defaults of the specification', () => {
    expect(loadTracing(ON)).toEqual({
      protocol: 'http/protobuf',
      sampler: 'parentbased_always_on',
      ratio: 1,
      batches: {
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
        scheduledDelayMillis: 5_000,
        exportTimeoutMillis: 30_000,
      },
    });
  });

  it('takes the standard variables', () => {
    const environment = {
      ...ON,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
    };
    expect(loadTracing(environment)).toMatchObject({
      protocol: 'http/json',
      sampler: 'traceidratio',
      ratio: 0.25,
      batches: { maxQueueSize: 100, maxExportBatchSize: 100 },
    });
  });

  it.each([
    ['OTEL_TRACES_EXPORTER', 'console', 'none, otlp'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'http/protobuf, http/json'],
    ['OTEL_TRACES_SAMPLER', 'sometimes', 'traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', '0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half', '0 to 1'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0', 'whole number'],
    ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096', 'OTEL_BSP_MAX_QUEUE_SIZE'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'user:hunter2@collector:4318', 'http://'],
  ])('refuses %s=%s', (name, value, allowed) => {
    const load = () => loadTracing({ ...ON, [name]: value });
    expect(load).toThrow(name);
    expect(load).toThrow(allowed);
    expect(load).not.toThrow('hunter2');
  });
});
