import { Gauge, type Registry } from 'prom-client';

/**
 * What every process tells of itself. prom-client's own set keeps a timer that wakes the process a hundred times a
 * second; these are read when somebody asks.
 */
const PROCESS: readonly (readonly [name: string, help: string, read: () => number])[] = [
  [
    'process_cpu_seconds_total',
    'Time that the process has used processors, in seconds.',
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  ],
  [
    'process_resident_memory_bytes',
    'Memory that the process holds, in bytes.',
    () => process.memoryUsage.rss(),
  ],
  [
    'process_start_time_seconds',
    'When the process began, in seconds since the epoch.',
    () => Math.round(Date.now() / 1000 - process.uptime()),
  ],
  [
    'nodejs_heap_size_used_bytes',
    'Memory that JavaScript objects use, in bytes.',
    () => process.memoryUsage().heapUsed,
  ],
];

export function addProcessMetrics(registry: Registry): void {
  for (const [name, help, read] of PROCESS) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
