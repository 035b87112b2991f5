/**
 * The protocol of external scalers: package `externalscaler`, service `ExternalScaler`. The descriptor is what a `.proto`
 * file of these messages would give, so that none has to be shipped and read.
 */

/** Who asks; the same in every request. */
export interface ScaledObjectRef {
  readonly name: string;
  readonly namespace: string;
  readonly scalerMetadata: Readonly<Record<string, string>>;
}
export interface IsActiveResponse {
  readonly result: boolean;
}
export interface MetricSpec {
  readonly metricName: string;
  /** Old form; what is above 0 in the new one wins. */
  readonly targetSize: number;
  readonly targetSizeFloat: number;
}
export interface GetMetricSpecResponse {
  readonly metricSpecs: readonly MetricSpec[];
}
export interface GetMetricsRequest {
  readonly scaledObjectRef: ScaledObjectRef;
  readonly metricName: string;
}
export interface MetricValue {
  readonly metricName: string;
  /** Old form; what is above 0 in the new one wins. */
  readonly metricValue: number;
  readonly metricValueFloat: number;
}
export interface GetMetricsResponse {
  readonly metricValues: readonly MetricValue[];
}

/** A reflection of the protocol, as protobuf.js takes it. */
export const EXTERNAL_SCALER_PROTOCOL = {
  nested: {
    externalscaler: {
      nested: {
        ExternalScaler: {
          methods: {
            IsActive: { requestType: 'ScaledObjectRef', responseType: 'IsActiveResponse' },
            StreamIsActive: {
              requestType: 'ScaledObjectRef',
              responseType: 'IsActiveResponse',
              responseStream: true,
            },
            GetMetricSpec: {
              requestType: 'ScaledObjectRef',
              responseType: 'GetMetricSpecResponse',
            },
            GetMetrics: { requestType: 'GetMetricsRequest', responseType: 'GetMetricsResponse' },
            StreamMetricSpec: {
              requestType: 'ScaledObjectRef',
              responseType: 'GetMetricSpecResponse',
              responseStream: true,
            },
          },
        },
        ScaledObjectRef: {
          fields: {
            name: { type: 'string', id: 1 },
            namespace: { type: 'string', id: 2 },
            scalerMetadata: { keyType: 'string', type: 'string', id: 3 },
          },
        },
        IsActiveResponse: { fields: { result: { type: 'bool', id: 1 } } },
        MetricSpec: {
          fields: {
            metricName: { type: 'string', id: 1 },
            targetSize: { type: 'int64', id: 2 },
            targetSizeFloat: { type: 'double', id: 3 },
          },
        },
        GetMetricSpecResponse: {
          fields: { metricSpecs: { rule: 'repeated', type: 'MetricSpec', id: 1 } },
        },
        GetMetricsRequest: {
          fields: {
            scaledObjectRef: { type: 'ScaledObjectRef', id: 1 },
            metricName: { type: 'string', id: 2 },
          },
        },
        MetricValue: {
          fields: {
            metricName: { type: 'string', id: 1 },
            metricValue: { type: 'int64', id: 2 },
            metricValueFloat: { type: 'double', id: 3 },
          },
        },
        GetMetricsResponse: {
          fields: { metricValues: { rule: 'repeated', type: 'MetricValue', id: 1 } },
        },
      },
    },
  },
} as const;

/** How messages are shown to JavaScript. */
export const MESSAGE_OPTIONS = { keepCase: true, longs: Number, defaults: true } as const;
