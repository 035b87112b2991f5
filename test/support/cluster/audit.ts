/** One entry of the API server's audit log: a request, after it was answered; a watch also when it has begun. */
export interface AuditEvent {
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: Write | 'get' | 'list' | 'watch';
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus: { readonly code: number };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

type Write = (typeof WRITES)[number];
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const;

/**
 * Bodies of what workloads and autoscalers are made of; of the rest that it happened. Reads are left out but those of the
 * service accounts of the scaler's namespace.
 */
export function auditPolicy(namespace: string): string {
  const verbs = WRITES;
  const omitStages = ['ResponseStarted'];
  const groups = ['autoscaling', 'apps', 'batch', 'scaler.tsprov.dev', 'keda.sh', 'example.com'];
  const resources = groups.map((group) => ({ group }));
  return JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'RequestResponse', verbs, resources, omitStages },
      // A watch may go on for as long as the test.
      { level: 'Metadata', userGroups: [`system:serviceaccounts:${namespace}`] },
      { level: 'None', resources: [{ group: 'coordination.k8s.io' }] },
      { level: 'Metadata', verbs, omitStages },
      { level: 'None' },
    ],
  });
}

/** Whether it is about a request that was to change something. */
export function isWrite({ verb }: AuditEvent): boolean {
  return (WRITES as readonly string[]).includes(verb);
}

/** The events of a log; a last line that is not written to its end yet is left out. */
export function parseAuditLog(text: string): readonly AuditEvent[] {
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}
