/** Conditions of ScaledJobs. */
import type { Finding } from '../resources/conditions.ts';

export const jobInitialFindings: readonly Finding[] = [
  { type: 'Ready', status: 'Unknown', reason: 'Unknown', message: 'Nothing is known yet' },
  { type: 'Active', status: 'Unknown', reason: 'Unknown', message: 'Nothing is known yet' },
  jobPauseFinding(false),
];

export function jobReadyFinding(errors: readonly string[], isActive: boolean): Finding {
  const said = `defined in ScaledJob are not working correctly: ${errors.join('; ')}`;
  if (errors.length > 0 && isActive) {
    const message = `Some triggers ${said}`;
    return { type: 'Ready', status: 'Unknown', reason: 'PartialTriggerError', message };
  }
  if (errors.length > 0) {
    return { type: 'Ready', status: 'False', reason: 'TriggerError', message: `Triggers ${said}` };
  }
  return {
    type: 'Ready',
    status: 'True',
    reason: 'ScaledJobReady',
    message: 'ScaledJob is defined correctly and is ready for scaling',
  };
}

export function jobActiveFinding(isActive: boolean): Finding {
  if (isActive) {
    return {
      type: 'Active',
      status: 'True',
      reason: 'ScalerActive',
      message: 'Scaling is performed because triggers are active',
    };
  }
  return {
    type: 'Active',
    status: 'False',
    reason: 'ScalerNotActive',
    message: 'Scaling is not performed because triggers are not active',
  };
}

export function jobPauseFinding(isPaused: boolean): Finding {
  if (isPaused) {
    return {
      type: 'Paused',
      status: 'True',
      reason: 'ScaledJobPaused',
      message: 'ScaledJob is paused',
    };
  }
  return {
    type: 'Paused',
    status: 'False',
    reason: 'ScaledJobUnpaused',
    message: 'ScaledJob is not paused',
  };
}

/** A reconcile that failed. @param message As `jobFailureMessage` gives it. */
export function jobFailureFindings(message: string): readonly Finding[] {
  const unknown = { reason: 'UnknownState', message: 'ScaledJob check failed' };
  return [
    { type: 'Ready', status: 'False', reason: 'ScaledJobCheckFailed', message },
    { type: 'Active', status: 'Unknown', ...unknown },
  ];
}

/** What is told of a reconcile that failed: alerts match on how it begins, as with KEDA. */
export function jobFailureMessage({ message }: Error): string {
  return `Failed to ensure ScaledJob is correctly created: ${message}`;
}
