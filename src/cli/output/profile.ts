/** Where the time of a run went: tasks by duration, as Ansible's profile_tasks shows them. */
export function profileLines(spentMs: ReadonlyMap<string, number>, totalMs: number): string[] {
  const slowest = [...spentMs].sort(([, a], [, b]) => b - a).slice(0, 20);
  const total = `${(totalMs / 1000).toFixed(2)}s`;
  return [
    '='.repeat(79),
    ...slowest.map(([title, ms]) => {
      const seconds = `${(ms / 1000).toFixed(2)}s`;
      return `${title} ${'-'.repeat(Math.max(3, 77 - title.length - seconds.length))} ${seconds}`;
    }),
    `Total time: ${total}`,
  ];
}
